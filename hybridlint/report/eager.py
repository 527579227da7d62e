"""Sentences about classes that fixes keep eager: they run, and are not compiled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from click import style

from hybridlint.report.style import show_file
from hybridlint.text.kept_eager import made_eager
from hybridlint.text.source import SourceError, SourceFile

if TYPE_CHECKING:
    from hybridlint.core.result import Result


def kept_eager(results: Sequence[Result], *, written: bool) -> Iterator[str]:
    """Yield a sentence for each class that stays eager since fixing, or would if the fixes were `written`."""
    verb = "stays eager now" if written else "would stay eager"
    for result in results:
        for name, row in _made_eager(result):
            place = f"{show_file(result)}:{row}"
            yield f"{style('note', fg='cyan', bold=True)}: {place}: `{name}` {verb}: only its children are compiled\n"


def _made_eager(result: Result) -> Iterator[tuple[str, int]]:
    """Yield the name and the row of each class that overrides `hybridize` after fixing and did not before."""
    fixed = result.fixed
    if fixed is None or fixed.after.count("def hybridize(") == fixed.before.count("def hybridize("):
        return
    with suppress(SourceError):
        trees = (SourceFile(result.path, text).tree for text in (fixed.before, fixed.after))
        yield from ((name.rpartition(".")[2], row) for name, row in made_eager(*trees))
