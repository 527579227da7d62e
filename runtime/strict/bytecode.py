"""The source expression that a bytecode instruction evaluates.

Python 3.11 and later record it. For older versions the file is compiled again with a distinct line number for each
expression: if the bytecode is the same, an instruction's line number identifies its expression.
"""

from __future__ import annotations
import __future__ as futures

import ast
import copy
import dis
import linecache
import sys
import warnings
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType

from hybridlint.runtime.core.literals import expression, module

#: Compiler flags of future features, which a code object has among its flags.
_FUTURES = sum({getattr(futures, name).compiler_flag for name in futures.all_feature_names})


@lru_cache(maxsize=4096)
def evaluated_expression(code: CodeType, place: int) -> ast.expr | None:
    """Return the expression evaluated by the instruction at an offset, or None if unknown."""
    return _positioned(code, place) if sys.version_info >= (3, 11) else _numbered(code, place)


@lru_cache(maxsize=64)
def tree(path: str) -> ast.Module | None:
    """Return the syntax tree of a file, or None if it has none."""
    try:
        return module("".join(linecache.getlines(path)))
    except (SyntaxError, ValueError):
        return None


def _positioned(code: CodeType, place: int) -> ast.expr | None:
    if sys.version_info < (3, 11):
        return None
    first, last, start, end = list(code.co_positions())[place // 2]
    if first is None or last is None or start is None or end is None:
        return None
    lines = [linecache.getline(code.co_filename, row).encode() for row in range(first, last + 1)]
    if lines[0][start - 1 : start] == b".":
        # For a method call over several lines, Python marks only the part from the method's name on.
        return _call_that_ends(code.co_filename, last, end)
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    try:
        # Inside brackets an expression may span lines.
        return expression(b"(" + b"".join(lines) + b")")
    except (SyntaxError, ValueError):
        return None


def _call_that_ends(path: str, row: int, column: int) -> ast.expr | None:
    calls = (node for node in ast.walk(tree(path) or ast.Module([], [])) if isinstance(node, ast.Call))
    return next((call for call in calls if (call.end_lineno, call.end_col_offset) == (row, column)), None)


def _numbered(code: CodeType, place: int) -> ast.expr | None:
    for original, numbered, expressions in _twice(code.co_filename, code.co_flags & _FUTURES):
        if original == code and numbered.co_code == code.co_code:
            row = next(row for first, end, row in numbered.co_lines() if first <= place < end)
            return expressions.get((row, dis.opname[code.co_code[place]] == "CALL_METHOD"))
    return None


@lru_cache(maxsize=64)
def _twice(path: str, flags: int) -> list[tuple[CodeType, CodeType, dict[tuple[int | None, bool], ast.expr]]]:
    """Return each code object of a file with its renumbered copy, and the expressions by line number.

    Python puts a method call on the line of the method's name, so it is listed under that number.
    """
    plain = tree(path)
    if plain is None:
        return []
    renumbered = copy.deepcopy(plain)
    expressions: dict[tuple[int | None, bool], ast.expr] = {}
    found = [node for node in ast.walk(renumbered) if isinstance(node, ast.expr)]
    for number, node in enumerate(found, len(linecache.getlines(path)) + 1):
        node.lineno = node.end_lineno = number
        expressions[number, False] = node
    expressions.update({(node.func.lineno, True): node for node in found if isinstance(node, ast.Call)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            codes = [compile(each, path, "exec", flags, dont_inherit=True) for each in (plain, renumbered)]
        except SyntaxError:
            return []
    return [(*pair, expressions) for pair in zip(*map(_nested, codes), strict=True)]


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _nested(value)
