"""A generator protocol: work on a text yields the text, and receives the findings of that text.

So analysis and fixing take turns in one loop of whoever runs the work, and neither calls the other.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from hybridlint.runtime.facts.records import record

if TYPE_CHECKING:
    from hybridlint.rule import Finding
    from hybridlint.text.source import SourceFile

T = TypeVar("T")


@record(frozen=True, slots=True)
class FindingsRequest:
    """A request for the findings of a text; with `possible`, those that can be neither proved nor refuted too.

    Of the findings in the module's definitions called `without` none are asked for.
    """

    source: SourceFile
    possible: bool = False
    without: frozenset[str] = frozenset()


#: Work that yields requests, is sent the findings of each, and returns a T.
Asking: TypeAlias = Generator[FindingsRequest, "Sequence[Finding]", T]


def run_with_findings(work: Asking[T], answer: Callable[[FindingsRequest], Sequence[Finding]]) -> T:
    """Run work, with a function that returns the findings it asks for."""
    try:
        asked = next(work)
        while True:
            asked = work.send(answer(asked))
    except StopIteration as end:
        result: T = end.value
        return result
