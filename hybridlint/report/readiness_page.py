"""The readiness of a project as an HTML page that needs nothing from the network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

from hybridlint.hybridizing.readiness import Readiness, ReadinessState
from hybridlint.report.page_style import STYLE
from hybridlint.report.readiness import counts
from hybridlint.report.style import show_path

#: Classes of the style sheet, and the colours behind them.
_LOOK = {
    ReadinessState.CLEAN: ("good", "--good"),
    ReadinessState.FIXABLE: ("info", "--info"),
    ReadinessState.PERSON: ("warning", "--warn"),
    ReadinessState.CONVERTIBLE: ("info", "--info"),
    ReadinessState.PARTLY: ("warning", "--warn"),
    ReadinessState.IMPOSSIBLE: ("error", "--bad"),
}


def render(found: Sequence[Readiness]) -> str:
    """Return the page."""
    body = [
        "<h1>hybridlint status</h1>",
        f"<p>{escape(counts(found)) if found else 'No blocks found.'}</p>",
        *_bar(found),
        *(line for path, each in groupby(found, key=lambda one: one.path) for line in _file(show_path(path), each)),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>hybridlint status</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def _bar(found: Sequence[Readiness]) -> Iterator[str]:
    """Yield a bar with a piece for each state."""
    yield '<div style="display:flex;height:0.8em;gap:2px;margin:1rem 0">'
    for state in ReadinessState:
        number = sum(each.state is state for each in found)
        if number:
            title = f"{number} {state.value}"
            yield f'<div title="{title}" style="flex:{number};background:var({_LOOK[state][1]})"></div>'
    yield "</div>"


def _file(name: str, found: Iterator[Readiness]) -> Iterator[str]:
    yield f'<h2>{escape(name)}</h2>\n<div class="wide"><table>'
    yield "<tr><th>block</th><th>line</th><th>state</th><th>first reason</th></tr>"
    for each in found:
        reason = "" if each.reason is None else escape(str(each.reason))
        state = f'<span class="badge {_LOOK[each.state][0]}">{each.state.value}</span>'
        yield f"<tr><td>{escape(each.block)}</td><td>{each.row}</td><td>{state}</td>"
        yield f'<td style="white-space:normal">{reason}</td></tr>'
    yield "</table></div>"
