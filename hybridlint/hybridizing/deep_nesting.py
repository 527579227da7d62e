"""Files whose code is nested too deeply for the analysis, and the reason given for their classes."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from hybridlint.hybridizing.outcome import Reason
from hybridlint.text.source import SourceFile


def too_deep(source: SourceFile, selected: Collection[str] | None = None) -> Iterator[tuple[str, Reason]]:
    """Yield the name of each class that may be a block, or of the selected ones, with the reason."""
    for node in source.tree.body:
        if isinstance(node, ast.ClassDef) and (node.bases if selected is None else node.name in selected):
            yield node.name, Reason("the code of this file is nested too deeply", node.lineno)
