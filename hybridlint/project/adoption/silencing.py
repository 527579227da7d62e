"""Comments that silence what is found: ``# noqa: HYB101`` at the end of each line with a finding."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hybridlint.core.result import Fixed, Result
from hybridlint.project.documents.document import form_of, read_source
from hybridlint.project.files.original import read
from hybridlint.rule import find_rule
from hybridlint.runtime.facts.records import replace
from hybridlint.text.source import SourceError, SourceFile

if TYPE_CHECKING:
    from hybridlint.core.diagnostic import Diagnostic

#: A comment that names codes, up to the last of them.
_NAMED = re.compile(r"#\s*noqa\s*:\s*[A-Z][A-Z0-9]*(?:[,\s]+[A-Z]+[0-9]+)*", re.IGNORECASE)


def silence_findings(result: Result, protected: Sequence[str] = ()) -> Result:
    """Return a result with a comment for each finding added to its text, and the findings that remain.

    Findings of the rules that `protected` selects remain, because no comment silences them.

    A file that cannot be read or written back unchanged, or that has changed since the check, gets a failure.
    """
    found = [d for d in result.diagnostics if not d.of_whole_file and not is_protected(d, protected)]
    if not found:
        return result
    try:
        data, identity = read(result.path)
        source = read_source(result.path, data)
    except (OSError, SourceError) as error:
        return _failed(result.path, f"cannot read the file: {getattr(error, 'strerror', None) or error}")
    if source.text != result.text:
        return _failed(result.path, "the file changed while it was checked: no comment was added")
    if not source.faithful:
        return _failed(result.path, f"text in {source.encoding} cannot be written back as it was: no comment was added")
    left = tuple(diagnostic for diagnostic in result.diagnostics if diagnostic not in found)
    after = with_comments(source, found)
    document = None if form_of(result.path) is None else data
    fixed = Fixed(source.text, after, source.encoding, identity=identity, document=document)
    return replace(result, text=after if left else "", diagnostics=left, fixed=fixed)


def is_protected(found: Diagnostic, protected: Iterable[str]) -> bool:
    """Whether the rule of a finding is one that no comment may silence."""
    rule = find_rule(found.code)
    return rule is not None and any(rule.selected_by(selector) for selector in protected)


def with_comments(source: SourceFile, found: Iterable[Diagnostic]) -> str:
    """Return the text with a comment on each finding's line. Codes join those of a comment that is there."""
    codes: dict[int, set[str]] = {}
    for diagnostic in found:
        codes.setdefault(diagnostic.noqa_row, set()).add(diagnostic.code)
    lines = _lines(source)
    for row, added in codes.items():
        line = lines[row - 1]
        text = line.rstrip("\r\n")
        lines[row - 1] = _commented(text, added) + line[len(text) :]
    return "".join(lines)


def _lines(source: SourceFile) -> list[str]:
    ends = [*source.line_starts[1:], len(source.text)]
    return [source.text[start:end] for start, end in zip(source.line_starts, ends, strict=True)]


def _commented(line: str, codes: Collection[str]) -> str:
    listed = ", ".join(sorted(codes))
    named = _NAMED.search(line)
    if named:
        return f"{line[: named.end()]}, {listed}{line[named.end() :]}"
    return f"{line.rstrip()}  # noqa: {listed}"


def _failed(path: Path, reason: str) -> Result:
    return Result(path, failure=reason)
