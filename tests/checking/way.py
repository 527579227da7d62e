"""The way of one file through the program: which part calls which, in order, as `sys.setprofile` sees it.

    python -m tests.checking.way FILE [OPTION ...]

prints the visits of ``hybridlint check --no-cache OPTIONS FILE``. A visit begins where a function of one part calls one
of another part. It is one visit however often the same call of a function calls there: a loop over what another part
yields is one visit. Counted are the parts that the file goes through. What they ask on the way is no station: text,
settings, the record of real runs, and the words that all parts speak. Rules, fixers and facts of the runtime are
inside an analysis, as is the module that hands the interpreter's events to the rules. Imports of modules do not count.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import hybridlint

PACKAGE = os.path.dirname(os.path.abspath(str(hybridlint.__file__)))
STATIONS = ("commands", "checking", "files", "analysis", "fixing", "proving", "report")
#: The functions that import modules: what a finder of modules does is no visit either.
IMPORTS = {"<module>", "_find_and_load"}
#: What the parts ask on the way: imports in texts, a cluster, and the record of real runs.
ASKED = tuple(
    os.path.join(*rooms, "") for rooms in (("analysis", "imports"), ("checking", "cluster"), ("proving", "recording"))
)
#: A module of another part that begins an analysis.
BEGINS = os.path.join("checking", "findings.py")


@dataclass
class Way:
    """The visits, in order: the part that called, and the part that was called with the function's name."""

    visits: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def counts(self) -> Counter[str]:
        """How often each part was entered."""
        return Counter(part for _, part, _ in self.visits)


def _part(frame: FrameType) -> str | None:
    """Return the station that a function belongs to, None for what is none."""
    path = frame.f_code.co_filename
    if not path.startswith(PACKAGE + os.sep):
        return None
    place = path[len(PACKAGE) + 1 :]
    if place == BEGINS:
        return "analysis"
    if place.startswith(ASKED):
        return None
    part, *rest = place.split(os.sep)
    # These packages are rooms of one house each: the file goes through one of their rooms.
    part = rest[0] if part in ("frontends", "project") else part
    return part if part in STATIONS else None


@contextmanager
def followed() -> Iterator[Way]:
    """Record the visits of this thread."""
    way = Way()
    threads: dict[int, _Thread] = {}
    first = threading.get_ident()

    def profile(frame: FrameType, event: str, _: Any) -> None:
        number = threading.get_ident()
        # The threads that are begun are those of the proofs.
        thread = threads.setdefault(number, _Thread(way, None if number == first else "proving"))
        if event == "call":
            thread.called(frame)
        elif event == "return":
            thread.returned(frame)

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        yield way
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


class _Thread:
    """The functions of stations that have not returned in one thread; `root` is the part that began it."""

    def __init__(self, way: Way, root: str | None) -> None:
        self.way = way
        #: Frames, their parts, and the parts that each has called.
        self.stack: list[tuple[FrameType | None, str, set[str]]] = [] if root is None else [(None, root, set())]
        self.importing: list[FrameType] = []

    def called(self, frame: FrameType) -> None:
        if frame.f_code.co_name in IMPORTS:
            self.importing.append(frame)
        part = None if self.importing else _part(frame)
        if part is None:
            return
        if self.stack and self.stack[-1][1] != part and part not in self.stack[-1][2]:
            self.stack[-1][2].add(part)
            self.way.visits.append(
                (self.stack[-1][1], part, getattr(frame.f_code, "co_qualname", frame.f_code.co_name))
            )
        self.stack.append((frame, part, set()))

    def returned(self, frame: FrameType) -> None:
        if self.importing and self.importing[-1] is frame:
            self.importing.pop()
        elif self.stack and self.stack[-1][0] is frame:
            self.stack.pop()


def of_check(arguments: Sequence[str]) -> Way:
    """Return the way of ``hybridlint check`` with these arguments, run in this process without a cache."""
    from hybridlint.frontends.commands.check import command

    with followed() as way:
        command.main(["--no-cache", *arguments], standalone_mode=False)
    return way


def main() -> None:
    """Print the visits of a check with the options and files in the arguments."""
    way = of_check(sys.argv[1:])
    for caller, part, function in way.visits:
        print(f"{caller:>9} -> {part:9} {function}")
    print(", ".join(f"{part} {count}" for part, count in way.counts.most_common()))


if __name__ == "__main__":
    main()
