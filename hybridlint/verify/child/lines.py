"""The order in which inputs are tried: for several ways to build a block in turns, and mended after their errors."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping
from enum import Enum
from typing import TYPE_CHECKING

from hybridlint.verify.child import spatial
from hybridlint.verify.child.arguments import Arguments
from hybridlint.verify.child.clock import now
from hybridlint.verify.child.errors import Failure
from hybridlint.verify.child.repairs import repaired
from hybridlint.verify.child.specs import Spec

if TYPE_CHECKING:
    from collections.abc import Callable

    #: Gives inputs for one way to build a block, and is sent how they fail. With None it lets one other
    #: way go first.
    Line = Generator["dict[str, Spec] | None", "Failure | None", None]
    Mended = Generator[dict[str, Spec], "Failure | None", None]

#: Ways to build a block that are tried at most, and inputs of one of them in a row.
MOST_BUILT, TURN = 16, 8
#: Inputs that are made of one by mending it.
MOST_REPAIRS = 6
_DIGITS = re.compile(r"[\d, ]+")


class Lines:
    """Inputs for several ways to build a block, in turns: the likeliest of each come before the unlikely of any."""

    def __init__(self, constructions: Iterator[Arguments], line: Callable[[Arguments], Line]) -> None:
        self.constructions = constructions
        self.line = line
        self.built: list[Arguments] = []
        self.failed = 0
        self._current = 0
        self._failures: dict[int, Failure] = {}

    def tell(self, found: Failure) -> None:
        """Say how the inputs fail that were given last."""
        self._failures[self._current] = found
        self.failed += 1

    def __iter__(self) -> Iterator[tuple[Arguments, dict[str, Spec]]]:
        """Iterate over arguments and inputs. Raises NotRunError where nothing can be built."""
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
        for _ in range(TURN):
            try:
                inputs = line.send(self._failures.pop(self._current, None))
            except StopIteration:
                return _Turn.OVER
            if inputs is None:
                return _Turn.PASSED
            yield built, inputs
        return _Turn.TAKEN


class _Turn(Enum):
    """How the turn of a line ends: with all that it may give, given up for the next construction, or with the line."""

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
) -> Mended:
    """Give inputs that errors ask for, one error after the other; what was `seen` is not given again.

    `sizes` tells what the named sizes of inputs stand for, `most` how many are given without another error,
    `large` whether images may be large: where nothing runs, they cost nothing.
    """
    pending = [(other, failed.sentence) for other in repaired(inputs, sizes(inputs), failed)]
    left = most
    while pending and left:
        tried, earlier = pending.pop(0)
        if str(tried) in seen or (not large and spatial.large(tried)):
            continue
        seen.add(str(tried))
        left -= 1
        again = yield tried
        if again is None:
            continue
        more = [(other, again.sentence) for other in repaired(tried, sizes(tried), again)]
        if _same(again.sentence, earlier):
            pending += more
        else:
            # What was mended is so: another error comes first now.
            pending[:0] = more
            left = max(left, most // 2)


def first_fitting(
    line: Mended, check: Callable[[Mapping[str, Spec]], Failure | None], deadline: float
) -> dict[str, Spec] | None:
    """Return the first inputs of a line that `check` has nothing against, None where there are none in time."""
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
    """Whether two errors are one but for the numbers in them."""
    return _DIGITS.sub("", left) == _DIGITS.sub("", right)
