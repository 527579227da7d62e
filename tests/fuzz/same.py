"""Texts that mean the same as another one: laid out otherwise, or with other names."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator


def laid_out(text: str) -> tuple[str, list[int]]:
    """Return a module with wider indentation, blank lines and comments, and for each new row the old one.

    The module has one statement head a line, as ``ast.unparse`` writes it.
    """
    lines: list[str] = []
    rows: list[int] = [0]
    inside = _inside_strings(text)
    for row, line in enumerate(text.splitlines(), 1):
        if row in inside or not line.strip():
            lines.append(line)
            rows.append(row)
            continue
        stripped = line.lstrip(" ")
        blank = " " * (2 * (len(line) - len(stripped)))
        if not stripped.startswith(("else", "elif", "except", "finally", "class ", "def ", "@")):
            lines += [f"{blank}# What comes next.", ""]
            rows += [row, row]
        lines.append(blank + stripped)
        rows.append(row)
    return "\n".join(lines) + "\n", rows


def _inside_strings(text: str) -> set[int]:
    """Return the rows that continue a string, whose blanks are part of it."""
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.start[0] != token.end[0] and token.type == tokenize.STRING:
            found.update(range(token.start[0] + 1, token.end[0] + 1))
    return found


def renamed(text: str) -> str:
    """Return a module whose local variables of `hybrid_forward` have other names."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "hybrid_forward":
            names = {name: f"{name}_renamed" for name in _locals(node)}
            for part in ast.walk(node):
                if isinstance(part, ast.Name) and part.id in names:
                    part.id = names[part.id]
    return ast.unparse(tree)


def _locals(function: ast.FunctionDef) -> Iterator[str]:
    """Return the names that only the function itself assigns: no arguments, none of an inner scope or an outer one."""
    inner = [n for n in ast.walk(function) if n is not function and isinstance(n, _SCOPES)]
    if inner or any(isinstance(n, ast.Global | ast.Nonlocal | ast.Import | ast.ImportFrom) for n in ast.walk(function)):
        return
    if any(isinstance(n, ast.Name) and n.id in {"locals", "vars", "eval", "exec"} for n in ast.walk(function)):
        return
    arguments = {n.arg for n in ast.walk(function.args) if isinstance(n, ast.arg)}
    caught = {n.name for n in ast.walk(function) if isinstance(n, ast.ExceptHandler)}
    matched = any(isinstance(n, ast.Match) for n in ast.walk(function))
    stored = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    if not matched:
        yield from sorted(stored - arguments - caught - {"F", "self"})


_SCOPES = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)
