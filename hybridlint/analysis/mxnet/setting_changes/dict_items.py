"""Items of dicts that code around blocks moves on between calls: ``state["seen"] += 1``, and traced code reads."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from hybridlint.analysis.dataflow.scopes import names_of
from hybridlint.analysis.mxnet.classes import CALLED_BY_BLOCKS
from hybridlint.analysis.mxnet.setting_changes.changes_from_outside import (
    BEFOREHAND,
    Adjustment,
    called_beforehand,
    drops_graph,
)
from hybridlint.analysis.project.program import ProjectFile
from hybridlint.runtime.facts.records import record
from hybridlint.text.syntax import each, own, walk


@record(frozen=True)
class _Move:
    """Where an item is moved on, by which function, and the name of the dict there."""

    place: ast.AST
    by: str
    holder: str


def moved_items(module: ProjectFile, traced: Iterable[ast.FunctionDef | ast.Lambda]) -> Iterator[Adjustment]:
    """Yield the first traced read of each dict item that code outside of the trace updates.

    Only one dict of the file has such a key. It is read under the name under which it is changed, or under an argument
    that the file passes this name for.
    """
    moves = _moves_in(module)
    told: set[str] = set()
    for function in traced if moves else ():
        inner = names_of(function).bound
        for node in each(function, ast.Subscript):
            item = _item(node)
            if item is None or not isinstance(node.ctx, ast.Load) or item[1] not in moves or item[1] in told:
                continue
            name, key = item
            move = moves[key]
            outside = isinstance(node.value, ast.Attribute) or name not in inner
            if outside and (name == move.holder or (name, move.holder) in _handed_under(module)):
                told.add(key)
                yield Adjustment(node, ast.unparse(node), move.place, move.by)


@lru_cache(maxsize=1)
def _moves_in(module: ProjectFile) -> Mapping[str, _Move]:
    """Return the dict items that functions of a file update with operators such as `+=`, by key; one file is cached."""
    updated = [node for node in each(module.source.tree, ast.AugAssign) if _item(node.target) is not None]
    if not updated:
        return {}
    made = _keys_made(module)
    found: dict[str, _Move] = {}
    owners = {id(method): node for node in module.survey.classes for method in node.body}
    for function in each(module.source.tree, ast.FunctionDef):
        owner = owners.get(id(function))
        if not _runs_outside(module, function, owner) or drops_graph(function):
            continue
        by = function.name if owner is None else f"{owner.name}.{function.name}"
        inside = set(map(id, own(function)))
        for node in updated:
            item = _item(node.target)
            if item is not None and id(node) in inside and made[item[1]] == 1:
                found.setdefault(item[1], _Move(node, by, item[0]))
    return found


def _runs_outside(module: ProjectFile, function: ast.FunctionDef, owner: ast.ClassDef | None) -> bool:
    """Return whether a function runs between the calls of blocks, or around each of them, and never at a trace."""
    name = function.name
    if name in CALLED_BY_BLOCKS:
        info = None if owner is None else module.class_info(owner)
        return info is not None and info.block and (name == "__call__" or (name == "forward" and not info.hybrid))
    return BEFOREHAND.match(name) is None and name not in called_beforehand(module)


def _keys_made(module: ProjectFile) -> Counter[str]:
    """Return how many dicts of a file have each key, by the displays and calls that make them."""
    found: Counter[str] = Counter()
    for node in walk(module.source.tree):
        match node:
            case ast.Dict(keys=keys):
                found.update(key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str))
            case ast.Call(func=ast.Name(id="dict"), keywords=keywords):
                found.update(keyword.arg for keyword in keywords if keyword.arg is not None)
            case _:
                pass
    return found


@lru_cache(maxsize=1)
def _handed_under(module: ProjectFile) -> frozenset[tuple[str, str]]:
    """Return pairs of a parameter and a name or attribute that calls of a file pass for it unchanged."""
    spelt: dict[str, list[str]] = {}
    for name, function in module.survey.functions.items():
        spelt[name] = [argument.arg for argument in function.args.args]
    for node in module.survey.classes:
        init = module.class_info(node).methods.get("__init__")
        if init is not None:
            spelt[node.name] = [argument.arg for argument in init.args.args[1:]]
    found: set[tuple[str, str]] = set()
    for call in module.survey.calls:
        if isinstance(call.func, ast.Name) and call.func.id in spelt:
            pairs: list[tuple[str, ast.expr]] = [*zip(spelt[call.func.id], call.args, strict=False)]
            pairs += [(keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg is not None]
            named = ((parameter, _last_name(given)) for parameter, given in pairs)
            found |= {(parameter, name) for parameter, name in named if name is not None}
    return frozenset(found)


def _item(node: ast.AST) -> tuple[str, str] | None:
    """Return the name of the dict and the key of ``state["seen"]`` or ``self.state["seen"]``; None for all else."""
    match node:
        case ast.Subscript(value=holder, slice=ast.Constant(value=str() as key)):
            name = _last_name(holder)
            return None if name is None else (name, key)
        case _:
            return None


def _last_name(node: ast.expr) -> str | None:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return None
