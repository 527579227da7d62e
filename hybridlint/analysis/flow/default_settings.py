"""The values that a setting of a block ordinarily has: its default, and the arguments in the file's own calls.

A setting is an attribute of self that keeps an argument of ``__init__``. Demonstrations below
``if __name__ == "__main__"`` do not count where other code of the file builds the block too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from hybridlint.analysis.flow.constant_tests import Values, possible_values
from hybridlint.text.parameters import defaults_of, names_of
from hybridlint.text.syntax import each, is_own, walk

if TYPE_CHECKING:
    from hybridlint.analysis.model.values import ProjectClass


def setting_values(info: ProjectClass, name: str) -> Values:
    """Return the values that ``self.name`` has in ordinary use; None if they are unknown."""
    return _setting_values(info, name)  # type: ignore[arg-type]


@lru_cache(maxsize=32)
def _setting_values(info: ProjectClass, name: str) -> Values:
    found = info.method("__init__")
    if found is None or _stores(info, name) != 1:
        return None
    init, owner = found
    kept = [value for node in each(init, ast.Assign) for target, value in _stored(node) if target == name]
    if len(kept) != 1:
        return None

    def value_of(node: ast.expr) -> Values:
        given = isinstance(node, ast.Name) and node.id in _names(init)
        return _argument_values(info, owner, init, node.id) if given and isinstance(node, ast.Name) else None

    return possible_values(kept[0], value_of)


def _stored(node: ast.Assign) -> Iterator[tuple[str, ast.expr]]:
    """Yield the attributes of self that an assignment stores, each with its value."""
    for target in node.targets:
        match target, node.value:
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                yield from ((one.attr, value) for one, value in zip(targets, values, strict=True) if is_own(one))
            case _ if is_own(target):
                yield target.attr, node.value
            case _:
                pass


def kept_argument(info: ProjectClass, init: ast.FunctionDef, name: str) -> str | None:
    """Return the argument of ``__init__`` that an attribute of self keeps, if nothing else sets it; None otherwise."""
    if _stores(info, name) != 1:
        return None
    for node in each(init, ast.Assign):
        match node:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id="self"), attr=stored)],
                value=ast.Name(id=argument) | ast.Call(func=ast.Name(id="bool"), args=[ast.Name(id=argument)]),
            ) if stored == name:
                return argument
            case _:
                pass
    return None


def constant_defaults(init: ast.FunctionDef) -> dict[str, ast.Constant]:
    """Return the arguments of a function whose defaults are constants, with these."""
    found = defaults_of(init.args)
    return {name: default for name, default in found.items() if isinstance(default, ast.Constant)}


def _stores(info: ProjectClass, name: str) -> int:
    """Return the number of places that store an attribute on the class's objects, on heirs', or on unknown objects."""
    tree, own = info.module.source.tree, _own_stores(info)  # type: ignore[arg-type]
    elsewhere = [one.node for one in info.lineage if one.module is not info.module]
    stored = [node for part in (tree, *elsewhere) for node in _attribute_stores(part).get(name, ())]
    named = [call for call in _calls_by_name(tree).get("setattr", ()) if _names_text(call, name)]
    return len(named) + sum(id(node) in own or not is_own(node) for node in stored)


@lru_cache(maxsize=8)
def _own_stores(info: ProjectClass) -> frozenset[int]:
    """Return the stores of attributes in a class, its ancestors and its heirs in the file, by the nodes' identity."""
    heirs = [node for node in each(info.module.source.tree, ast.ClassDef) if _inherits(info, node)]
    stores = (_attribute_stores(node) for node in (*(one.node for one in info.lineage), *heirs))
    return frozenset(id(node) for by_name in stores for nodes in by_name.values() for node in nodes)


def _inherits(info: ProjectClass, node: ast.ClassDef) -> bool:
    return info in info.module.class_info(node).lineage


@lru_cache(maxsize=32)
def _attribute_stores(tree: ast.AST) -> Mapping[str, Sequence[ast.Attribute]]:
    """Return the stores of attributes in a file or a class, by the attributes' names."""
    stores: dict[str, list[ast.Attribute]] = {}
    for node in each(tree, ast.Attribute):
        if isinstance(node.ctx, ast.Store):
            stores.setdefault(node.attr, []).append(node)
    return stores


def _names_text(call: ast.Call, name: str) -> bool:
    return any(isinstance(part, ast.Constant) and part.value == name for part in call.args)


def _names(init: ast.FunctionDef) -> list[str]:
    return names_of(init.args)[1:]


def _argument_values(info: ProjectClass, owner: ProjectClass, init: ast.FunctionDef, argument: str) -> Values:
    """Return the values that callers pass for a constructor's argument, with its default; None if unknown."""
    default = constant_defaults(init).get(argument)
    positional = [one.arg for one in (*init.args.posonlyargs, *init.args.args)][1:]
    index = positional.index(argument) if argument in positional else None
    names = {one.node.name for one in info.lineage[: info.lineage.index(owner) + 1]}
    calls = list(_passed(info.module.source.tree, names, argument, index))
    demos = demonstrations(info.module.source.tree)
    ordinary = [value for call, value in calls if id(call) not in demos]
    if default is None and len(ordinary) == len(calls):
        return None
    passed = ordinary or [value for _, value in calls]
    values = {} if default is None else {repr(default.value): default.value}
    for value in passed:
        if isinstance(value, ast.Name) and value.id == argument and _is_parameter(info.module.source.tree, value):
            # Handed on under its own name: whoever gives it first names it too, or leaves a default.
            continue
        known = possible_values(value, lambda _: None) if value is not None else ()
        if known is None:
            return None
        values |= {repr(one): one for one in known}
    for function in each(info.module.source.tree, ast.FunctionDef) if _is_handed_on(passed, argument) else ():
        outer = constant_defaults(function).get(argument)
        values |= {} if outer is None or function is init else {repr(outer.value): outer.value}
    return tuple(values.values()) or None


def _is_parameter(tree: ast.Module, value: ast.Name) -> bool:
    """Return whether a name is a parameter of the function around it, which nothing binds anew."""
    around = [one for one in each(tree, ast.FunctionDef) if value in each(one, ast.Name)]
    bound = [n for one in around[-1:] for n in each(one, ast.Name) if n.id == value.id and isinstance(n.ctx, ast.Store)]
    return bool(around) and not bound and value.id in names_of(around[-1].args)


def _is_handed_on(passed: Sequence[ast.expr | None], argument: str) -> bool:
    return any(isinstance(value, ast.Name) and value.id == argument for value in passed)


def _passed(
    tree: ast.Module, names: set[str], argument: str, index: int | None
) -> Iterator[tuple[ast.AST, ast.expr | None]]:
    """Yield each call of a file that builds the block or names the argument.

    With the call comes its argument, None if it is omitted.
    """
    heirs = [one for one in each(tree, ast.ClassDef) if any(_last_name(base) in names for base in one.bases)]
    above = {id(call) for heir in heirs for call in each(heir, ast.Call) if _last_name(call.func) == "__init__"}
    by_name = _calls_by_name(tree)
    looked_at = [call for name in (*names, "__init__") for call in by_name.get(name, ())]
    looked_at += _calls_by_keyword(tree).get(argument, ())
    for call in {id(call): call for call in looked_at}.values():
        called = _last_name(call.func)
        builds = called in names or id(call) in above
        value = next((keyword.value for keyword in call.keywords if keyword.arg == argument), None)
        spread = any(isinstance(one, ast.Starred) for one in call.args)
        if value is None and builds and index is not None and (spread or len(call.args) > index):
            # What a list holds is not known: the call itself represents it, which is no constant.
            value = call if spread else call.args[index]
        if value is not None or called in names:
            yield call, value
    for literal in each(tree, ast.Dict):
        for key, value in zip(literal.keys, literal.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == argument:
                yield literal, value


@lru_cache(maxsize=4)
def _calls_by_name(tree: ast.Module) -> Mapping[str, Sequence[ast.Call]]:
    """Return the calls of a file by the last name of what they call."""
    found: dict[str, list[ast.Call]] = {}
    for call in each(tree, ast.Call):
        found.setdefault(_last_name(call.func) or "", []).append(call)
    return found


@lru_cache(maxsize=4)
def _calls_by_keyword(tree: ast.Module) -> Mapping[str, Sequence[ast.Call]]:
    """Return the calls of a file by the names of the arguments that they give by keyword."""
    found: dict[str, list[ast.Call]] = {}
    for call in each(tree, ast.Call):
        for keyword in call.keywords:
            found.setdefault(keyword.arg or "", []).append(call)
    return found


def _last_name(node: ast.expr) -> str | None:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None


@lru_cache(maxsize=4)
def demonstrations(tree: ast.Module) -> frozenset[int]:
    """Return the nodes, by identity, below ``if __name__ == "__main__"`` and in functions that only run from there."""
    guarded = [node for node in tree.body if isinstance(node, ast.If) and _is_main(node.test)]
    inside = {id(part) for node in guarded for statement in node.body for part in walk(statement)}
    if not guarded:
        return frozenset()
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    while True:
        run_there = [f for f in functions if id(f) not in inside and _is_read_within(f.name, tree, inside)]
        if not run_there:
            return frozenset(inside)
        inside |= {id(part) for function in run_there for part in walk(function)}


def _is_read_within(name: str, tree: ast.Module, inside: set[int]) -> bool:
    reads = [node for node in each(tree, ast.Name) if node.id == name]
    return bool(reads) and all(id(node) in inside for node in reads)


def _is_main(test: ast.expr) -> bool:
    match test:
        case ast.Compare(left=ast.Name(id="__name__"), ops=[ast.Eq()], comparators=[ast.Constant(value="__main__")]):
            return True
        case _:
            return False
