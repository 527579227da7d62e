"""The expression that an instruction evaluates.

Python says it since 3.11. Before, the file is compiled once more with another line for each expression: where the code
stays the same, the line of an instruction tells its expression.
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

#: What a file may ask of the compiler, as its codes have it among their flags.
_FUTURES = sum({getattr(futures, name).compiler_flag for name in futures.all_feature_names})


@lru_cache(maxsize=4096)
def evaluated(code: CodeType, place: int) -> ast.expr | None:
    """Return the expression that the instruction at an offset evaluates, None where it is not known."""
    return _positioned(code, place) if sys.version_info >= (3, 11) else _numbered(code, place)


@lru_cache(maxsize=64)
def tree(path: str) -> ast.Module | None:
    """Return the syntax of a file, None where it has none."""
    try:
        return ast.parse("".join(linecache.getlines(path)))
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
        # Of a method's call over several lines, the part from the method's name.
        return _call_that_ends(code.co_filename, last, end)
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    try:
        # In brackets an expression goes on over lines.
        return ast.parse(b"(" + b"".join(lines) + b")", mode="eval").body
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
    """Return the codes of a file, each with that of numbered lines, and the expressions by their numbers.

    A method is called on the line of its name: it stands beside the number of that.
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
