"""A compiled block in words: its graphs, the engines that run their parts, and their memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hybridlint.runtime.compiled.engines.protocol import ExecutionStep, Executor, Timed

#: Most operators of a step that are named.
_MOST_NAMED = 8
_UNITS = ("bytes", "KiB", "MiB", "GiB")


@dataclass(frozen=True, slots=True)
class CompiledGraph:
    """A graph that was compiled for the types of some inputs, and the use that it serves.

    `use` says whether calls predict, train or are recorded, or that it is the graph of a gradient. `inputs` has the
    name, the shape and the dtype of each argument; the graph of a gradient has none that users know.
    """

    use: str
    inputs: Sequence[tuple[str, tuple[int, ...], str]]
    executor: Executor

    def __str__(self) -> str:
        return self.text()

    def text(self, times: Sequence[Timed] = ()) -> str:
        """Return the steps in words, and below each step the times of its parts if they are known."""
        return "\n".join(self._lines(times))

    def _lines(self, times: Sequence[Timed]) -> Iterator[str]:
        given = ", ".join(f"{name} {shape} {dtype}" for name, shape, dtype in self.inputs)
        yield f"{self.use}{f' on {given}' if given else ''}"
        steps, plan = self.executor.steps, self.executor.plan
        engines = ", ".join(dict.fromkeys(step.engine for step in steps)) or "nothing to run"
        operators = _counted(sum(len(step.nodes) for step in steps), "operator")
        buffers = f"{_counted(len(plan.sizes), 'buffer')} of {_amount(plan.bytes_planned)} together"
        yield f"  {engines}: {operators} in {_counted(len(steps), 'step')}; {buffers}"
        if self.executor.compiling is not None:
            yield f"  {self.executor.compiling}"
        for way in self.executor.ways:
            yield f"  runs as: {way.name}" if way.refused is None else f"  not as {way.name}: {way.refused}"
        width = max((len(step.engine) for step in steps), default=0)
        for number, step in enumerate(steps, 1):
            yield f"  {number:>{len(str(len(steps)))}}  {step.engine:<{width}}  {_operators(step)}"
            if step.reason is not None:
                yield f"  {'':>{len(str(len(steps)))}}  {'':<{width}}  {step.reason}"
            yield from (f"{_microseconds(t.seconds):>14}  {t.what}" for t in times if t.step == number - 1)
        if times:
            yield f"{_microseconds(sum(t.seconds for t in times)):>14}  together"


@dataclass(frozen=True, slots=True)
class Explanation:
    """The compiled graphs of a block; as text, what each of them runs."""

    block: str
    graphs: tuple[CompiledGraph, ...]
    #: Why the block is run operator by operator, if it is.
    eager: str | None = None

    def __str__(self) -> str:
        if self.eager is not None:
            return f"{self.block} is not run as a graph: {self.eager}"
        return "\n\n".join([f"{self.block}: {_counted(len(self.graphs), 'compiled graph')}", *map(str, self.graphs)])


def _microseconds(seconds: float) -> str:
    return f"{seconds * 1e6:,.1f} us"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _operators(step: ExecutionStep) -> str:
    names = [node.op.name for node in step.nodes]
    more = f", and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def _amount(size: int) -> str:
    """Return a number of bytes in the largest unit that it has at least one of."""
    amount, unit = float(size), 0
    while amount >= 1024 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1024, unit + 1
    return f"{amount:.1f} {_UNITS[unit]}" if unit else f"{size} {_UNITS[0]}"
