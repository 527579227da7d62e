"""Digests of class sources, which invalidate a class's record when the class changes.

Recording runs under any Python from 3.8 on, so the digest must not depend on how a version represents syntax trees.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator

from hybridlint.text.syntax import parse_text


def class_digests(text: str) -> dict[str, str]:
    """Return a digest of each class's source by qualified name, ignoring comments and blank lines.

    A text that does not parse gives an empty dict.
    """
    try:
        tree = parse_text(text)
    except SyntaxError:
        return {}
    lines = text.splitlines()
    return {name: _digest(lines[_first_row(node) - 1 : node.end_lineno]) for name, node in _classes(tree, "")}


def _classes(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.ClassDef]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield prefix + child.name, child
            yield from _classes(child, f"{prefix}{child.name}.")
        elif isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _classes(child, f"{prefix}{child.name}.<locals>.")
        else:
            yield from _classes(child, prefix)


def _first_row(node: ast.ClassDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _digest(lines: list[str]) -> str:
    kept = [line.rstrip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    return hashlib.blake2b("\n".join(kept).encode(errors="replace"), digest_size=8).hexdigest()
