"""The truth of values in the eager run and at the trace."""

from __future__ import annotations

from typing import TypeAlias

from hybridlint.analysis import semantics
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    TRUE_OR_FALSE,
    BlockRef,
    BoundMethod,
    CallableUnion,
    CapturedArray,
    ClassRef,
    ContainerValue,
    DataDependentValue,
    EagerTracePair,
    Function,
    Namespace,
    NumpyArray,
    OperatorRef,
    Outputs,
    ParameterRef,
    StaticValue,
    Tensor,
    Value,
)
from hybridlint.runtime.facts.surface import World

Truth: TypeAlias = bool | None


def truth(value: Value, world: World) -> Truth:
    """Return ``bool(value)`` in a run; None if it is unknown or depends on the block's settings."""
    if isinstance(value, EagerTracePair):
        return truth(value.eager if world == "eager" else value.traced, world)
    if isinstance(value, StaticValue) and value.certain and value.value is not STATIC_UNKNOWN:
        return bool(value.value)
    if isinstance(value, StaticValue) and value.among is not None:
        answers = {bool(one) for one in value.among}
        return answers.pop() if len(answers) == 1 else None
    if isinstance(value, ContainerValue) and value.filled:
        return True
    if isinstance(value, CallableUnion) and value.optional:
        return None
    # Functions, methods and modules count as true.
    if isinstance(value, BoundMethod | OperatorRef | Function | CallableUnion | Namespace):
        return True
    return True if isinstance(value, DataDependentValue) and value.reason in semantics.library.objects else None


def outcome(eager: Truth, traced: Truth) -> Value:
    """Return the value of a test from its truth in the eager run and at the trace.

    An unknown boolean if both are None, a constant if both are equal, otherwise a `EagerTracePair`.
    """
    if eager is None and traced is None:
        return TRUE_OR_FALSE
    if eager == traced:
        return StaticValue(eager, certain=True)
    return EagerTracePair(_answer(eager), _answer(traced))


def certain(value: Value) -> Value:
    """Mark a known boolean as certain: it follows from the kinds of values alone, so no setting can change it.

    Any other value is returned unchanged.
    """
    return (
        StaticValue(value.value, certain=True)
        if isinstance(value, StaticValue) and type(value.value) is bool
        else value
    )


def is_none(value: Value) -> Truth:
    """Return whether a value is None: True or False if its kind decides that, otherwise None."""
    match value:
        case Tensor(optional=optional):
            return None if optional else False
        case BlockRef(alternatives=(_, *_)) if not value.certain:
            return None
        case (
            Outputs()
            | ContainerValue()
            | CapturedArray()
            | ParameterRef()
            | BlockRef()
            | Function()
            | Namespace()
            | NumpyArray()
        ):
            return False
        case CallableUnion(optional=True):
            return None
        case DataDependentValue() | BoundMethod() | OperatorRef() | CallableUnion():
            return False
        case StaticValue(value=None):
            return True
        case StaticValue(value=known, certain=True) if known is not STATIC_UNKNOWN:
            return False
        case StaticValue(among=tuple() as among) if None not in among:
            return False
        case _:
            return None


def is_callable(value: Value) -> Value:
    """Return the result of ``callable(value)`` in the eager run and at the trace."""
    if isinstance(value, Tensor) and not value.optional:
        return outcome(eager=False, traced=True)
    if isinstance(value, CallableUnion) and value.optional:
        return TRUE_OR_FALSE
    if isinstance(value, Function | CallableUnion | BlockRef | OperatorRef | ClassRef):
        return outcome(eager=True, traced=True)
    return TRUE_OR_FALSE


def _answer(known: Truth) -> StaticValue:
    return TRUE_OR_FALSE if known is None else StaticValue(known, certain=True)
