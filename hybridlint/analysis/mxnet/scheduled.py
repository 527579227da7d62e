"""Settings that traced code reads from plain objects whose methods move them on between calls: schedules, annealers."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from hybridlint.analysis.flow.unread import is_report
from hybridlint.analysis.model.values import ProjectObject, This, Unknown, Value
from hybridlint.analysis.mxnet.adjusted import BEFOREHAND, Adjustment, called_beforehand, own_attributes, stores
from hybridlint.analysis.project.program import ClassInfo, Module
from hybridlint.analysis.syntax.presumed_objects import is_telling
from hybridlint.runtime.facts.records import record
from hybridlint.text.syntax import each, walk


@record(frozen=True)
class _Moved:
    """What methods of a plain class move on: the attributes, and other methods that read them, with the places."""

    owner: str
    places: Mapping[str, tuple[ast.AST, str]]


def scheduled(info: ClassInfo, instance: ProjectObject, traced: Iterable[ast.FunctionDef]) -> Iterator[Adjustment]:
    """Yield the first read in a class's traced methods of each setting that a plain object moves on by itself.

    It does so in a method which nothing calls at the trace: the program around the block does, between calls.
    """
    moved = _moved_in(info.module)
    told: set[str] = set()
    for method in traced if moved else ():
        if info.methods.get(method.name) is not method:
            continue
        reported = {id(n) for call in each(method, ast.Call) if is_report(call.func) for n in walk(call)}
        for node, holder, name in _asked(method):
            held = None if id(node) in reported else _held(info, instance, method, holder)
            fitting = [] if held is None else [one for one in moved if name in one.places and _may_be(held, one, name)]
            text = ast.unparse(node)
            if len(fitting) == 1 and text not in told:
                told.add(text)
                place, by = fitting[0].places[name]
                yield Adjustment(node, text, place, by)


def _asked(method: ast.FunctionDef) -> Iterator[tuple[ast.expr, ast.expr, str]]:
    """Yield the expressions that ask an object for something: the object, and the attribute or method that answers."""
    for node in (*each(method, ast.Attribute), *each(method, ast.Call)):
        match node:
            case ast.Attribute(value=holder, attr=name, ctx=ast.Load()):
                yield node, holder, name
            case ast.Call(func=ast.Name(id="float" | "int" as kind), args=[holder]):
                yield node, holder, f"__{kind}__"
            case ast.Call(func=ast.Attribute() as holder):
                yield node, holder, "__call__"
            case _:
                pass


def _held(info: ClassInfo, instance: ProjectObject, method: ast.FunctionDef, node: ast.expr) -> Value | None:
    """Return the object that an attribute of self holds, or a global name, or a local name for either; else None."""
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return instance.attributes.get(name)
        case ast.Name(id=name):
            bound = [one.value for one in each(method, ast.Assign) if _binds(one, name)]
            if len(bound) == 1 and isinstance(bound[0], ast.Attribute):
                return _held(info, instance, method, bound[0])
            found = None if bound else info.module.value(name)
            return found if isinstance(found, This) else None
        case _:
            return None


def _may_be(held: Value, moved: _Moved, name: str) -> bool:
    """Return whether an object may be one of a class: what is not known may be, if what it is asked for tells that."""
    if isinstance(held, Unknown):
        return is_telling(name) or name in {"__float__", "__int__"}
    return isinstance(held, This) and held.instance.info.node.name == moved.owner


@lru_cache(maxsize=1)
def _moved_in(module: Module) -> list[_Moved]:
    """Return the settings that plain classes of a file change between calls, class by class.

    The answer for the last file is kept, as each block of it asks.
    """
    infos = (module.class_info(node) for node in module.survey.classes)
    found = (_moved_by(info) for info in infos if not info.block)
    return [one for one in found if one.places]


def _moved_by(info: ClassInfo) -> _Moved:
    methods = {
        name: method
        for name, method in info.methods.items()
        if not name.startswith("__")
        and not BEFOREHAND.match(name)
        and name not in called_beforehand(info.module)
        and not _is_chained(method)
    }
    late = {attribute for method in methods.values() for attribute, _, _ in stores(method)}
    places: dict[str, tuple[ast.AST, str]] = {}
    for name, method in methods.items():
        for attribute, value, place in stores(method):
            if value is None or not late.isdisjoint(own_attributes(value)):
                places.setdefault(attribute, (place, f"{info.node.name}.{name}"))
    attributes = dict(places)
    for name, method in info.methods.items():
        read = [n.attr for n in each(method, ast.Attribute) if n.attr in attributes]
        if read and not any(stores(method)):
            places[name] = attributes[read[0]]
    return _Moved(info.node.name, places)


def _is_chained(method: ast.FunctionDef) -> bool:
    """Return whether a method returns its object, as those do by which settings are put together."""
    returned = [node.value for node in each(method, ast.Return)]
    return any(isinstance(value, ast.Name) and value.id == "self" for value in returned)


def _binds(node: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
