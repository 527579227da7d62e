"""Settings that traced code reads from plain objects whose methods move them on between calls: schedules, annealers."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from hybridlint.analysis.flow.reporting_names import is_report
from hybridlint.analysis.model.values import ClassRef, ProjectObject, SelfRef, Unknown, Value
from hybridlint.analysis.mxnet.setting_changes.changes_from_outside import (
    BEFOREHAND,
    Adjustment,
    called_beforehand,
    own_attributes,
    stores,
)
from hybridlint.analysis.project.program import ClassInfo, ProjectFile
from hybridlint.analysis.syntax.inferred_receivers import is_telling
from hybridlint.runtime.facts.records import record
from hybridlint.text.syntax import each, is_dotted, walk


@record(frozen=True)
class Moved:
    """The attributes that methods of a plain class update, and the methods that read them, with their places."""

    owner: str
    places: Mapping[str, tuple[ast.AST, str]]


def scheduled_reads(
    info: ClassInfo, instance: ProjectObject, traced: Iterable[ast.FunctionDef | ast.Lambda]
) -> Iterator[Adjustment]:
    """Yield the first read in a class's traced functions of each setting that a plain object updates by itself.

    The object updates it in a method that no trace calls: the program around the block calls it, between calls.
    """
    moved = moved_in(info.module)
    told: set[str] = set()
    for method in traced if moved else ():
        reported = {id(n) for call in each(method, ast.Call) if is_report(call.func) for n in walk(call)}
        for node, holder, name in _asked(method):
            held = None if id(node) in reported else _held(info, instance, method, holder)
            fitting = [] if held is None else [one for one in moved if name in one.places and _may_be(held, one, name)]
            text = ast.unparse(node)
            if len(fitting) == 1 and text not in told:
                told.add(text)
                place, by = fitting[0].places[name]
                yield Adjustment(node, text, place, by)


def _asked(method: ast.AST) -> Iterator[tuple[ast.expr, ast.expr, str]]:
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


def _held(info: ClassInfo, instance: ProjectObject, method: ast.AST, node: ast.expr) -> Value | None:
    """Return the object in an attribute of self, in a global, or in a local name for either.

    None for other expressions. Of an object that the method around the function creates, only the class is known.
    """
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return instance.attributes.get(name)
        case ast.Name(id=name):
            bound = [one.value for one in each(method, ast.Assign) if _binds(one, name)]
            if len(bound) == 1 and isinstance(bound[0], ast.Attribute):
                return _held(info, instance, method, bound[0])
            around = [] if bound else _bound_around(info, method, name)
            if len(around) == 1 and isinstance(around[0], ast.Call) and is_dotted(around[0].func):
                made = info.module.expression(around[0].func)
                return made if isinstance(made, ClassRef) else None
            found = None if bound or around else info.module.value(name)
            return found if isinstance(found, SelfRef) else None
        case _:
            return None


def _bound_around(info: ClassInfo, function: ast.AST, name: str) -> list[ast.expr]:
    """Return the values bound to a name in the method of a class around a function."""
    methods = (one for one in info.methods.values() if one is not function and function in walk(one))
    return [node.value for method in methods for node in each(method, ast.Assign) if _binds(node, name)]


def _may_be(held: Value, moved: Moved, name: str) -> bool:
    """Return whether an object may be an instance of the class of `moved`.

    An unknown object may, if the attribute `name` that is read from it is one that few classes have.
    """
    if isinstance(held, Unknown):
        return is_telling(name) or name in {"__float__", "__int__"}
    if isinstance(held, ClassRef):
        return held.info.node.name == moved.owner
    return isinstance(held, SelfRef) and held.instance.info.node.name == moved.owner


@lru_cache(maxsize=1)
def moved_in(module: ProjectFile) -> list[Moved]:
    """Return the settings that plain classes of a file change between calls, class by class.

    The answer for the last file is kept, as each block of it asks.
    """
    infos = (module.class_info(node) for node in module.survey.classes)
    found = (_moved_by(info) for info in infos if not info.block)
    return [one for one in found if one.places]


def _moved_by(info: ClassInfo) -> Moved:
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
    return Moved(info.node.name, places)


def _is_chained(method: ast.FunctionDef) -> bool:
    """Return whether a method returns `self`, so that calls can be chained: ``Options().widen(4).deepen(1)``."""
    returned = [node.value for node in each(method, ast.Return)]
    return any(isinstance(value, ast.Name) and value.id == "self" for value in returned)


def _binds(node: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
