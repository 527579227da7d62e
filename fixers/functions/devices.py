"""Fixers of devices. An eager run uses the device in the code, a graph runs on the device of its inputs."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.toolkit.arguments import without_argument
from hybridlint.fixers.toolkit.comments import comments_in
from hybridlint.fixers.toolkit.imports import ndarray_module
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix, ImportEdit

#: The message of a fix that keeps the context of a call for eager runs.
NAMED = "Pass `ctx` only when running eagerly"

_SAFE = Applicability.SAFE


@record(frozen=True, slots=True)
class DeviceChoice:
    """The replacement of an expression, which differs between eager runs and the trace, with the imports it needs."""

    new: cst.BaseExpression
    imports: tuple[ImportEdit, ...]


def eagerly(frame: CodeContext, value: cst.BaseExpression, traced: cst.BaseExpression) -> DeviceChoice | None:
    """Return ``value if F is mx.nd else traced``: `value` in eager runs, `traced` at the trace."""
    found = ndarray_module(frame)
    if found is None or frame.functions is None:
        return None
    module, imports = found
    template = "{value} if {F} is {module} else {traced}"
    return DeviceChoice(expression(template, value=value, F=frame.functions, module=module, traced=traced), imports)


def context_of(frame: CodeContext, node: ast.expr) -> DeviceChoice | None:
    """Return ``ctx if F is mx.nd else None`` for the context of a creation function."""
    return eagerly(frame, frame.concrete(node), expression("None"))


def eagerly_on_device(frame: CodeContext, call: ast.Call, keyword: ast.keyword) -> Fix | None:
    """Write ``F.arange(3, ctx=c)`` as ``F.arange(3, ctx=c) if F is mx.nd else F.arange(3)``.

    This is for functions whose form in a graph takes no context at all.
    """
    if is_default(keyword.value) or comments_in(frame.source.code(call)):
        return None
    choice = eagerly(frame, frame.concrete(call), without_argument(frame, call, keyword))
    return None if choice is None else with_imports(choice, rewrite(frame, call, choice.new, _SAFE, message=NAMED))


def with_imports(choice: DeviceChoice, fix: Fix | None) -> Fix | None:
    """Return a fix with the imports of a choice added."""
    return None if fix is None else replace(fix, imports=choice.imports)


def is_default(node: ast.expr) -> bool:
    """Whether an expression is the default device, on which arrays are created without a context."""
    match node:
        case ast.Call(func=function, args=[], keywords=[]):
            return (dotted_parts(function) or ("",))[-1] == "cpu"
    return False


def names_device(node: ast.expr) -> bool:
    """Whether an expression names one device, as ``mx.cpu()``, ``mx.gpu(0)`` and ``mx.Context("gpu")`` do."""
    match node:
        case ast.Call(func=function):
            return (dotted_parts(function) or ("",))[-1] in {"cpu", "gpu", "cpu_pinned", "Context"}
    return False
