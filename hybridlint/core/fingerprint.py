"""What identifies a finding when lines move, from run to run and from version to version of a file."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridlint.core.diagnostic import stripped_lines
from hybridlint.text.source import SourceFile

if TYPE_CHECKING:
    from hybridlint.core.diagnostic import Diagnostic
    from hybridlint.core.result import Result

_LENGTH = 16


def identities(result: Result) -> Iterator[tuple[str, str]]:
    """Yield the rule's code and the text of the lines, without indentation, of each diagnostic of a result, in order.

    Messages are left out: they may change with the code around a finding.
    """
    source = SourceFile(result.path, result.text)
    return ((diagnostic.code, _lines(diagnostic, source)) for diagnostic in result.diagnostics)


def fingerprints(result: Result, name: str) -> Iterator[str]:
    """Yield the fingerprint of each diagnostic of a result, in their order: sixteen hexadecimal digits.

    A fingerprint is made of the file's `name` and the finding's identity. Equal findings are numbered from the top.
    """
    seen: Counter[tuple[str, str]] = Counter()
    for identity in identities(result):
        seen[identity] += 1
        whole = "\0".join((name, *identity, str(seen[identity])))
        yield hashlib.sha256(whole.encode(errors="surrogatepass")).hexdigest()[:_LENGTH]


def _lines(diagnostic: Diagnostic, source: SourceFile) -> str:
    return stripped_lines(source, diagnostic.location.row, diagnostic.end_location.row)
