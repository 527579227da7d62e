"""The part of the playground that runs under Pyodide: text in, findings and fixes out, both as plain data."""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import hybridlint
from hybridlint.core.diagnostic import Diagnostic, edits_of
from hybridlint.core.result import Result
from hybridlint.report.formats.frames import render
from hybridlint.report.report_options import ReportOptions
from hybridlint.report.style import severity_word
from hybridlint.text.edits import Edit, apply_edits
from hybridlint.text.source import SourceFile

FILE = "playground.py"


def answer(text: str, unsafe: bool) -> str:
    """Return the findings in a text as a terminal shows them, and what fixing changes, as JSON."""
    found = hybridlint.check_source(text, FILE)
    if found.failure is not None:
        return json.dumps({"failure": found.failure, "frames": [], "fixed": text, "changes": []})
    fixed = hybridlint.check_source(text, FILE, fix=True, unsafe_fixes=unsafe).fixed
    after = text if fixed is None else fixed.after
    return json.dumps(
        {
            "failure": None,
            "frames": _frames(found, unsafe),
            "fixed": after,
            "changes": list(difflib.unified_diff(text.split("\n"), after.split("\n"), n=2, lineterm=""))[2:],
        }
    )


def _frames(found: Result, unsafe: bool) -> list[dict[str, Any]]:
    """Return the frames of the terminal's report: the findings of a statement, the picture, and the text once fixed."""
    frames, remaining = [], list(found.diagnostics)
    for frame in render([found], ReportOptions(unsafe=unsafe)).split("\n\n")[:-1]:
        lines = frame.split("\n")
        count = sum(line.startswith(f"{FILE}:") for line in lines)
        members, remaining = remaining[:count], remaining[count:]
        findings = [{**each.to_json(), "word": severity_word(each)} for each in members]
        for each, finding in zip(members, findings, strict=True):
            finding["fixable"] = each.fixable(unsafe=unsafe, keep_eager=False)
        frames.append({"findings": findings, "picture": lines[count:], "fixed": _fixed(found.text, members, unsafe)})
    return frames


def _fixed(text: str, findings: Sequence[Diagnostic], unsafe: bool) -> str | None:
    """Return the text with the fixes of some findings, None without any; the first of two fixes that overlap counts."""
    source, edits, fixed = SourceFile(Path(FILE), text), dict[Edit, None](), None
    for finding in findings:
        if finding.fix is None or not finding.fixable(unsafe=unsafe, keep_eager=False):
            continue
        attempt = edits | dict.fromkeys(edits_of(finding.fix, source))
        try:
            fixed, edits = apply_edits(text, tuple(attempt)), attempt
        except ValueError:
            continue
    return fixed
