"""The truth of values in the eager run and at the trace."""

from __future__ import annotations

from typing import TypeAlias

from hybridlint.analysis import semantics
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    TRUE_OR_FALSE,
    Block,
    BoundMethod,
    Choice,
    ClassRef,
    Concrete,
    Divergent,
    ForeignTensor,
    Function,
    Items,
    Namespace,
    NumpyArray,
    OperatorRef,
    Outputs,
    ParameterRef,
    Static,
    Tensor,
    Value,
)
from hybridlint.runtime.facts.surface import World

Truth: TypeAlias = bool | None


def truth(value: Value, world: World) -> Truth:
    """Return ``bool(value)`` in a run; None if it is unknown or depends on the block's settings."""
    if isinstance(value, Divergent):
        return truth(value.eager if world == "eager" else value.traced, world)
    if isinstance(value, Static) and value.certain and value.value is not STATIC_UNKNOWN:
        return bool(value.value)
    if isinstance(value, Static) and value.among is not None:
        answers = {bool(one) for one in value.among}
        return answers.pop() if len(answers) == 1 else None
    if isinstance(value, Items) and value.filled:
        return True
    if isinstance(value, Choice) and value.optional:
        return None
    # Functions, methods and modules count as true.
    if isinstance(value, BoundMethod | OperatorRef | Function | Choice | Namespace):
        return True
    return True if isinstance(value, Concrete) and value.reason in semantics.library.objects else None


def outcome(eager: Truth, traced: Truth) -> Value:
    """Return the value of a test from its truth in the eager run and at the trace.

    An unknown boolean if both are None, a constant if both are equal, otherwise a `Divergent`.
    """
    if eager is None and traced is None:
        return TRUE_OR_FALSE
    if eager == traced:
        return Static(eager, certain=True)
    return Divergent(_answer(eager), _answer(traced))


def certain(value: Value) -> Value:
    """Mark a known boolean as certain: it follows from the kinds of values alone, so no setting can change it.

    Any other value is returned unchanged.
    """
    return Static(value.value, certain=True) if isinstance(value, Static) and type(value.value) is bool else value


def is_none(value: Value) -> Truth:
    """Return whether a value is None: True or False if its kind decides that, otherwise None."""
    match value:
        case Tensor(optional=optional):
            return None if optional else False
        case Block(alternatives=(_, *_)) if not value.certain:
            return None
        case Outputs() | Items() | ForeignTensor() | ParameterRef() | Block() | Function() | Namespace() | NumpyArray():
            return False
        case Choice(optional=True):
            return None
        case Concrete() | BoundMethod() | OperatorRef() | Choice():
            return False
        case Static(value=None):
            return True
        case Static(value=known, certain=True) if known is not STATIC_UNKNOWN:
            return False
        case Static(among=tuple() as among) if None not in among:
            return False
        case _:
            return None


def is_callable(value: Value) -> Value:
    """Return the result of ``callable(value)`` in the eager run and at the trace."""
    if isinstance(value, Tensor) and not value.optional:
        return outcome(eager=False, traced=True)
    if isinstance(value, Choice) and value.optional:
        return TRUE_OR_FALSE
    if isinstance(value, Function | Choice | Block | OperatorRef | ClassRef):
        return outcome(eager=True, traced=True)
    return TRUE_OR_FALSE


def _answer(known: Truth) -> Static:
    return TRUE_OR_FALSE if known is None else Static(known, certain=True)
