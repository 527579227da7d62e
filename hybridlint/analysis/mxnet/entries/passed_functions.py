"""The functions that an argument may be, found in the file without interpreting it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.project.program import ProjectFile
from hybridlint.text.syntax import branches, each, own

_Function = ast.FunctionDef | ast.Lambda


def functions_at(module: ProjectFile, place: ast.expr, node: ast.expr) -> Iterator[_Function]:
    """Yield the functions that an expression of a file, inside the call `place`, may be."""
    if isinstance(node, ast.Lambda):
        yield node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        yield from _made_by(module, node.func.id)
    if not isinstance(node, ast.Name):
        return
    known = module.survey.functions.get(node.id)
    if known is not None:
        yield known
        return
    lambdas = _assigned(module, node.id)
    if lambdas:
        yield from lambdas
        return
    for argument in _passed(module, place, node.id):
        if isinstance(argument, ast.Lambda):
            yield argument
        elif isinstance(argument, ast.Name):
            known = module.survey.functions.get(argument.id)
            yield from [known] if known is not None else _assigned(module, argument.id)


def maker_of(module: ProjectFile, function: _Function) -> ast.FunctionDef | None:
    """Return the function of a file that defines and returns another one; None if there is none."""
    return next((one for one in module.survey.functions.values() if function in _returned(one)), None)


def _made_by(module: ProjectFile, name: str) -> list[_Function]:
    maker = module.survey.functions.get(name)
    return [] if maker is None else list(_returned(maker))


def _returned(maker: ast.FunctionDef) -> Iterator[_Function]:
    """Yield the functions defined inside a function that it returns."""
    inner = {n.name: n for n in branches(maker) if isinstance(n, ast.FunctionDef) and n is not maker}
    for node in own(maker):
        match node:
            case ast.Return(value=ast.Lambda() as made):
                yield made
            case ast.Return(value=ast.Name(id=returned)) if returned in inner:
                yield inner[returned]


def _assigned(module: ProjectFile, name: str) -> list[ast.Lambda]:
    """Return the lambdas that are assigned to a name anywhere in a file."""
    return [
        node.value
        for node in each(module.source.tree, ast.Assign)
        if isinstance(node.value, ast.Lambda)
        and any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
    ]


def _passed(module: ProjectFile, place: ast.expr, parameter: str) -> Iterator[ast.expr]:
    """Yield the arguments that calls in a file pass for a parameter of the function around a place."""
    for name, function, skipped in _callables(module):
        if not _may_stand_in(place, function):
            continue
        positions = [a.arg for a in (*function.args.posonlyargs, *function.args.args)][skipped:]
        if parameter not in positions or not any(node is place for node in branches(function)):
            continue
        for call in module.survey.calls:
            if isinstance(call.func, ast.Name) and call.func.id == name:
                at = positions.index(parameter)
                yield from call.args[at : at + 1]
                yield from (keyword.value for keyword in call.keywords if keyword.arg == parameter)


def _may_stand_in(place: ast.expr, function: ast.FunctionDef) -> bool:
    """Return whether lines allow an expression to be in a function. They rule out nearly every one."""
    last = function.end_lineno
    return last is not None and function.lineno <= place.lineno <= last


def _callables(module: ProjectFile) -> Iterator[tuple[str, ast.FunctionDef, int]]:
    """Yield functions and constructors: the name that calls use, and the number of arguments that are bound before."""
    for name, function in module.survey.functions.items():
        if name != "__init__":
            yield name, function, 0
    for owner in module.survey.classes:
        for part in owner.body:
            if isinstance(part, ast.FunctionDef) and part.name == "__init__":
                yield owner.name, part, 1
