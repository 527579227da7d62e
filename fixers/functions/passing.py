"""The fixer of helpers without F: F becomes a parameter, and every caller passes its own."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import field
from functools import lru_cache

from hybridlint.analysis.model.events import Frame
from hybridlint.analysis.mxnet.classes import CALLED_BY_BLOCKS
from hybridlint.fixers.evidence.users_elsewhere import user_elsewhere
from hybridlint.fixers.toolkit.heads import head_of, rewrite_head, with_parameter
from hybridlint.fixers.toolkit.imports import ndarray_module
from hybridlint.fixers.toolkit.names import dotted
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite, safe_if
from hybridlint.fixers.toolkit.statements import joined
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.source import SourceFile
from hybridlint.text.syntax import children, walk

_F = "F"
#: Most functions that one fix gives the parameter to.
_MOST = 4


def functions_passed(frame: Frame) -> Fix | None:
    """Give a helper the parameter ``F``, and let all its callers pass theirs: a step before F can be written there.

    The helper is a function of the module, or a method that is called on `self` alone. A caller without F is given it
    too. None if F has another meaning, if the helper is decorated, or if anything but calls uses its name. A public
    helper takes it last, with the default ``nd``, so that callers elsewhere need not pass it; it is unsafe where other
    files with hybrid code name the helper, or its class.
    """
    function = frame.function
    if frame.functions is not None or not isinstance(function, ast.FunctionDef) or frame.rewritten:
        return None
    helpers = _helpers(frame.source)
    reached = helpers.reached(function)
    if reached is None:
        return None
    arrays = ndarray_module(frame)
    if arrays is None:
        return None
    name, imports = arrays
    calls = [call for each in reached.values() for call in each]
    last = [call for one, each in reached.items() if _takes_last(one) for call in each]
    heads = [
        _head(frame.source, one, helpers.is_method(one), expression("{name}", name=name) if _takes_last(one) else None)
        for one in reached
    ]
    outermost = [call for call in calls if not any(call is not other and call in set(walk(other)) for other in calls)]
    how = safe_if(all(map(_is_private_or_last, reached)), user_elsewhere(frame.source, helpers.names(reached)) is None)
    written = [rewrite(frame, call, _passed(frame, call, calls, last), how) for call in outermost]
    fix = joined(f"Pass F to `{function.name}`", [*heads, *written], tentative=True)
    added = imports if last else ()
    return None if fix is None else replace(fix, signature=True, applicability=how, imports=(*fix.imports, *added))


@lru_cache(maxsize=1)
def _helpers(source: SourceFile) -> _Helpers:
    return _Helpers(source)


def _is_private(function: ast.FunctionDef) -> bool:
    return function.name.startswith("_")


def _takes_last(function: ast.FunctionDef) -> bool:
    """Return whether a function takes F as its last parameter, with a default that suits callers elsewhere."""
    spec = function.args
    return not (_is_private(function) or spec.vararg or spec.kwonlyargs or spec.kwarg)


def _is_private_or_last(function: ast.FunctionDef) -> bool:
    return _is_private(function) or _takes_last(function)


def _head(
    source: SourceFile, function: ast.FunctionDef, is_method: bool, default: cst.BaseExpression | None
) -> Fix | None:
    new = with_parameter(head_of(source, function), _F, at=int(is_method) if default is None else None, default=default)
    return rewrite_head(source, function, new, Applicability.UNSAFE, message="")


def _passed(frame: Frame, call: ast.Call, calls: list[ast.Call], last: list[ast.Call]) -> cst.BaseExpression:
    """Return a call with F as its first argument, or by name if it is one of `last`, and so for `calls` inside it."""
    inside = [node for node in walk(call) if node is not call and node in calls]
    nearest = [one for one in inside if not any(one is not other and one in set(walk(other)) for other in inside)]
    parts: dict[ast.expr, cst.BaseExpression] = {
        one: _passed(frame, one, calls, last) for one in nearest if isinstance(one, ast.Call)
    }
    whole = concrete_with(frame, call, parts)
    assert isinstance(whole, cst.Call)
    if call not in last:
        return whole.with_changes(args=[cst.Arg(cst.Name(_F)), *whole.args])
    plain = cst.SimpleWhitespace("")
    named = cst.Arg(cst.Name(_F), keyword=cst.Name(_F), equal=cst.AssignEqual(plain, plain))
    return whole.with_changes(args=[*whole.args, named])


@record()
class _Helpers:
    """The functions and methods of a file, and how they call each other."""

    source: SourceFile
    _around: dict[ast.AST, ast.AST] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._around = {child: node for node in walk(self.source.tree) for child in children(node)}

    def is_method(self, function: ast.FunctionDef) -> bool:
        """Whether a function is a method."""
        return isinstance(self._around.get(function), ast.ClassDef)

    def names(self, functions: Iterable[ast.FunctionDef]) -> set[str]:
        """Return the names of functions, and of the classes whose methods they are."""
        owners = {place.name for one in functions if isinstance(place := self._around.get(one), ast.ClassDef)}
        return owners | {one.name for one in functions}

    def reached(self, function: ast.FunctionDef) -> dict[ast.FunctionDef, list[ast.Call]] | None:
        """Return the functions that need the parameter if one gets it (itself, callers without F), with their calls.

        None if one of them cannot get it.
        """
        reached: dict[ast.FunctionDef, list[ast.Call]] = {}
        for one in (waiting := [function]):
            calls = self._uses(one) if self._may_take(one) and len(waiting) <= _MOST else None
            callers = [self._caller(call) for call in calls or ()]
            if not calls or None in callers:
                return None
            reached[one] = calls
            waiting += [c for c in dict.fromkeys(callers) if c and c not in waiting and not _has_functions(c)]
        return reached

    def _may_take(self, function: ast.FunctionDef) -> bool:
        """Whether a function may get another parameter called F."""
        place = self._around.get(function)
        plain = isinstance(place, ast.Module) or (isinstance(place, ast.ClassDef) and bool(function.args.args))
        used = any(isinstance(node, ast.Name) and node.id == _F for node in walk(function))
        called = function.name in CALLED_BY_BLOCKS
        return plain and not (used or called or function.decorator_list or function.args.posonlyargs)

    def _uses(self, function: ast.FunctionDef) -> list[ast.Call] | None:
        """Return the calls of a function; None if its name is used in another way, or for something else."""
        found: list[ast.Call] = []
        for node in walk(self.source.tree):
            if not _names(node, function):
                continue
            call = self._around.get(node)
            if not isinstance(call, ast.Call) or call.func is not node or not self._is_own(call, function):
                return None
            found.append(call)
        return found

    def _is_own(self, call: ast.Call, function: ast.FunctionDef) -> bool:
        """Whether a call by a function's name is a call of it: by its name in the module, or on `self` in its class."""
        path, place = dotted(call.func), self._around.get(function)
        if isinstance(place, ast.Module):
            return path == (function.name,)
        return path == ("self", function.name) and any(one is place for one in self._outer(call))

    def _caller(self, call: ast.Call) -> ast.FunctionDef | None:
        """Return the function of the module, or method, that makes a call; None outside of functions."""
        outer = [node for node in self._outer(call) if isinstance(node, ast.FunctionDef)]
        inner = outer[:-1]
        if any(isinstance(n, ast.arg) and n.arg == _F for one in inner for n in walk(one)):
            return None
        return outer[-1] if outer else None

    def _outer(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield everything around a node, innermost first."""
        here = self._around.get(node)
        while here is not None:
            yield here
            here = self._around.get(here)


def _has_functions(function: ast.FunctionDef) -> bool:
    return any(argument.arg == _F for argument in function.args.args)


def _names(node: ast.AST, function: ast.FunctionDef) -> bool:
    """Whether a node uses or binds the name of a function, but for its definition."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name) | ast.arg(arg=name):
            return name == function.name
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return name == function.name and node is not function
        case ast.Constant(value=str() as text):
            return text == function.name
        case _:
            return False
