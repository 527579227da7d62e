"""JUnit's XML, which nearly every build server reads: a suite per file, a failed case per finding.

A file without findings has one case that passes, so that a clean run is not an empty one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from hybridlint.report.style import severity_word, uri_path
from hybridlint.text.visible import escape_name

if TYPE_CHECKING:
    from pathlib import Path

    from hybridlint.core.diagnostic import Diagnostic
    from hybridlint.core.result import Result
    from hybridlint.report.report_options import ReportOptions

FOR_PROGRAMS = True

#: Many readers show a message up to its first line break.
_BREAK = re.compile(r"\s*[\r\n]\s*")
#: Characters that no XML 1.0 document may hold.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(results: Sequence[Result], manner: ReportOptions) -> str:
    """Return the document."""
    suites = [_suite(result) for result in results]
    root = ElementTree.Element("testsuites", {"name": "hybridlint", **_totals(suites)})
    root.extend(suites)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _suite(result: Result) -> ElementTree.Element:
    path = escape_name(uri_path(result.path))
    cases = [_case(path, result.path, found) for found in result.diagnostics]
    if result.failure is not None:
        cases.append(_with("error", ElementTree.Element("testcase", name="check", classname=path), result.failure))
    if not cases:
        cases.append(ElementTree.Element("testcase", name="check", classname=path))
    counts = {
        "tests": len(cases),
        "failures": len(result.diagnostics),
        "errors": int(result.failure is not None),
        "skipped": 0,
    }
    suite = ElementTree.Element("testsuite", {"name": path, **{name: str(number) for name, number in counts.items()}})
    suite.extend(cases)
    return suite


def _case(path: str, found_in: Path, found: Diagnostic) -> ElementTree.Element:
    start = found.location
    name = f"{found.code} {found.name}, line {start.row}, column {start.column}"
    file = _clean(uri_path(found_in))
    case = ElementTree.Element("testcase", name=name, classname=path, file=file, line=str(start.row))
    text = f"{path}:{start.row}:{start.column}: {found.code} {severity_word(found)}: {found.message}"
    return _with("failure", case, found.message, kind=found.severity, text=text)


def _with(
    outcome: str, case: ElementTree.Element, message: str, *, kind: str = "error", text: str = ""
) -> ElementTree.Element:
    """Return the case with an outcome that is not a success."""
    element = ElementTree.SubElement(case, outcome, message=_on_one_line(message), type=kind)
    element.text = _on_one_line(text) or None
    return case


def _totals(suites: Sequence[ElementTree.Element]) -> dict[str, str]:
    return {
        name: str(sum(int(suite.get(name, "0")) for suite in suites))
        for name in ("tests", "failures", "errors", "skipped")
    }


def _on_one_line(text: str) -> str:
    return _BREAK.sub(" ", _clean(text))


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
