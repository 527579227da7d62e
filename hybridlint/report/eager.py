"""Classes that fixes have made stay eager, which a user should hear of: they run, and are not compiled."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from click import style

from hybridlint.report.style import show_file
from hybridlint.text.source import SourceError, SourceFile

if TYPE_CHECKING:
    from hybridlint.result import Result

#: The method whose override keeps a block eager.
_METHOD = "hybridize"


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
    if fixed is None or fixed.after.count(f"def {_METHOD}(") == fixed.before.count(f"def {_METHOD}("):
        return
    before = {name for name, _ in _overriding(result, fixed.before)}
    yield from ((name, row) for name, row in _overriding(result, fixed.after) if name not in before)


def _overriding(result: Result, text: str) -> Iterator[tuple[str, int]]:
    try:
        tree = SourceFile(result.path, text).tree
    except SourceError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for item in node.body:
                if isinstance(item, ast.FunctionDef) and item.name == _METHOD:
                    yield node.name, item.lineno
