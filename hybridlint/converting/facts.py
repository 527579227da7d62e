"""Facts from runs of a module: sizes that layers take from their inputs, and ranks of operators' inputs."""

from __future__ import annotations

import ast
import itertools
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from hybridlint.runtime.facts.records import record

#: A place in the source: first row, first column, last row, last column.
Span = tuple[int, int, int, int]


@record(frozen=True, slots=True)
class LayerSeen:
    """A layer in one run: its size, its input shapes, and the numbers in names where it was built.

    `run` counts the runs of all blocks; in those `of_input`, only a size of an input differs from the first run.
    """

    kind: str
    size: int | None
    given: Sequence[Any] | None
    names: Mapping[str, Any]
    run: int
    of_input: bool
    told: bool


class ModuleFacts:
    """What the runs of a module's blocks have shown, by places in its source. It may be empty."""

    def __init__(self, blocks: Mapping[str, Mapping[str, Any]] | None = None, *, assumes_sizes: bool = False) -> None:
        self.blocks = blocks or {}
        #: Whether a size that a run would show is taken to be known.
        self.assumes_sizes = assumes_sizes
        self._layers: dict[Span, list[LayerSeen]] = {}
        self._operators: dict[Span, list[tuple[Sequence[Any], Sequence[Any]]]] = {}
        run = itertools.count()
        for block in self.blocks.values():
            for seen in block.get("observations", ()):
                self._add(seen, next(run), told=bool(block.get("told")))

    def _add(self, seen: Mapping[str, Any], run: int, *, told: bool) -> None:
        for row in seen["layers"]:
            span = _span(row["span"])
            layer = LayerSeen(row["kind"], row["size"], row["given"], row["names"], run, seen["of_input"], told)
            self._layers.setdefault(span, []).append(layer)
        for row in seen["operators"]:
            self._operators.setdefault(_span(row["span"]), []).append((row["ins"], row["outs"]))

    def layers(self, span: Span, kind: str) -> list[LayerSeen]:
        """Return the layers of a kind that were built at a place and called."""
        return [layer for layer in self._layers.get(span, ()) if layer.kind == kind and layer.given is not None]

    def ran(self, span: Span) -> bool:
        """Whether operators were called at a place."""
        return span in self._operators

    def input_shapes(self, span: Span) -> list[Sequence[int] | None]:
        """Return the input shapes of the first operator called at a position, in the first run."""
        seen = self._operators.get(span, [])
        ranks = {tuple(None if shape is None else len(shape) for shape in ins) for ins, _ in seen}
        return list(seen[0][0]) if len(ranks) == 1 else []

    def output_rank(self, span: Span) -> int | None:
        """Return the number of axes of what an operator gave at a place, None if it is not known."""
        ranks = {len(outs[0]) for _, outs in self._operators.get(span, ()) if outs and outs[0] is not None}
        return ranks.pop() if len(ranks) == 1 else None


@record(frozen=True, slots=True)
class SeenAtPlace:
    """The layers of one kind that were built at a place, and the expressions of sizes in the code around."""

    layers: Sequence[LayerSeen]
    hints: Sequence[str] = ()
    assumed: bool = False

    @property
    def rank(self) -> int | None:
        """The number of axes of their input, None if it is not known or differs."""
        return input_rank(self.layers)

    @property
    def most_axes(self) -> int | None:
        """The most axes that their input had in any run, None if that is not known."""
        return max(input_ranks(self.layers), default=None)

    def size(self) -> str | None:
        """Return an expression for the size that they take from their input, None if there is none."""
        return size_text(self.layers, self.hints)

    def first_size(self) -> str | None:
        """Return the size that they took before inputs were varied, None if there was none, or several."""
        if not self.layers and self.assumed:
            return "1"
        plain = [layer for layer in self.layers if not layer.of_input]
        return _only_size(plain) or _by_first(plain, _only_size, lambda layers: size_text(layers, self.hints))

    def was_zero(self, name: str) -> bool:
        """Whether a name was 0 where they were built, which leaves a size to the input."""
        return any(layer.names.get(name) == 0 for layer in self.layers)

    def size_where_zero(self, name: str) -> str | None:
        """Return an expression for the input size of the layers that were built when a name was 0."""
        return size_text([layer for layer in self.layers if layer.names.get(name) == 0], self.hints)


def _span(numbers: Sequence[int]) -> Span:
    row, column, last_row, last_column = numbers
    return row, column, last_row, last_column


def input_ranks(layers: Iterable[LayerSeen]) -> set[int]:
    """Return the numbers of axes that the first input of layers had."""
    firsts = [layer.given[0] for layer in layers if layer.given is not None and len(layer.given)]
    return {len(first) for first in firsts if isinstance(first, list)}


def input_rank(layers: Iterable[LayerSeen]) -> int | None:
    """Return the number of axes of the first input of layers, None if it is not known or differs."""
    ranks = input_ranks(layers)
    return ranks.pop() if len(ranks) == 1 else None


def size_text(layers: Sequence[LayerSeen], hints: Sequence[str] = ()) -> str | None:
    """Return an expression for the size that layers take from their input, in names where they are built.

    `hints` are expressions that the code around has.
    It is None where the size depends on the inputs of the whole network, or on a name in no simple way.
    """
    sizes = [(layer.size, layer.names) for layer in layers if layer.size]
    if not sizes:
        return None
    return _plain_size(layers, sizes, hints) or _by_first(
        layers, lambda parts: size_text(parts, hints), lambda parts: size_text(parts, hints)
    )


def _only_size(layers: Sequence[LayerSeen]) -> str | None:
    """Return the size that all layers have, None if there are several or none."""
    sizes = {layer.size for layer in layers}
    return str(sizes.pop()) if len(sizes) == 1 and None not in sizes else None


def _by_first(
    layers: Sequence[LayerSeen],
    of_first: Callable[[Sequence[LayerSeen]], str | None],
    of_others: Callable[[Sequence[LayerSeen]], str | None],
) -> str | None:
    """Return an expression for layers of a loop whose first one has another size than those after it."""
    common = set.intersection(*(set(layer.names) for layer in layers)) if layers else set()
    for name in sorted(common, reverse=True):
        if not all(type(layer.names[name]) is int for layer in layers):
            continue
        first = [layer for layer in layers if layer.names[name] == 0]
        others = [layer for layer in layers if layer.names[name] > 0]
        if first and others and len(first) + len(others) == len(layers):
            texts = of_first(first), of_others(others)
            if None not in texts:
                return f"{texts[0]} if {name} == 0 else {texts[1]}"
    return None


def _plain_size(
    layers: Sequence[LayerSeen], sizes: Sequence[tuple[Any, Mapping[str, Any]]], hints: Sequence[str]
) -> str | None:
    """Return an expression for the size without a condition."""
    if _follows_inputs(layers):
        plain = {layer.size for layer in layers if not layer.of_input}
        told = all(layer.told for layer in layers)
        return str(next(iter(plain))) if told and len(plain) == 1 else _named(sizes, hints, constants=False)
    return _named(sizes, hints, constants=True)


def _follows_inputs(layers: Sequence[LayerSeen]) -> bool:
    """Whether the size differs in runs whose inputs alone differ from another run of the same block."""
    plain = {layer.size for layer in layers if not layer.of_input}
    return any(layer.size not in plain for layer in layers if layer.of_input)


def _named(sizes: Sequence[tuple[Any, Mapping[str, Any]]], hints: Sequence[str], *, constants: bool) -> str | None:
    """Return the simplest expression in the names that gives the right size in every run.

    Its value has to differ somewhere: an expression that is the same in all runs may be so by chance.
    """
    distinct = {size for size, _ in sizes}
    if len(distinct) > 1:
        common = set.intersection(*(set(names) for _, names in sizes))
        order = [name for name in sizes[0][1] if name in common]
        for text in _candidates(order, sizes[0][1], hints):
            if all(evaluate_size(text, names) == size for size, names in sizes):
                return text
    return str(distinct.pop()) if constants and len(distinct) == 1 else None


def evaluate_size(text: str, names: Mapping[str, Any]) -> int | None:
    """Return the value of an expression of whole numbers and names, None for any other expression."""
    try:
        value = _value(ast.parse(text, mode="eval").body, names)
    except (KeyError, IndexError, TypeError, ZeroDivisionError, SyntaxError):
        return None
    return value if type(value) is int else None


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.Name | ast.Attribute):
        return names[ast.unparse(node)]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, names)
    if isinstance(node, ast.Subscript):
        return _value(node.value, names)[_value(node.slice, names)]
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        return _ARITHMETIC[type(node.op)](_value(node.left, names), _value(node.right, names))
    raise KeyError


_ARITHMETIC: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}


def _candidates(order: Sequence[str], example: Mapping[str, Any], hints: Sequence[str]) -> Iterator[str]:
    """Yield expressions of names, the simplest first; those that the code itself has come before others as long."""
    names = [name for name in order if isinstance(example[name], int)]
    lists = [name for name in order if not isinstance(example[name], int)]
    yield from names
    yield from hints
    for name in lists:
        yield from (f"{name}[{index}]" for index in (0, -1, 1, 2, 3, 4, 5))
        for at in names:
            yield f"{name}[{at}]"
            yield f"{name}[{at} - 1]"
    for name in names:
        yield from (f"{name} * {factor}" for factor in (2, 3, 4, 8))
        yield from (f"{name} // {factor}" for factor in (2, 4, 8, 16))
    for left, right in itertools.combinations(names[:12], 2):
        yield f"{left} + {right}"
        yield f"{left} * {right}"
        yield f"{left} // {right}"
        yield f"{right} // {left}"
    for name in names:
        yield from (f"{name} + {more}" for more in (1, 2, 3, 4, 16))
