"""The order in which inputs are tried.

Several ways to build a block (sets of constructor arguments) take turns. Inputs that fail are repaired by their errors.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from enum import Enum
from math import log
from typing import TYPE_CHECKING

from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.inputs.repairs import spatial_sizes
from hybridlint.proving.child.inputs.repairs.error_repairs import of_block, repair_by_error
from hybridlint.proving.child.specs.spec import Spec
from hybridlint.proving.child.unequal_sizes import swaps

if TYPE_CHECKING:
    from collections.abc import Callable

    #: A generator of inputs for one way to build a block. It receives each failure through `send`. When it yields None,
    #: another way to build the block takes its turn first.
    Line = Generator["dict[str, Spec] | None", "Failure | None", None]
    Mended = Generator[dict[str, Spec], "Failure | None", None]

#: Most ways to build a block, and most inputs of one way in a row without any that runs further than earlier ones.
MOST_BUILT, TURN = 16, 8
#: Most inputs of one way in a row.
LONGEST_TURN = 120
#: Most repaired versions of one set of inputs.
MOST_REPAIRS = 12
#: Numbers, but not those in node names of a graph.
_DIGITS = re.compile(r"(?<!\w)[\d, ]+")


class CandidateScheduler:
    """An iterable of (constructor arguments, inputs) to try: several ways to build a block take turns.

    So the likely inputs for each way come before the unlikely ones of another. `line` returns the generator of inputs
    for one way.
    """

    def __init__(
        self, constructions: Iterator[ConstructorArguments], line: Callable[[ConstructorArguments], Line]
    ) -> None:
        self.constructions = constructions
        self.line = line
        self.built: list[ConstructorArguments] = []
        self.failed = 0
        self._current = 0
        self._failures: dict[int, Failure] = {}
        #: For each way, the rows (one per stack frame) where its inputs failed: those of the inputs that ran furthest.
        self._furthest: dict[int, tuple[int, ...]] = {}
        self._left = 0

    def report(self, found: Failure) -> None:
        """Record that the inputs yielded last failed with `found`; their line receives it on its next turn."""
        self._failures[self._current] = found
        self.failed += 1
        if found.rows > self._furthest.get(self._current, ()):
            # Inputs that run further than earlier ones are promising, so this way gets a full turn again.
            self._furthest[self._current] = found.rows
            self._left = TURN

    def __iter__(self) -> Iterator[tuple[ConstructorArguments, dict[str, Spec]]]:
        """Yield pairs of constructor arguments and inputs. Raises NotRunError if no arguments build the block."""
        open_: list[tuple[ConstructorArguments, Line]] = []
        waiting: list[tuple[ConstructorArguments, Line]] = []
        while True:
            fresh = next(self.constructions, None) if len(self.built) < MOST_BUILT else None
            if fresh is not None:
                self.built.append(fresh)
                open_.append((fresh, self.line(fresh)))
            if not open_:
                return
            turns = [open_[-1], *waiting] if fresh is not None else list(open_)
            waiting = []
            for built, line in turns:
                state = yield from self._turn(built, line)
                if state is _Turn.OVER:
                    open_.remove((built, line))
                elif state is _Turn.PASSED:
                    waiting.append((built, line))

    def _turn(
        self, built: ConstructorArguments, line: Line
    ) -> Generator[tuple[ConstructorArguments, dict[str, Spec]], None, _Turn]:
        self.failed = 0
        self._current = id(line)
        self._left = TURN
        for _ in range(LONGEST_TURN):
            if not self._left:
                break
            self._left -= 1
            try:
                inputs = line.send(self._failures.pop(self._current, None))
            except StopIteration:
                return _Turn.OVER
            if inputs is None:
                return _Turn.PASSED
            yield built, inputs
        return _Turn.TAKEN


class _Turn(Enum):
    """How a turn of a line ends: without tries left, by waiting for another line, or without inputs."""

    TAKEN = "taken"
    PASSED = "passed"
    OVER = "over"


def repair_inputs(
    inputs: Mapping[str, Spec],
    failed: Failure,
    seen: set[str],
    sizes: Callable[[Mapping[str, Spec]], dict[str, int]],
    most: int = MOST_REPAIRS,
    *,
    large: bool = False,
    owned: Sequence[int] = (),
) -> Mended:
    """Yield repaired versions of `inputs`, which failed with `failed`; each receives its own failure through `send`.

    Inputs in `seen` are not yielded again. `sizes` returns a number for each named size of inputs. `most` limits the
    inputs yielded in a row without a new error. `large` allows large images, for callers that infer shapes and run
    nothing. `owned` are sizes of the block's parameters and constructor arguments.
    """
    ways = _Ways()
    ways.add(_repaired(inputs, sizes, failed, owned), failed, fresh=False)
    left = most
    while left:
        way = ways.next()
        if way is None:
            return
        tried, earlier = way
        if str(tried) in seen or (not large and spatial_sizes.large(tried)):
            continue
        seen.add(str(tried))
        left -= 1
        again = yield tried
        if again is None:
            continue
        # A repair succeeded if another error comes first now, and no earlier one.
        fresh = not _same(again.sentence, earlier.sentence) and again.rows >= earlier.rows
        ways.add(_repaired(tried, sizes, again, owned), again, fresh=fresh)
        if fresh:
            left = max(left, most // 2)


def _repaired(
    inputs: Mapping[str, Spec],
    sizes: Callable[[Mapping[str, Spec]], dict[str, int]],
    failed: Failure,
    owned: Sequence[int],
) -> Iterator[dict[str, Spec]]:
    """Yield all repaired versions of `inputs`, which failed with `failed`."""
    yield from repair_by_error(inputs, sizes(inputs), failed)
    yield from of_block(inputs, owned)


class _Ways:
    """A priority queue of inputs to try, each with the error that led to it.

    Inputs repaired after the latest new error come first. Among errors that differ only in their numbers, the one that
    reports the smallest mismatch of sizes comes first. Most inputs never have their turn, and are not made.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Iterator[dict[str, Spec]], Failure]] = []
        self._count = 0
        self._fresh = 0

    def add(self, found: Iterator[dict[str, Spec]], failed: Failure, *, fresh: bool) -> None:
        """Queue the sets of inputs `found`, repaired after the error `failed`.

        `fresh` says that this error was not seen before.
        """
        self._fresh += fresh
        self._count += 1
        rank = -float(self._fresh) if fresh else _distance(failed.sentence)
        heapq.heappush(self._heap, (rank, self._count, found, failed))

    def next(self) -> tuple[dict[str, Spec], Failure] | None:
        """Remove and return the first inputs and the error that led to them, None if the queue is empty."""
        while self._heap:
            _, _, found, failed = self._heap[0]
            inputs = next(found, None)
            if inputs is not None:
                return inputs, failed
            heapq.heappop(self._heap)
        return None


def _distance(sentence: str) -> float:
    """Return the distance between the sizes that an error says should be equal: the sum of their log ratios."""
    return sum(abs(log(new / old)) for old, new in swaps(sentence) if old and new)


def first_fitting(
    line: Mended, check: Callable[[Mapping[str, Spec]], Failure | None], deadline: float
) -> dict[str, Spec] | None:
    """Return the first inputs of a line for which `check` returns no failure, None if none are found in time."""
    refusal: Failure | None = None
    while now() < deadline:
        try:
            inputs = line.send(refusal)
        except StopIteration:
            return None
        refusal = check(inputs)
        if refusal is None:
            return inputs
    return None


def _same(left: str, right: str) -> bool:
    """Whether two errors differ only in their numbers."""
    return _DIGITS.sub("", left) == _DIGITS.sub("", right)
