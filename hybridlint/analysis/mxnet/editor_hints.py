"""Values as an editor shows them: a short description of a name's value, and the shape of a tensor."""

from __future__ import annotations

from hybridlint.analysis.model.arrays import CapturedArray, NumpyArray, Outputs, ParameterRef, Tensor
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    BlockRef,
    ContainerValue,
    DataDependentValue,
    Namespace,
    OperatorRef,
    SelfRef,
    StaticValue,
    Value,
)
from hybridlint.runtime.facts.types import TensorType

_LONGEST = 40
_MOST_ITEMS = 6
_NOUNS = {Tensor: "tensor", CapturedArray: "NDArray", ParameterRef: "Parameter"}


def value_text(value: Value) -> str | None:
    """Return a value in words, such as ``tensor of shape (N, 64), float32``; None if it is unknown."""
    match value:
        case Tensor(type=known) | CapturedArray(type=known) | ParameterRef(type=known):
            return f"{_NOUNS[type(value)]}{_typed(known)}"
        case Outputs(types=types):
            number = "several" if types is None else str(len(types))
            return f"{number} outputs of one operator"
        case NumpyArray():
            return "numpy array"
        case BlockRef(layer=layer) if layer:
            return f"block {layer}"
        case ContainerValue():
            return _container(value)
        case StaticValue(value=known):
            return "Python value, the same in every call" if known is STATIC_UNKNOWN else _shortened(repr(known))
        case DataDependentValue(reason=reason):
            return f"Python value read from a tensor by `{reason}`: only eagerly"
        case Namespace():
            return "namespace of operators"
        case OperatorRef(name=name):
            return f"operator {name}"
        case SelfRef(instance=instance):
            return f"the block itself, {instance.info.node.name}"
    return None


def shape(value: Value) -> str | None:
    """Return the shape of a tensor, None if no size of it is known."""
    if not isinstance(value, Tensor | CapturedArray | ParameterRef) or value.type.shape is None:
        return None
    text = str(value.type)
    return None if text.count("?") == len(value.type.shape) > 0 else text


def _typed(known: TensorType) -> str:
    size = "" if known.shape is None else f" of shape {known}"
    return f"{size}{'' if known.dtype is None else f', {known.dtype}'}"


def _container(value: ContainerValue) -> str:
    if value.items is None:
        each = value_text(value.each)
        return f"{value.kind}, each a {each}" if each else value.kind
    inner = [value_text(item) or "?" for item in value.items[:_MOST_ITEMS]]
    more = ", ..." if len(value.items) > _MOST_ITEMS else ""
    return f"{value.kind} of {len(value.items)}: {', '.join(inner)}{more}" if inner else f"empty {value.kind}"


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
