"""Helpers shared by the formats for people: colours, file names, the mark of a fix."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from click import style

from hybridlint.text.visible import escape_name

if TYPE_CHECKING:
    from hybridlint.core.diagnostic import Diagnostic
    from hybridlint.core.result import Result
    from hybridlint.report.report_options import ReportOptions

_COLOURS = {"error": "red", "warning": "yellow", "info": "blue", "possible": "magenta"}


def colour(diagnostic: Diagnostic) -> str:
    """Return the colour of a diagnostic's severity."""
    return _COLOURS[diagnostic.severity]


def severity_word(diagnostic: Diagnostic) -> str:
    """Return the severity of a diagnostic as reports call it: error, warning, note or possible."""
    return "note" if diagnostic.severity == "info" else diagnostic.severity


def heading(diagnostic: Diagnostic, manner: ReportOptions) -> str:
    """Return code and severity, ``HYB101 [*] error:``, with ``[*]`` where ``--fix`` would fix the finding."""
    code = style(diagnostic.code, fg=colour(diagnostic), bold=True)
    fixable = diagnostic.fixable(unsafe=manner.unsafe, keep_eager=manner.keep_eager)
    mark = f" [{style('*', fg='cyan')}]" if fixable else ""
    return f"{code}{mark} {style(severity_word(diagnostic), fg=colour(diagnostic))}:"


def place(path: Path, row: int, columns: int) -> str:
    """Return ``path:row`` in lines of limited width, broken after slashes where that is possible."""
    *folders, last = _relative(path).split(os.sep)
    lines = [""]
    for part in [*(f"{folder}{os.sep}" for folder in folders), f"{last}:{row}"]:
        if lines[-1] and len(lines[-1]) + len(part) > columns:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def uri_path(path: Path) -> str:
    """Return a path as programs on other machines read it: with slashes, relative below the current folder."""
    return _relative(path).replace(os.sep, "/")


def show_file(result: Result) -> str:
    """Return the name of a result's file as a user would type it, and its cell: ``net.ipynb:cell 3``."""
    return show_path(result.path) + ("" if result.cell is None else f":cell {result.cell}")


def show_path(path: Path) -> str:
    """Return a path as a user would type it: relative below the current folder, and on one line."""
    return escape_name(_relative(path))


def _relative(path: Path) -> str:
    try:
        return str(Path(os.path.abspath(path)).relative_to(os.getcwd()))
    except ValueError:
        return str(path)
