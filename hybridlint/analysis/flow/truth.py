"""Truth values in each run."""

from __future__ import annotations

from typing import TypeAlias

from hybridlint.analysis import semantics
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    TRUE_OR_FALSE,
    Block,
    BoundMethod,
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
    """Return ``bool(value)`` in a run, if it is known for any settings of the block."""
    if isinstance(value, Divergent):
        return truth(value.eager if world == "eager" else value.traced, world)
    if isinstance(value, Static) and value.certain and value.value is not STATIC_UNKNOWN:
        return bool(value.value)
    if isinstance(value, Static) and value.among is not None:
        answers = {bool(one) for one in value.among}
        return answers.pop() if len(answers) == 1 else None
    if isinstance(value, Items) and value.filled:
        return True
    # Functions, methods and modules count as true.
    if isinstance(value, BoundMethod | OperatorRef | Function | Namespace):
        return True
    return True if isinstance(value, Concrete) and value.reason in semantics.library.objects else None


def outcome(eager: Truth, traced: Truth) -> Value:
    """Return the value of a test with these results in the two runs."""
    if eager is None and traced is None:
        return TRUE_OR_FALSE
    if eager == traced:
        return Static(eager, certain=True)
    return Divergent(_answer(eager), _answer(traced))


def certain(value: Value) -> Value:
    """Mark an answer as one that follows from the kind of array alone, so that no setting can change it."""
    return Static(value.value, certain=True) if isinstance(value, Static) and type(value.value) is bool else value


def is_none(value: Value) -> Truth:
    """Return whether a value is None, as far as its kind tells."""
    match value:
        case Tensor(optional=optional):
            return None if optional else False
        case Block(alternatives=(_, *_)) if not value.certain:
            return None
        case Outputs() | Items() | ForeignTensor() | ParameterRef() | Block() | Function() | Namespace() | NumpyArray():
            return False
        case Concrete() | BoundMethod() | OperatorRef():
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
    """Return what ``callable(value)`` gives in each run."""
    if isinstance(value, Tensor) and not value.optional:
        return outcome(eager=False, traced=True)
    if isinstance(value, Function | Block | OperatorRef | ClassRef):
        return outcome(eager=True, traced=True)
    return TRUE_OR_FALSE


def _answer(known: Truth) -> Static:
    return TRUE_OR_FALSE if known is None else Static(known, certain=True)
