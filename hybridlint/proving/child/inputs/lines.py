"""The order in which inputs are tried: several ways to build a block take turns, and errors lead to repairs."""

from __future__ import annotations

import heapq
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from enum import Enum
from math import log
from typing import TYPE_CHECKING

from hybridlint.proving.child.build.arguments import Arguments
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.inputs import spatial
from hybridlint.proving.child.inputs.repairs import of_block, repaired, swaps
from hybridlint.proving.child.inputs.specs import Spec

if TYPE_CHECKING:
    from collections.abc import Callable

    #: Yields inputs for one way to build a block, and receives the failure of each through `send`. Yielding None lets
    #: one other way go first.
    Line = Generator["dict[str, Spec] | None", "Failure | None", None]
    Mended = Generator[dict[str, Spec], "Failure | None", None]

#: Most ways to build a block that are tried, and most inputs of one way in a row without getting further.
MOST_BUILT, TURN = 16, 8
#: Most inputs of one way in a row.
LONGEST_TURN = 120
#: Most repaired versions of one set of inputs.
MOST_REPAIRS = 12
#: Numbers, but not those in node names of a graph.
_DIGITS = re.compile(r"(?<!\w)[\d, ]+")


class Lines:
    """Inputs for several ways to build a block, in turns, so that the likely inputs of each come first."""

    def __init__(self, constructions: Iterator[Arguments], line: Callable[[Arguments], Line]) -> None:
        self.constructions = constructions
        self.line = line
        self.built: list[Arguments] = []
        self.failed = 0
        self._current = 0
        self._failures: dict[int, Failure] = {}
        #: The rows that the inputs of each way got to, the furthest ones.
        self._furthest: dict[int, tuple[int, ...]] = {}
        self._left = 0

    def tell(self, found: Failure) -> None:
        """Report how the inputs yielded last failed."""
        self._failures[self._current] = found
        self.failed += 1
        if found.rows > self._furthest.get(self._current, ()):
            # What gets further is gone after before the block is built in other ways.
            self._furthest[self._current] = found.rows
            self._left = TURN

    def __iter__(self) -> Iterator[tuple[Arguments, dict[str, Spec]]]:
        """Yield pairs of arguments and inputs. Raises NotRunError if nothing can be built."""
        open_: list[tuple[Arguments, Line]] = []
        waiting: list[tuple[Arguments, Line]] = []
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

    def _turn(self, built: Arguments, line: Line) -> Generator[tuple[Arguments, dict[str, Spec]], None, _Turn]:
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
    """How the turn of a line ends: used up, passed on to the next construction, or with the line exhausted."""

    TAKEN = "taken"
    PASSED = "passed"
    OVER = "over"


def mended(
    inputs: Mapping[str, Spec],
    failed: Failure,
    seen: set[str],
    sizes: Callable[[Mapping[str, Spec]], dict[str, int]],
    most: int = MOST_REPAIRS,
    *,
    large: bool = False,
    owned: Sequence[int] = (),
) -> Mended:
    """Yield inputs that errors ask for, one error after the other; inputs in `seen` are not repeated.

    `sizes` returns a number for each named size of inputs. `most` limits the inputs yielded without a new error.
    `large` allows large images, which cost nothing if nothing runs. `owned` are sizes that the block itself has.
    """
    ways = _Ways()
    ways.add([*repaired(inputs, sizes(inputs), failed), *of_block(inputs, owned)], failed, fresh=False)
    left = most
    while left:
        way = ways.next()
        if way is None:
            return
        tried, earlier = way
        if str(tried) in seen or (not large and spatial.large(tried)):
            continue
        seen.add(str(tried))
        left -= 1
        again = yield tried
        if again is None:
            continue
        # A repair succeeded if another error comes first now, and no earlier one.
        fresh = not _same(again.sentence, earlier.sentence) and again.rows >= earlier.rows
        ways.add([*repaired(tried, sizes(tried), again), *of_block(tried, owned)], again, fresh=fresh)
        if fresh:
            left = max(left, most // 2)


class _Ways:
    """A queue of inputs to try, with the errors that led to them: those after the latest new error come first.

    If an error only changed its numbers, inputs come first for which its sizes are closest to each other.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, dict[str, Spec], Failure]] = []
        self._count = 0
        self._fresh = 0

    def add(self, found: Sequence[dict[str, Spec]], failed: Failure, *, fresh: bool) -> None:
        """Add inputs that were repaired after an error."""
        self._fresh += fresh
        rank = -float(self._fresh) if fresh else _distance(failed.sentence)
        for inputs in found:
            self._count += 1
            heapq.heappush(self._heap, (rank, self._count, inputs, failed))

    def next(self) -> tuple[dict[str, Spec], Failure] | None:
        """Remove and return the first inputs and the error that led to them, None if the queue is empty."""
        if not self._heap:
            return None
        _, _, inputs, failed = heapq.heappop(self._heap)
        return inputs, failed


def _distance(sentence: str) -> float:
    """Return how far apart the sizes are that an error says should be equal: the sum of their log ratios."""
    return sum(abs(log(new / old)) for old, new in swaps(sentence) if old and new)


def first_fitting(
    line: Mended, check: Callable[[Mapping[str, Spec]], Failure | None], deadline: float
) -> dict[str, Spec] | None:
    """Return the first inputs of a line for which `check` returns no failure, None if none are found in time."""
    told: Failure | None = None
    while now() < deadline:
        try:
            inputs = line.send(told)
        except StopIteration:
            return None
        told = check(inputs)
        if told is None:
            return inputs
    return None


def _same(left: str, right: str) -> bool:
    """Whether two errors differ only in their numbers."""
    return _DIGITS.sub("", left) == _DIGITS.sub("", right)
