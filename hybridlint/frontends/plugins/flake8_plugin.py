"""The plugin of flake8: projects that run flake8 get the findings of hybridlint beside its own, under their codes.

flake8 reads ``# noqa`` comments, selects codes and formats lines itself; the settings of hybridlint hold besides.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from hybridlint import __version__
from hybridlint.frontends.api.check import check_source


class Plugin:
    """Yields the errors and warnings of one file."""

    name = "hybridlint"
    version = __version__

    def __init__(self, tree: ast.AST, filename: str, lines: Sequence[str]) -> None:
        self._filename = filename
        self._lines = lines

    def run(self) -> Iterator[tuple[int, int, str, type[Any]]]:
        """Yield row, column from 0, code with message, and the plugin, as flake8 expects."""
        result = check_source("".join(self._lines), self._filename)
        for found in result.diagnostics:
            if found.severity in {"error", "warning"}:
                yield found.location.row, found.location.column - 1, f"{found.code} {found.message}", type(self)
