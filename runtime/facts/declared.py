"""Operators that MXNet does not have, declared by the shapes of their inputs and results: ``(N, K), (K, M) -> (N, M)``.

A size is a number, a name (equal names are equal sizes), ``?`` for one of which nothing is said, or ``...`` for any
number of further sizes. A whole shape of which nothing is said is ``*``. Sizes of results may be computed from others
with ``+``, ``-``, ``*`` and ``//``; a name that no input has is a keyword of the call. An input may carry its own name:
``data(N, K), weight(K, M) -> (N, M)``.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from hybridlint.runtime.facts.dims import Dim, DimLike
from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.types import Shape, TensorType

#: A size as it is declared: a number, or the syntax of a name or a computation; None for one that is not said.
Size: TypeAlias = "ast.expr | None"

_SHAPE = re.compile(r"\s*(?:(?P<name>[A-Za-z_]\w*)\s*)?(?:\((?P<sizes>[^()]*(?:\([^()]*\)[^()]*)*)\)|(?P<any>\*))\s*")
_COMPUTED = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv}
_REST = "..."
_FORM = "write the shapes of inputs and results, as in `(N, K), (K, M) -> (N, M)`"


@record(frozen=True, slots=True, eq=False)
class DeclaredOperator:
    """One declared shape: the sizes before and behind its ``...``; `known` is False where nothing is said of it."""

    name: str | None
    before: tuple[Size, ...] = ()
    #: The sizes behind ``...``; None without one.
    after: tuple[Size, ...] | None = None
    known: bool = True


@record(frozen=True, slots=True, eq=False)
class DeclaredShapes:
    """The declaration of an operator: the shapes of its inputs and of its results."""

    inputs: tuple[DeclaredOperator, ...]
    results: tuple[DeclaredOperator, ...]

    def results_of(
        self, given: Sequence[TensorType], named: Mapping[str, TensorType], numbers: Mapping[str, int]
    ) -> tuple[TensorType, ...]:
        """Return the types of a call's results, from the inputs that it is `given` by place and the `named` ones."""
        sizes: dict[str, DimLike] = dict(numbers)
        rest: list[Shape | None] = []
        placed = list(given)
        for each in self.inputs:
            known = named.get(each.name or "") or (placed.pop(0) if placed else TensorType())
            _match(each, known.shape, sizes, rest)
        first = [known.dtype for known in (*given, *named.values())][:1]
        dtype = first[0] if first else None
        return tuple(TensorType(_made(each, sizes, rest[0] if rest else None), dtype) for each in self.results)


def parse(text: str) -> DeclaredShapes:
    """Return the signature that a text declares. Raises ValueError with one sentence about what is wrong in it."""
    inputs, arrow, results = text.partition("->")
    if not arrow or "->" in results:
        raise ValueError(f"there is not one `->` in it; {_FORM}")
    found = DeclaredShapes(_shapes(inputs), _shapes(results))
    if not found.results:
        raise ValueError(f"there is no result behind `->`; {_FORM}")
    for each in found.inputs:
        for size in (*each.before, *(each.after or ())):
            if size is not None and not isinstance(size, ast.Name | ast.Constant):
                raise ValueError(f"`{ast.unparse(size)}` is computed, which only a size of a result may be")
    if any(each.after is not None for each in found.results) and all(each.after is None for each in found.inputs):
        raise ValueError("a result has `...`, and no input has")
    return found


def _shapes(text: str) -> tuple[DeclaredOperator, ...]:
    found, at = list[DeclaredOperator](), 0
    while text[at:].strip():
        match = _SHAPE.match(text, at)
        if match is None:
            raise ValueError(f"`{text[at:].strip()}` is no shape; {_FORM}")
        found.append(_shape(match))
        at = match.end()
        if at < len(text):
            if text[at] != ",":
                raise ValueError(f"there is no comma before `{text[at:].strip()}`; {_FORM}")
            at += 1
    return tuple(found)


def _shape(match: re.Match[str]) -> DeclaredOperator:
    if match["any"]:
        return DeclaredOperator(match["name"], known=False)
    parts = [part.strip() for part in match["sizes"].split(",")]
    if parts[-1] == "":
        # As in Python, one comma may end the sizes: `(N,)`.
        parts.pop()
    if parts.count(_REST) > 1:
        raise ValueError(f"`({match['sizes']})` has `...` twice")
    if _REST not in parts:
        return DeclaredOperator(match["name"], tuple(map(_size, parts)))
    at = parts.index(_REST)
    return DeclaredOperator(match["name"], tuple(map(_size, parts[:at])), tuple(map(_size, parts[at + 1 :])))


def _size(text: str) -> Size:
    if text == "?":
        return None
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        node = None
    if node is None or not _is_size(node):
        raise ValueError(f"`{text}` is no size: a size is a number, a name, `?`, or computed with + - * //")
    return node


def _is_size(node: ast.expr) -> bool:
    match node:
        case ast.Name():
            return True
        case ast.Constant(value=value):
            return type(value) is int and value >= 0
        case ast.BinOp(left=left, op=op, right=right):
            return type(op) in _COMPUTED and _is_size(left) and _is_size(right)
        case _:
            return False


def _match(
    declared: DeclaredOperator, shape: Shape | None, sizes: dict[str, DimLike], rest: list[Shape | None]
) -> None:
    """Note which sizes an input gives to the names in its declared shape; one that does not fit gives none."""
    before, after = declared.before, declared.after
    fits = shape is not None and (
        len(shape) == len(before) if after is None else len(shape) >= len(before) + len(after)
    )
    if after is not None:
        rest.append(shape[len(before) : len(shape) - len(after)] if fits and shape is not None else None)
    if not fits or shape is None:
        return
    ends = () if not after else zip(after, shape[len(shape) - len(after) :], strict=True)
    for size, known in (*zip(before, shape, strict=False), *ends):
        if isinstance(size, ast.Name) and (size.id not in sizes or _is_unknown(sizes[size.id])):
            sizes[size.id] = known


def _is_unknown(size: DimLike) -> bool:
    return isinstance(size, Dim) and size.anonymous


def _made(declared: DeclaredOperator, sizes: Mapping[str, DimLike], rest: Shape | None) -> Shape | None:
    if not declared.known or (declared.after is not None and rest is None):
        return None
    before = tuple(_computed(size, sizes) for size in declared.before)
    if declared.after is None:
        return before
    return (*before, *(rest or ()), *(_computed(size, sizes) for size in declared.after))


def _computed(size: Size, sizes: Mapping[str, DimLike]) -> DimLike:
    match size:
        case ast.Constant(value=int(value)):
            return value
        case ast.Name(id=name):
            return sizes[name] if name in sizes else Dim.fresh()
        case ast.BinOp(left=left, op=op, right=right):
            try:
                found: DimLike = _COMPUTED[type(op)](_computed(left, sizes), _computed(right, sizes))
            except (ArithmeticError, TypeError):
                return Dim.fresh()
            return found
        case _:
            return Dim.fresh()
