"""The values of names at one point of the code, and where two paths to it meet."""

from __future__ import annotations

from dataclasses import field

from hybridlint.analysis.model.events import SettingTest
from hybridlint.analysis.model.lattice import as_input, eager_trace_pair, in_world, join
from hybridlint.analysis.model.values import DataDependentValue, Outputs, StaticValue, Tensor, Value
from hybridlint.runtime.facts.records import record, replace
from hybridlint.runtime.facts.surface import World

BOTH: frozenset[World] = frozenset({"eager", "traced"})

_SETTINGS = (StaticValue, DataDependentValue)


@record(eq=False)
class StatementFlow:
    """The values of names at one point. `worlds` are the runs that reach it; empty once the flow has ended.

    Attributes that the code stores on self are among the names, as ``self.name``.
    """

    names: dict[str, Value] = field(default_factory=dict)
    worlds: frozenset[World] = BOTH
    #: Whether the supported version has already raised here: only another version continues.
    unsupported: bool = False
    #: The functions that have seeded Python's and numpy's generators with constants in this call.
    seeded: frozenset[str] = frozenset()
    #: What conditions imply for attributes of self that the code does not store, by attribute.
    narrowed: dict[str, Value] = field(default_factory=dict)
    #: The test that leads here only for other settings than the usual ones; None where the usual ones lead too.
    unusual: SettingTest | None = None

    def copy(self) -> StatementFlow:
        """Return an independent copy."""
        return StatementFlow(
            dict(self.names), self.worlds, self.unsupported, self.seeded, dict(self.narrowed), self.unusual
        )

    @property
    def alive(self) -> bool:
        """Whether any run reaches this point."""
        return bool(self.worlds)

    def end(self) -> None:
        """End the flow: no run continues from here."""
        self.worlds = frozenset()


def merge(left: StatementFlow, right: StatementFlow, taken: tuple[bool, bool] = (False, False)) -> StatementFlow:
    """Return the flow where two paths meet. `taken` says which of them are known to be taken by some call."""
    if not left.alive or not right.alive:
        return left if left.alive else right
    # A name bound on one path only keeps that value: reading it on the other path would raise.
    names = right.names | left.names
    for name, value in right.names.items():
        other = names[name]
        if other is not value:
            sides = [as_input(one) if known else one for one, known in zip((other, value), taken, strict=True)]
            names[name] = _met(sides[0], sides[1], left.worlds, right.worlds)
    narrowed = right.narrowed | left.narrowed
    for name in right.narrowed:
        narrowed[name] = _met(narrowed[name], right.narrowed[name], left.worlds, right.worlds)
    worlds, unsupported = left.worlds | right.worlds, left.unsupported and right.unsupported
    unusual = left.unusual if right.unusual is not None else None
    return StatementFlow(names, worlds, unsupported, left.seeded | right.seeded, narrowed, unusual)


def _met(left: Value, right: Value, worlds: frozenset[World], others: frozenset[World]) -> Value:
    """Return the value of a name where two paths meet; a setting that differs by run keeps both values.

    So does an array that is several outputs at the trace.
    """
    apart = len(worlds) == len(others) == 1 and worlds != others
    if apart:
        left, right = in_world(left, *worlds), in_world(right, *others)
    settings = isinstance(left, _SETTINGS) and isinstance(right, _SETTINGS) and left != right
    several = {type(left), type(right)} == {Tensor, Outputs}
    if not apart or not (settings or several or _is_flag(left) or _is_flag(right)):
        return join(left, right)
    sides = [replace(v, certain=True) if isinstance(v, StaticValue) and _is_flag(v) else v for v in (left, right)]
    return eager_trace_pair(*(sides if worlds == {"eager"} else sides[::-1]))


def _is_flag(value: Value) -> bool:
    return isinstance(value, StaticValue) and (value.value is None or isinstance(value.value, bool | str))
