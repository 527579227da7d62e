"""A self-contained HTML page: scores, findings, diffs, proofs and graphs, without network access."""

from __future__ import annotations

import ast
import difflib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.report.page_origin import origin
from hybridlint.report.page_script import SCRIPT
from hybridlint.report.page_style import STYLE
from hybridlint.report.picture import picture
from hybridlint.report.proof import details
from hybridlint.report.style import show_file
from hybridlint.report.summary import count_fixed, fixes
from hybridlint.rule import find_rule
from hybridlint.runtime.facts.records import record
from hybridlint.text.source import SourceError, SourceFile

if TYPE_CHECKING:
    from hybridlint.core.diagnostic import Diagnostic
    from hybridlint.core.result import Result

_QUOTED = re.compile("`([^`]*)`")
_CONTEXT = 2
_LONGEST = 8
#: How the reason begins of an outcome with fixes that are not written.
_WITH_FIX = "with `--fix`: "
#: Severities that lower the score of a class.
_COUNTED = ("error", "warning")
#: The highest scores of a class whose results may differ without an error, and of one that was refuted.
_MOST_SILENT, _MOST_REFUTED = 40, 20
_ABOUT = (
    "The score of a class is the share of its lines of code without an error or a warning. It is at most "
    f"{_MOST_SILENT} where a result may silently differ, and at most {_MOST_REFUTED} where a proof refutes. A proof "
    "runs a block eagerly and in every other way on seeded inputs, and speaks for these inputs. In a graph, green "
    "nodes agree; the red one with a cross is where the runs part, or where the graph cannot be run. Shapes are those "
    "of one call."
)


@record(frozen=True, slots=True)
class _Part:
    """A class, or the code outside all classes: the rows from `first` to `last`, and what is reported about them."""

    name: str
    anchor: str
    hybrid: bool
    first: int
    last: int
    score: int
    diagnostics: tuple[Diagnostic, ...]
    outcomes: tuple[ProofOutcome, ...]


@record(frozen=True, slots=True)
class _File:
    shown: str
    source: SourceFile
    result: Result
    parts: tuple[_Part, ...]


def render(results: Sequence[Result], *, written: bool = True) -> str:
    """Return the page as HTML. Files without hybrid classes, findings or proofs are left out.

    With `written`, findings and lines refer to the files after fixing, otherwise to the files before.
    """
    files = [file for k, result in enumerate(results) if (file := _file(result, k, written=written)) is not None]
    body = [*_summary(files, written=written), *(line for file in files for line in _section(file))]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>hybridlint report</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + f"\n<footer>{_ABOUT}</footer>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
    )


# -- what there is to show


def _file(result: Result, number: int, *, written: bool) -> _File | None:
    try:
        source = _source(result, written=written)
    except (SourceError, OSError):
        return None
    classes = list(_classes(source))
    parts = [_part(node, source, result, f"f{number}-{node.lineno}") for node in classes]
    known = {d for part in parts for d in part.diagnostics}
    shown = {id(o) for part in parts for o in part.outcomes}
    rest = tuple(d for d in result.diagnostics if d not in known)
    others = tuple(o for o in result.proof if id(o) not in shown)
    if rest or others:
        last = len(source.line_starts)
        parts.append(_Part("outside of hybrid classes", f"f{number}-rest", False, 1, last, 100, rest, others))
    return _File(show_file(result), source, result, tuple(parts)) if parts else None


def _classes(source: SourceFile) -> Iterator[ast.ClassDef]:
    """Yield the hybrid classes of a file; none if it does not parse, as a notebook's cell with a magic."""
    try:
        yield from (node for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef) and _hybrid(node))
    except SourceError:
        return


def _source(result: Result, *, written: bool) -> SourceFile:
    if result.fixed is not None:
        return SourceFile(result.path, result.fixed.after if written else result.fixed.before)
    return SourceFile(result.path, result.text) if result.text else SourceFile.read(result.path)


def _hybrid(node: ast.ClassDef) -> bool:
    return any(isinstance(item, ast.FunctionDef) and item.name == ENTRY for item in node.body)


def _part(node: ast.ClassDef, source: SourceFile, result: Result, anchor: str) -> _Part:
    first, last = node.lineno, node.end_lineno or node.lineno
    found = tuple(d for d in result.diagnostics if first <= d.location.row <= last)
    outcomes = tuple(o for o in result.proof if o.block.rpartition(".")[2] == node.name)
    score = min(_score(first, last, source, found), _most(found, outcomes))
    return _Part(node.name, anchor, True, first, last, score, found, outcomes)


def _most(found: Sequence[Diagnostic], outcomes: Sequence[ProofOutcome]) -> int:
    """Return the highest score that a class may have: wrong results are worse than lines that raise."""
    if any(outcome.status is ProofStatus.REFUTED and not outcome.taken_back for outcome in outcomes):
        return _MOST_REFUTED
    rules = (find_rule(d.code) for d in found if d.severity in _COUNTED)
    return _MOST_SILENT if any(rule is not None and rule.silent for rule in rules) else 100


def _score(first: int, last: int, source: SourceFile, found: Sequence[Diagnostic]) -> int:
    rows = [row for row in range(first, last + 1) if (text := source.line(row).strip()) and not text.startswith("#")]
    flagged = {d.location.row for d in found if d.severity in _COUNTED}
    return round(100 * (1 - len(flagged) / max(1, len(rows))))


# -- the page


def _summary(files: Sequence[_File], *, written: bool) -> Iterator[str]:
    parts = [part for file in files for part in file.parts]
    severities = Counter(d.severity for part in parts for d in part.diagnostics)
    statuses = Counter(o.status for part in parts for o in part.outcomes)
    fixed = count_fixed([file.result for file in files])
    tiles = [
        (sum(part.hybrid for part in parts), "classes"),
        (severities["error"], "errors"),
        (severities["warning"], "warnings"),
        *([(fixed, "fixed" if written else "would be fixed")] if fixed else []),
        *((statuses[status], status.value) for status in ProofStatus if statuses),
    ]
    yield f'<h1>hybridlint report</h1>\n<p class="soft mono">{escape(origin())}</p>'
    yield '<div class="tiles">'
    yield from (f'<div class="tile"><b>{number}</b><span>{name}</span></div>' for number, name in tiles)
    yield "</div>"
    if fixed:
        yield f'<p class="soft">Lines are those of the files {"after" if written else "before"} fixing.</p>'
    if not parts:
        yield '<p class="soft">There are no hybrid blocks here.</p>'
        return
    yield '<div class="wide"><table><thead><tr><th>class</th><th>score</th><th class="number">findings</th>'
    yield "<th>proof</th><th>file</th></tr></thead><tbody>"
    for file in files:
        for part in file.parts:
            name = f'<a class="mono" href="#{part.anchor}">{escape(part.name)}</a>'
            yield (
                f'<tr data-part="{part.anchor}" data-codes="{_codes(part)}"><td>{name}</td><td>{_bar(part.score)}</td>'
                f'<td class="number">{len(part.diagnostics)}</td><td>{_badges(part)}</td>'
                f'<td class="soft">{escape(file.shown)}:{part.first}</td></tr>'
            )
    yield "</tbody></table></div>"


def _bar(score: int) -> str:
    grade = "" if score >= 95 else ' class="fair"' if score >= 80 else ' class="poor"'
    return f'<span class="bar"><i{grade} style="width:{score}%"></i></span>{score}'


def _codes(part: _Part) -> str:
    """Return the codes and names of what is found in a class, for the filter."""
    return " ".join(sorted({word for d in part.diagnostics for word in (d.code, d.name)}))


def _badges(part: _Part) -> str:
    return " ".join(dict.fromkeys(map(_badge, part.outcomes))) or '<span class="soft">&ndash;</span>'


def _badge(outcome: ProofOutcome) -> str:
    """Return the badge of an outcome. It says whether the outcome is for the code with its fixes."""
    status = outcome.status.value
    fixed = " with --fix" if outcome.reason.startswith(_WITH_FIX) else ""
    return f'<span class="badge {status.replace(" ", "-")}">{status}{fixed}</span>'


def _section(file: _File) -> Iterator[str]:
    yield f"<h2>{escape(file.shown)}</h2>"
    yield from _diff(file)
    for part in file.parts:
        yield f'<section class="card" id="{part.anchor}"><div class="head"><h3 class="mono">{escape(part.name)}</h3>'
        yield f'{_badges(part)}<span class="soft">line {part.first}</span><span>{_bar(part.score)}</span></div>'
        for outcome in part.outcomes:
            yield from _proof(outcome, file.source)
        for diagnostic in part.diagnostics:
            yield from _finding(diagnostic, file.source)
        yield "</section>"


def _prose(text: str) -> str:
    """Format a sentence as HTML, with text between backticks as code."""
    return _QUOTED.sub(r"<code>\1</code>", escape(text))


def _proof(outcome: ProofOutcome, source: SourceFile) -> Iterator[str]:
    yield f'<div class="item"><p>{_badge(outcome)} {_prose(outcome.reason.removeprefix(_WITH_FIX))}</p>'
    yield from (f'<p class="soft">{_prose(line)}</p>' for line in details(outcome))
    if outcome.taken_back:
        yield f"<p><b>{escape(outcome.taken_back)}</b> was taken back</p>"
    if outcome.parting is not None:
        yield f"<p>{_prose(str(outcome.parting))}</p>"
    row = outcome.parting.row if outcome.parting is not None else outcome.failed_row
    if row is not None:
        yield from _excerpt(source, row, row)
    if outcome.add:
        yield f"<p>{_prose(outcome.add)}</p>"
    drawn = picture(outcome.graph)
    if drawn:
        opened = " open" if outcome.status is ProofStatus.REFUTED else ""
        yield f'<details{opened}><summary>the compiled graph</summary><div class="canvas">{drawn}</div></details>'
    yield "</div>"


def _finding(diagnostic: Diagnostic, source: SourceFile) -> Iterator[str]:
    place, end = diagnostic.location, diagnostic.end_location
    badge = f'<a class="badge {diagnostic.severity}" href="{escape(diagnostic.url)}">{diagnostic.code}</a>'
    yield f'<div class="item"><p>{badge} '
    yield f"{_prose(diagnostic.message)}</p>"
    yield from _excerpt(source, place.row, end.row, (place.column, end.column))
    if diagnostic.help:
        yield f'<p class="soft">{_prose(diagnostic.help)}</p>'
    if diagnostic.fix is not None:
        yield f'<p class="soft">Fix ({diagnostic.fix.level}): {_prose(diagnostic.fix.message)}</p>'
    yield "</div>"


def _excerpt(source: SourceFile, first: int, last: int, columns: tuple[int, int] | None = None) -> Iterator[str]:
    """Show rows with their context. If `columns` are given, the text between them is underlined."""
    last = min(last, first + _LONGEST, len(source.line_starts))
    yield '<div class="source mono">'
    for row in range(max(1, first - _CONTEXT), min(last + _CONTEXT, len(source.line_starts)) + 1):
        hit = first <= row <= last
        text = _marked(source.line(row), row, first, last, columns) if hit else escape(source.line(row))
        yield f'<div{" class=hit" if hit else ""}><span class="n">{row}</span>{text}</div>'
    yield "</div>"


def _marked(line: str, row: int, first: int, last: int, columns: tuple[int, int] | None) -> str:
    if columns is None:
        return escape(line)
    start = columns[0] - 1 if row == first else len(line) - len(line.lstrip())
    stop = columns[1] - 1 if row == last else len(line)
    return f"{escape(line[:start])}<mark>{escape(line[start:stop])}</mark>{escape(line[stop:])}"


def _diff(file: _File) -> Iterator[str]:
    fixed = file.result.fixed
    if fixed is None or fixed.before == fixed.after:
        return
    lines = difflib.unified_diff(fixed.before.splitlines(), fixed.after.splitlines(), lineterm="", n=2)
    kinds = {"-": ' class="minus"', "+": ' class="plus"', "@": ' class="soft"'}
    yield f"<details open><summary>what fixing changes: {fixes(len(fixed.applied))}</summary>"
    yield '<div class="source mono">'
    for line in list(lines)[2:]:
        yield f"<div{kinds.get(line[:1], '')}>{escape(line) or ' '}</div>"
    yield "</div></details>"
