"""Facts that MXNet leaves open while input sizes are unknown, although the inference rule knows them.

The linter uses the rule's facts: `F.slice_axis(x, axis=1, begin=0, end=2)` has two columns, however many `x` has. A
Symbol that is asked for its shape answers as MXNet does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from hybridlint.runtime.facts.signatures import keyword_names
from hybridlint.runtime.facts.types import Shape, TensorType

#: ``(shape of the result, shapes of the inputs, /, *, parameters it needs) -> shape``, what MXNet tells of the result.
Waits: TypeAlias = Callable[..., "Shape | None"]
Rule = TypeVar("Rule", bound=Callable[..., Any])

_waiting: dict[Callable[..., Any], Waits] = {}


def waits(told: Waits) -> Callable[[Rule], Rule]:
    """Return a decorator of a rule of inference of one result, of which MXNet tells only `told`."""

    def keep(rule: Rule) -> Rule:
        _waiting[rule] = told
        return rule

    return keep


def when_known(result: Shape | None, ins: Sequence[Shape | None], /) -> Shape | None:
    """Tell of the result only where all sizes of all inputs are known."""
    return result if all(shape is not None and all(isinstance(size, int) for size in shape) for shape in ins) else None


def when_result_known(result: Shape | None, ins: Sequence[Shape | None], /) -> Shape | None:
    """Tell of the result only where all its sizes are known."""
    return when_known(result, [result])


def told_by_mxnet(
    rule: Callable[..., Any], results: tuple[TensorType, ...], ins: Sequence[TensorType], params: Mapping[str, Any]
) -> tuple[TensorType, ...]:
    """Return the results of a rule, without the sizes that MXNet's own inference leaves open."""
    told = _waiting.get(rule)
    if told is None or results[0].shape is None:
        return results
    names = keyword_names(told) or ()
    shape = told(results[0].shape, tuple(t.shape for t in ins), **{name: params[name] for name in names})
    return (results[0].with_shape(shape), *results[1:])
