"""`hybrid_forward` returns something other than a tensor.

The outputs of a hybridized block are tensors, or lists and tuples of them. An int, a string, None, a dict, an
NDArray or an iterator among them raises ValueError or TypeError when the block is traced. One that is None where an
argument is left out is warned of.

Bad:

    return x * 2, 3  # HYB807

Good:

    return x * 2
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet, yields
from hybridlint.analysis.model.events import Return
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    BlockRef,
    BoundMethod,
    CapturedArray,
    ClassRef,
    ContainerValue,
    EagerTracePair,
    External,
    Function,
    Namespace,
    NumpyArray,
    OperatorRef,
    ParameterRef,
    Partial,
    SelfRef,
    StaticValue,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.mxnet.describe import kind
from hybridlint.fixers.blocks.outputs import list_outputs, returned_expression
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.fixers.functions.namespaces import creation
from hybridlint.rule import Finding, Rule, Severity

rule = Rule(__name__, code="HYB807", summary="output that is not a tensor")

#: Containers that are no list and no tuple, in words.
_CONTAINERS = {
    "dict": "a dict",
    "set": "a set",
    "record": "a record",
    "generator": "an iterator",
    "view": "a view of a dict",
    "deque": "a deque",
}


@rule.on(Return)
def check(event: Return) -> Iterator[Finding]:
    """Report outputs that a graph cannot return, such as None, numbers and dicts."""
    if _may_hold_none(event.value):
        yield rule.at(
            event.node,
            f"{snippet(event.frame, event.node)} contains None if an argument is omitted: a graph cannot return None",
            severity=Severity.WARNING,
            otherwise=lambda: keep_eager(event, always=False),
            help="Return fewer tensors there, or give the block all of its arguments.",
        )
        return
    wrong = "an empty list" if _empty(event.value) else _wrong(event.value)
    if wrong is None or (event.frame.function is not None and next(yields(event.frame.function), None) is not None):
        return
    yield rule.at(
        event.node,
        f"{wrong} is returned: the outputs of a hybridized block are tensors, or lists of them",
        fix=(creation(event.frame, node) or list_outputs(event.frame, node))
        if (node := returned_expression(event))
        else None,
        otherwise=lambda: keep_eager(event),
        help="Return tensors only; what is static belongs in an attribute.",
    )


def _may_hold_none(value: Value) -> bool:
    """Whether all outputs of a list are tensors, but some are None if an argument is None."""
    if not isinstance(value, ContainerValue) or value.kind not in {"list", "tuple"} or not value.items:
        return False
    tensors = [item for item in value.items if isinstance(item, Tensor)]
    return len(tensors) == len(value.items) and any(tensor.optional for tensor in tensors)


def _empty(value: Value) -> bool:
    """Whether an output consists of empty lists only. Beside tensors, such lists may be returned."""
    return isinstance(value, ContainerValue) and value.items is not None and all(map(_empty, value.items))


def _wrong(value: Value) -> str | None:
    wrong: str | None = None
    match value:
        case ContainerValue(kind=name) if name in _CONTAINERS:
            wrong = _CONTAINERS[name]
        case ContainerValue(items=None, each=StaticValue(value=each)) if each is not None:
            # A list of None may be filled out of sight.
            wrong = _wrong(value.each)
        case ContainerValue(items=items):
            # An empty list beside tensors comes back as one.
            inner = [item for item in items or () if not (isinstance(item, ContainerValue) and item.items == ())]
            wrong = next((w for w in map(_wrong, inner or items or ()) if w is not None), None)
        case EagerTracePair(eager=StaticValue(), traced=StaticValue()):
            wrong = "a Python value"
        case StaticValue(value=constant) if constant is STATIC_UNKNOWN:
            wrong = "a Python value"
        case External(name=name) if hasattr(builtins, name.removeprefix("builtins.")):
            wrong = f"`{name.removeprefix('builtins.')}`"
        case StaticValue(value=constant):
            wrong = f"`{constant!r}`"
        case CapturedArray() | NumpyArray():
            wrong = kind(value)
        case Unknown(made=True):
            wrong = "what `__init__` has left in an attribute"
        case BoundMethod(name=name):
            wrong = f"the method `{name}`, which is not called,"
        case (
            Namespace() | OperatorRef() | Function() | Partial() | BlockRef() | ParameterRef() | ClassRef() | SelfRef()
        ):
            wrong = "something other than a tensor"
    return wrong
