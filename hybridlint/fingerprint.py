"""Fingerprints: what identifies a finding when lines move, from run to run and from version to version of a file."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridlint.text.source import SourceFile

if TYPE_CHECKING:
    from hybridlint.diagnostic import Diagnostic
    from hybridlint.result import Result

_LENGTH = 16


def fingerprints(result: Result, name: str) -> Iterator[str]:
    """Yield the fingerprint of each diagnostic of a result, in their order: sixteen hexadecimal digits.

    A fingerprint is made of the file's `name`, the rule's code and the text of the lines found, without indentation.
    Equal findings of a file are numbered from the top. Messages are left out: they may change with the code around.
    """
    source = SourceFile(result.path, result.text)
    seen: Counter[tuple[str, str]] = Counter()
    for diagnostic in result.diagnostics:
        place = (diagnostic.code, _lines(diagnostic, source))
        seen[place] += 1
        whole = "\0".join((name, *place, str(seen[place])))
        yield hashlib.sha256(whole.encode(errors="surrogatepass")).hexdigest()[:_LENGTH]


def _lines(diagnostic: Diagnostic, source: SourceFile) -> str:
    first, last = diagnostic.location.row, diagnostic.end_location.row
    return "\n".join(source.line(row).strip() for row in range(first, min(last, len(source.line_starts)) + 1))
