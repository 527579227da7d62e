"""Rules of shapes in reverse: which shape the inputs of an operator have, by the shape of its result.

A reverse rule stands beside the rule of inference that it reverses, so that all operators with this rule have it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar

from hybridlint.runtime.facts.signatures import keyword_names
from hybridlint.runtime.facts.types import Shape

#: ``(shape of the result, /, *, parameters it needs) -> shape``, the one of every input.
Reverse: TypeAlias = Callable[..., Shape]
Rule = TypeVar("Rule", bound=Callable[..., Any])

_reverses: dict[Callable[..., Any], Reverse] = {}


def reversed_by(reverse: Reverse) -> Callable[[Rule], Rule]:
    """Return a decorator of a rule of inference, which `reverse` reverses."""

    def keep(rule: Rule) -> Rule:
        _reverses[rule] = reverse
        return rule

    return keep


def same(result: Shape, /) -> Shape:
    """Return the shape itself: every input has the result's."""
    return result


def shape_of_inputs(rule: Callable[..., Any], result: Shape, params: Mapping[str, Any]) -> Shape | None:
    """Return the shape of every input if the rule gives a result of this shape; None if unknown."""
    reverse = _reverses.get(rule)
    if reverse is None:
        return None
    names = keyword_names(reverse) or ()
    return reverse(result, **{name: params[name] for name in names})
