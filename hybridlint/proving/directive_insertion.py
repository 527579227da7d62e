"""Inserts directives above the blocks of a text, if they let a proof of the block succeed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

from hybridlint.project.settings.directives import directives
from hybridlint.runtime.facts.records import record
from hybridlint.text.edits import Edit, apply_edits
from hybridlint.text.source import SourceError, SourceFile, Span

_WIDTH = 120
_COMMENT = "# hybridlint: "
_NEXT_LINE = "#     "


@record(frozen=True, slots=True)
class InsertedDirective:
    """A directive that was written above a block: its first row, and the comment's lines without indentation."""

    block: str
    row: int
    lines: tuple[str, ...]


def with_directives(source: SourceFile, proposed: Mapping[str, str]) -> tuple[str, list[InsertedDirective]]:
    """Return the text with a directive for each block in `proposed`, and where the directives are in it.

    A block gets none if it already has a directive, or if it is defined inside a function.
    """
    places = dict(_places(source.tree))
    owners = {directive.owner for directive in directives(source)}
    rows = {name: places[name] for name in proposed if name in places and name not in owners}
    edits: list[Edit] = []
    written: list[InsertedDirective] = []
    shift = 0
    for name, row in sorted(rows.items(), key=lambda item: item[1]):
        line = source.line(row)
        indent = line[: len(line) - len(line.lstrip())]
        lines = tuple(_wrapped(proposed[name], len(indent)))
        text = "".join(f"{indent}{comment}{source.line_ending}" for comment in lines)
        start = source.line_starts[row - 1] + (source.text.startswith("\ufeff") and row == 1)
        edits.append(Edit(Span(start, start), text))
        written.append(InsertedDirective(name, row + shift, lines))
        shift += len(lines)
    return apply_edits(source.text, edits), written


def keep_working_directives(
    source: SourceFile, proposed: Mapping[str, str], proved: Callable[[str], set[str]]
) -> tuple[str, list[InsertedDirective]]:
    """Return the text with those directives with which the blocks run, and where the directives are in it.

    `proved` returns the names of the blocks of a text that run.
    """
    text, written = with_directives(source, proposed)
    if not written:
        return source.text, []
    try:
        SourceFile(source.path, text).tree  # noqa: B018 - raises where it does not parse
    except SourceError:
        return source.text, []
    good = proved(text)
    return with_directives(source, {w.block: proposed[w.block] for w in written if w.block in good})


def _wrapped(directive: str, indent: int) -> Iterator[str]:
    """Yield the lines of a comment; it continues on further lines until its brackets close."""
    line = _COMMENT
    room = _WIDTH - indent
    for part in _parts(directive):
        if len(line) + len(part.rstrip()) > room and line not in (_COMMENT, _NEXT_LINE):
            yield line.rstrip()
            line = _NEXT_LINE
        line += part
    yield line.rstrip()


def _parts(directive: str) -> Iterator[str]:
    """Split after each comma of the outer brackets, where a line may end."""
    call = ast.parse(directive, mode="eval").body
    assert isinstance(call, ast.Call)
    starts = [keyword.value.col_offset - len(f"{keyword.arg}=") for keyword in call.keywords]
    cuts = [0, *starts[1:], len(directive.encode())]
    data = directive.encode()
    yield from (data[start:end].decode() for start, end in pairwise(cuts))


def _places(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, int]]:
    """Yield the classes and functions that a directive may stand above, with their first rows."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield f"{prefix}{node.name}", min([node.lineno, *(d.lineno for d in node.decorator_list)])
            yield from _places(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef) and isinstance(tree, ast.Module):
            yield node.name, min([node.lineno, *(d.lineno for d in node.decorator_list)])
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda) and isinstance(tree, ast.Module):
            yield from ((target.id, node.lineno) for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, (ast.If, ast.Try)):
            yield from _places(node, prefix)
