"""Why a call cannot bind its arguments to a function's parameters, so that it raises TypeError before the body runs."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import Function
from hybridlint.analysis.project.program import ClassInfo, ProjectFile
from hybridlint.text.syntax import branches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hybridlint.analysis.model.events import ArgumentsEvent


def binding_problem(node: ast.Call, function: Function, args: ArgumentsEvent) -> str | None:
    """Return why the arguments of a call do not fit a function; None if they fit, or may fit.

    Arguments that are spread from a container of unknown content may be any number.
    """
    if any(isinstance(place, ast.Starred) for place in args.nodes) or any(k.arg is None for k in node.keywords):
        return None
    spec = function.node.args
    positional = [argument.arg for argument in (*spec.posonlyargs, *spec.args)]
    count = len(function.bound) + len(args.values)
    taken = positional[:count]
    if count > len(positional) and spec.vararg is None:
        least, most = (size - len(function.bound) for size in (len(positional) - len(spec.defaults), len(positional)))
        takes = f"{most}" if least == most else f"{max(least, 0)} to {most}"
        return f"takes {takes} positional argument{'s' * (takes != '1')}, and gets {len(args.values)}"
    given = set(args.keywords)
    twice = sorted(given & set(taken) - {argument.arg for argument in spec.posonlyargs})
    if twice:
        return f"gets {_named(twice)} twice"
    known = {*positional, *(argument.arg for argument in spec.kwonlyargs)}
    if spec.kwarg is None and given - known:
        return f"takes no {_named(sorted(given - known))}"
    required = positional[: len(positional) - len(spec.defaults)]
    pairs = zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
    alone = [argument.arg for argument, default in pairs if default is None]
    missing = [name for name in (*required[count:], *alone) if name not in given]
    return f"gets no {_named(missing)}" if missing else None


def is_reached(function: Function) -> bool:
    """Return whether a function is surely the one that a call of its name reaches.

    A decorator may change what it takes, a file may define it twice, and a subclass may define a method anew.
    """
    node, closure = function.node, function.closure
    if isinstance(node, ast.Lambda):
        return True
    if node.decorator_list or all(isinstance(part, ast.Pass | ast.Raise | ast.Expr) for part in node.body):
        return False
    if isinstance(closure, ClassInfo):
        return not any(node.name in info.methods for info in _below(closure))
    return isinstance(closure, ProjectFile) and _definitions(closure, node.name) == 1


def _below(owner: ClassInfo) -> Iterator[ClassInfo]:
    """Yield the classes of the file that derive from a class."""
    module = owner.module
    infos = (module.class_info(other) for other in module.survey.classes if other is not owner.node)
    return (info for info in infos if owner in info.lineage)


def _definitions(module: ProjectFile, name: str) -> int:
    """Return the number of places in a file that define a function of this name, or assign to it."""
    made = sum(isinstance(n, ast.FunctionDef) and n.name == name for n in branches(module.source.tree))
    return made + module.binds(name, alone=True)


def _named(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
