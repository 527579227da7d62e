"""Calls of helpers: the function or method of the file that a call surely enters, and what its parameters get."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.toolkit.class_hierarchy import heirs_of, lineage_of
from hybridlint.fixers.toolkit.names import class_around, classes_in, dotted_parts
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.syntax import each, own


@record(frozen=True, slots=True)
class HelperCall:
    """A call of a helper that computes one result.

    `given` has the argument of each parameter that gets one, `returned` what the helper returns.
    """

    function: ast.FunctionDef
    given: Mapping[str, ast.expr]
    returned: ast.expr

    @property
    def parameters(self) -> frozenset[str]:
        """The names of the helper's parameters."""
        spec = self.function.args
        return frozenset(argument.arg for argument in (*spec.posonlyargs, *spec.args))

    def entered(self, frame: CodeContext) -> CodeContext:
        """Return the frame of the helper's own code, for a call in `frame`."""
        names = {name: node.id for name, node in self.given.items() if isinstance(node, ast.Name)}
        functions = next((name for name, given in names.items() if given == frame.functions), None)
        return replace(frame, function=self.function, functions=functions)


def helper_call(frame: CodeContext, call: ast.Call) -> HelperCall | None:
    """Return the function that a call enters; None unless it is surely a plain function or method of the file."""
    found = entered_by(frame, call)
    if found is None or found[0].decorator_list:
        return None
    returned = _returned(found[0])
    return None if returned is None else HelperCall(*found, returned)


def entered_by(frame: CodeContext, call: ast.Call) -> tuple[ast.FunctionDef, Mapping[str, ast.expr]] | None:
    """Return the function or method of the file that a call surely enters, and the argument of each parameter."""
    function, arguments = _function(frame, call.func), list(call.args)
    if function is None or any(isinstance(node, ast.Starred) for node in arguments):
        return None
    spec, decorators = function.args, [*map(dotted_parts, function.decorator_list)]
    names = [argument.arg for argument in (*spec.posonlyargs, *spec.args)]
    if spec.vararg or spec.kwarg or spec.kwonlyargs or decorators not in ([], [("staticmethod",)]):
        return None
    if isinstance(call.func, ast.Attribute) and not decorators:
        names = names[1:]
    elif "self" in names:
        return None
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    if len(arguments) > len(names) or not named.keys() <= set(names[len(arguments) :]):
        return None
    return function, {**dict(zip(names, arguments, strict=False)), **{str(k): value for k, value in named.items()}}


def _function(frame: CodeContext, called: ast.expr) -> ast.FunctionDef | None:
    match called:
        case ast.Name(id=name):
            found = [n for n in frame.source.tree.body if isinstance(n, ast.FunctionDef) and n.name == name]
            local = frame.function is not None and bool(frame.flow.rebindings_of(name))
            return found[0] if len(found) == 1 and not local else None
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return _method(frame, name)
        case _:
            return None


def _method(frame: CodeContext, name: str) -> ast.FunctionDef | None:
    """Return the method of the object itself that a name means, whichever class of the file the object is of."""
    owner = class_around(frame)
    if owner is None:
        return None
    classes = classes_in(frame.source)
    below = [one for one in heirs_of(owner, classes) if one is not owner]
    if any(_defined(one, name) is not None for one in below):
        return None
    return next((found for one in lineage_of(owner, classes) if (found := _defined(one, name)) is not None), None)


def _defined(owner: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    return next((n for n in owner.body if isinstance(n, ast.FunctionDef) and n.name == name), None)


def _returned(function: ast.FunctionDef) -> ast.expr | None:
    """Return the expression that a function returns, if its only ``return`` is at its end."""
    last = function.body[-1]
    returns = [node for node in own(function) if isinstance(node, ast.Return)]
    return last.value if isinstance(last, ast.Return) and returns == [last] else None


def _names(function: ast.AST | None) -> list[ast.Name]:
    return [] if function is None else [*each(function, ast.Name)]
