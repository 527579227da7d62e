"""The computations of optimizers' update operators: functions of a weight, its gradient and its states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from hybridlint.runtime.compiled.lowering.abilities import Abilities
from hybridlint.runtime.compiled.lowering.elements import round_half
from hybridlint.runtime.compiled.lowering.module import TracedModule
from hybridlint.runtime.compiled.lowering.traced import Traced
from hybridlint.runtime.compiled.lowering.values import HALF, ArrayValue, CannotLower, Given, Map, Number
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.platforms.numpy_platform import NUMPY
from hybridlint.runtime.platforms.protocol import Raw

_MODULE = TracedModule()
#: The size of each axis while an update is traced; its code works for any.
_SOME = 3
#: An operator whose other parameters keep changing is left to numpy after so many.
_MOST_VARIANTS = 8


@dataclass(frozen=True, slots=True)
class UpdateRule:
    """The computation of an update: the new value of each changing array, by its position among the inputs.

    `numbers` are what the code takes instead of the rates: functions of rates alone, computed once in double precision.
    """

    arrays: Sequence[Given]
    rates: Sequence[Given]
    numbers: Sequence[ArrayValue]
    changed: Mapping[int, ArrayValue]

    def computed(self, rates: Sequence[float]) -> list[float]:
        """Return the numbers for rates."""
        known: dict[ArrayValue, float] = dict(zip(self.rates, rates, strict=True))
        return [_number(value, known) for value in self.numbers]


def _number(value: ArrayValue, known: dict[ArrayValue, float]) -> float:
    if value in known:
        return known[value]
    if isinstance(value, Number):
        return value.number
    assert isinstance(value, Map)
    arguments = [_number(argument, known) for argument in value.arguments]
    result = known[value] = float(getattr(NUMPY.xp, value.function)(*arguments))
    return result


#: Changes arrays of equal size in place, given the rates, and returns which it has changed.
Update: TypeAlias = Callable[[Sequence[Raw], Sequence[float]], Sequence[int]]


class Updates:
    """Update operators as functions of an engine, made when they are first called.

    `fits` tells whether there is code for some arrays, and `make` makes that of a rule.
    """

    def __init__(
        self, abilities: Abilities, fits: Callable[[Sequence[Raw]], bool], make: Callable[[UpdateRule], Update | None]
    ) -> None:
        self._abilities = abilities
        self._fits = fits
        self._make = make
        self._rates: dict[Operator, tuple[str, ...]] = {}
        self._made: dict[Operator, dict[Any, Update | None]] = {}

    def update(self, op: Operator, raws: Sequence[Raw], params: Mapping[str, Any]) -> Sequence[int]:
        """Change a weight, the first array, and its states in place. Return which arrays changed, none if it cannot."""
        found = self.found(op, raws, params)
        return () if found is None else found[0](raws, [params[name] for name in found[1]])

    def found(
        self, op: Operator, raws: Sequence[Raw], params: Mapping[str, Any]
    ) -> tuple[Update, Sequence[str]] | None:
        """Return the code for arrays, with the names of the rates that it takes; None if there is none."""
        if not self._fits(raws):
            return None
        rates = self._rates.get(op)
        if rates is None:
            rates = self._rates[op] = self._found_rates(op, raws, params)
        made = self._made.setdefault(op, {})
        dtypes = tuple(raw.dtype for raw in raws)
        key = (dtypes, raws[0].ndim, *(value for name, value in params.items() if name not in rates))
        if key not in made:
            made[key] = self._compiled(op, raws, params, rates) if len(made) < _MOST_VARIANTS else None
        update = made[key]
        return None if update is None else (update, rates)

    def _compiled(
        self, op: Operator, raws: Sequence[Raw], params: Mapping[str, Any], rates: Sequence[str]
    ) -> Update | None:
        try:
            rule = self._traced(op, raws, params, rates)
        except CannotLower:
            return None
        return self._make(rule)

    def _found_rates(self, op: Operator, raws: Sequence[Raw], params: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the parameters on whose values no code depends, such as the learning rate."""
        found = []
        for name, value in params.items():
            if isinstance(value, float):
                try:
                    self._traced(op, raws, params, [name])
                except CannotLower:
                    continue
                found.append(name)
        return tuple(found)

    def _traced(self, op: Operator, raws: Sequence[Raw], params: Mapping[str, Any], rates: Sequence[str]) -> UpdateRule:
        """Run an operator's kernel on arrays and rates that hold no numbers. Raises CannotLower."""
        shape = (_SOME,) * raws[0].ndim
        arrays = [Given(shape, number=k, dtype=raw.dtype.name) for k, raw in enumerate(raws)]
        numbers = [Given((), number=len(raws) + k) for k in range(len(rates))]
        given = [Traced(array, writable=k > 1) for k, array in enumerate(arrays)]
        told = {
            **params,
            **{name: Traced(number, writable=False) for name, number in zip(rates, numbers, strict=True)},
        }
        try:
            result = op.kernel(_MODULE, *given, **told)
        except (TypeError, ValueError, AttributeError, IndexError, KeyError, AssertionError) as error:
            raise CannotLower(f"{type(error).__name__}: {error}") from error
        if not isinstance(result, Traced):
            raise CannotLower("an update of several weights")
        changed = {k: array.value for k, array in enumerate(given) if array.value is not arrays[k]}
        found = {0: result.value, **changed}
        if not all(value.shape == shape for value in found.values()):
            raise CannotLower("an update of another shape")
        found = {k: round_half(value) if arrays[k].dtype == HALF else value for k, value in found.items()}
        self._abilities.require(found.values(), set())
        return UpdateRule(arrays, numbers, _numbers(found.values()), found)


def _numbers(results: Iterable[ArrayValue]) -> tuple[ArrayValue, ...]:
    """Return the parts of results that are numbers. Raises CannotLower where a result is no function of elements."""
    seen: dict[ArrayValue, None] = {}
    waiting = list(results)
    while waiting:
        part = waiting.pop()
        if part in seen:
            continue
        seen[part] = None
        if not isinstance(part, (Map, Given, Number)):
            raise CannotLower("an update that is no function of elements")
        if isinstance(part, Map) and not part.shape and (part.predicate or not hasattr(NUMPY.xp, part.function)):
            raise CannotLower("a decision on rates")
        waiting += part.sources
    used = dict.fromkeys(source for part in seen if part.shape for source in part.sources)
    return tuple(part for part in used if not part.shape and not isinstance(part, Number))
