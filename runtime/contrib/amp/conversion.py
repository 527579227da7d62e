"""Graphs converted to mixed precision: casts are put between operators of different precisions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from hybridlint.runtime.core.mixed_precision import WIDE, Precision
from hybridlint.runtime.core.operator_params import normalize
from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.types import DTYPE_FLAGS
from hybridlint.runtime.symbol.node import SymbolEntry, SymbolNode, topological
from hybridlint.runtime.symbol.symbol import Symbol


class _Conversion:
    """The conversion of one graph. The unknown dtype of a variable is None."""

    def __init__(self, precision: Precision, spared: Collection[str]) -> None:
        self._precision = precision
        self._spared = spared
        self._made: dict[int, SymbolNode] = {}
        self._dtypes: dict[tuple[int, int], str | None] = {}
        self._casts: dict[tuple[int, int, str], SymbolEntry] = {}

    def converted(self, entries: Sequence[SymbolEntry]) -> list[SymbolEntry]:
        """Return a graph's outputs; those in the narrow dtype are cast back."""
        for node in topological(entries):
            self._visit(node)
        outputs = [self._moved(entry) for entry in entries]
        return [self._cast(e, WIDE) if self._dtype(e) == self._precision.dtype else e for e in outputs]

    def _visit(self, node: SymbolNode) -> None:
        if node.op is None:
            self._made[id(node)] = node
            return
        inputs = [None if e is None else self._moved(e) for e in node.inputs]
        kind = None if node.name in self._spared else self._precision.kind(node.op, node.params)
        result: str | None = None
        if node.name in self._spared:
            inputs, result = [self._in(e, WIDE) for e in inputs], WIDE
        elif kind == "narrow":
            narrow = self._precision.dtype
            inputs, result = [None if e is None else self._in(e, narrow, variables=True) for e in inputs], narrow
        elif kind == "wide":
            inputs, result = [self._in(e, WIDE) for e in inputs], WIDE
        elif kind == "widest":
            inputs, result = self._widest(node, inputs)
        else:
            known = [self._dtype(e) for e in inputs if e is not None]
            result = self._precision.dtype if self._precision.dtype in known else next(iter(known), None)
        new = replace(node, inputs=inputs, attributes=dict(node.attributes))
        self._made[id(node)] = new
        self._dtypes.update({(id(new), k): result for k in range(new.outputs)})

    def _widest(
        self, node: SymbolNode, inputs: list[SymbolEntry | None]
    ) -> tuple[list[SymbolEntry | None], str | None]:
        given = [e for e in inputs if e is not None]
        dtypes = {self._dtype(e) for e in given}
        if len(dtypes) == 1:
            return inputs, dtypes.pop()
        if None not in dtypes:
            return [self._in(e, WIDE) for e in inputs], WIDE
        op = registry.get("amp_multicast")
        params = {"num_outputs": str(len(given))}
        first, index = given[0]
        name = f"{first.output_name(index)}_amp_multicast"
        cast = SymbolNode(op, name, {"num_args": str(len(given)), **params}, normalize(op, params), given)
        numbers = iter(range(len(given)))
        return [None if e is None else (cast, next(numbers)) for e in inputs], None

    def _in(self, entry: SymbolEntry | None, dtype: str, *, variables: bool = False) -> SymbolEntry | None:
        """Return an entry in a dtype, adding a cast. Variables of unknown dtype are cast only with `variables`."""
        if entry is None or self._dtype(entry) == dtype:
            return entry
        if self._dtype(entry) is None and not variables and entry[0].op is None:
            return entry
        return self._cast(entry, dtype)

    def _cast(self, entry: SymbolEntry, dtype: str) -> SymbolEntry:
        node, index = entry
        key = (id(node), index, dtype)
        if key not in self._casts:
            op = registry.get("amp_cast")
            name = f"{node.output_name(index)}_amp_cast_{dtype}"
            cast = SymbolNode(op, name, {"dtype": dtype}, normalize(op, {"dtype": dtype}), [entry])
            self._dtypes[id(cast), 0] = dtype
            self._casts[key] = (cast, 0)
        return self._casts[key]

    def _moved(self, entry: SymbolEntry) -> SymbolEntry:
        return self._made[id(entry[0])], entry[1]

    def _dtype(self, entry: SymbolEntry) -> str | None:
        return self._dtypes.get((id(entry[0]), entry[1]))


def converted(symbol: Symbol, precision: Precision, spared: Collection[str]) -> Symbol:
    """Return a graph in mixed precision; the nodes called `spared` stay as they are."""
    return type(symbol)(_Conversion(precision, spared).converted(symbol._entries))


def with_narrow_variables(symbol: Symbol, data: Collection[str], dtype: str) -> Symbol:
    """Return a graph whose parameters that are only cast to a narrow dtype have it themselves."""
    nodes = topological(symbol._entries)
    users: dict[int, list[SymbolNode]] = {}
    for node in nodes:
        for entry in node.inputs:
            if entry is not None and entry[0].op is None:
                users.setdefault(id(entry[0]), []).append(node)
    narrow = {
        id(node): replace(node, attributes={**node.attributes, "__dtype__": str(DTYPE_FLAGS[dtype])})
        for node in nodes
        if node.op is None and node.name not in data and _only_cast(users.get(id(node), []), dtype)
    }
    made: dict[int, SymbolNode] = {}

    def moved(entry: SymbolEntry | None) -> SymbolEntry | None:
        if entry is None:
            return None
        source = entry[0]
        cast = source.inputs[0] if source.op is not None and source.op.name == "amp_cast" else None
        if cast is not None and id(cast[0]) in narrow:
            return narrow[id(cast[0])], 0
        return made.get(id(source), source), entry[1]

    for node in nodes:
        if node.op is not None:
            made[id(node)] = replace(node, inputs=[moved(e) for e in node.inputs], attributes=dict(node.attributes))
    return type(symbol)([e for e in map(moved, symbol._entries) if e is not None])


def _only_cast(users: Sequence[SymbolNode], dtype: str) -> bool:
    return bool(users) and all(
        user.op is not None and user.op.name == "amp_cast" and user.params["dtype"] == dtype for user in users
    )
