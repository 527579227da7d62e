"""Fixers of devices: an eager run keeps the device in the code, a graph runs on the device of its inputs."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from hybridlint.analysis.model.events import Frame
from hybridlint.fixers.toolkit.imports import ndarray_module
from hybridlint.fixers.toolkit.names import dotted
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text import cst
from hybridlint.text.edits import Fix, Import

#: The message of a fix that keeps the context of a call for eager runs.
NAMED = "Pass `ctx` only when running eagerly"


@dataclass(frozen=True, slots=True)
class Choice:
    """The replacement of an expression, which differs between eager runs and the trace, with the imports it needs."""

    new: cst.BaseExpression
    imports: tuple[Import, ...]


def eagerly(frame: Frame, value: cst.BaseExpression, traced: cst.BaseExpression) -> Choice | None:
    """Return ``value if F is mx.nd else traced``: `value` in eager runs, `traced` at the trace."""
    found = ndarray_module(frame)
    if found is None or frame.functions is None:
        return None
    module, imports = found
    template = "{value} if {F} is {module} else {traced}"
    return Choice(expression(template, value=value, F=frame.functions, module=module, traced=traced), imports)


def context_of(frame: Frame, node: ast.expr) -> Choice | None:
    """Return ``ctx if F is mx.nd else None`` for the context of a creation function."""
    return eagerly(frame, frame.concrete(node), expression("None"))


def with_imports(choice: Choice, fix: Fix | None) -> Fix | None:
    """Return a fix with the imports of a choice added."""
    return None if fix is None else replace(fix, imports=choice.imports)


def is_default(node: ast.expr) -> bool:
    """Whether an expression is the default device, on which arrays are created without a context."""
    match node:
        case ast.Call(func=function, args=[], keywords=[]):
            return (dotted(function) or ("",))[-1] == "cpu"
    return False
