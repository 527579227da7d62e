"""Python literals and expressions in texts: attributes of symbols, parameters, annotations."""

from __future__ import annotations

import ast
import threading
from typing import Any

#: CPython 3.11 counts the depth of the tree that it builds for all threads together: where two parse at once, one can
#: fail with "SystemError: AST constructor recursion depth mismatch". Where 3.11.7 did, 3.10, 3.12 and 3.13 did not.
_ONE_AT_A_TIME = threading.RLock()


def module(text: str) -> ast.Module:
    """Return the tree of a module's text. Threads may call it at once.

    Raises what ``ast.parse`` raises: SyntaxError or ValueError for what is no Python, RecursionError or MemoryError for
    what nests too deeply.
    """
    with _ONE_AT_A_TIME:
        return ast.parse(text)


def expression(text: str | bytes) -> ast.expr:
    """Return the tree of an expression's text. Threads may call it at once. Raises what ``ast.parse`` raises."""
    with _ONE_AT_A_TIME:
        return ast.parse(text, mode="eval").body


def literal(text: str) -> Any:
    """Return the value of a literal, such as ``(5, 5)``, ``True`` or ``'relu'``. Threads may call it at once.

    Raises what ``ast.literal_eval`` raises: ValueError, TypeError, SyntaxError, RecursionError or MemoryError.
    """
    return ast.literal_eval(expression(text.lstrip(" \t")))
