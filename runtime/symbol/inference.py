"""Inference of shapes and dtypes in a symbolic graph from known variables, repeated until nothing changes."""

from __future__ import annotations

import operator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.core.binding import require_inputs
from hybridlint.runtime.core.literals import literal
from hybridlint.runtime.core.operator_params import dtype_name
from hybridlint.runtime.facts.backward import shape_of_inputs
from hybridlint.runtime.facts.deferred_shapes import told_by_mxnet
from hybridlint.runtime.facts.dims import Dim, product
from hybridlint.runtime.facts.infer import unify_shapes
from hybridlint.runtime.facts.types import DTYPE_FLAGS, InferError, Shape, TensorType
from hybridlint.runtime.symbol.node import SymbolEntry, SymbolNode, topological
from hybridlint.runtime.symbol.unknowns import Unknowns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hybridlint.runtime.facts.registry import Operator

_ROUNDS = 4
_NOTHING = TensorType()
#: Operators whose only output has as many elements as their first input.
_KEEP_ELEMENTS = frozenset({"Reshape", "Flatten", "_np_reshape", "_npx_reshape"})
_DTYPES = {flag: name for name, flag in DTYPE_FLAGS.items()}

Types = dict[tuple[int, int], TensorType]


def from_mxnet_shape(shape: Any, unknown: int = 0) -> Shape | None:
    """Convert MXNet's shape: `unknown` (0, or -1 in numpy mode) or None is an unknown size, () an unknown rank."""
    if shape is None or (unknown == 0 and len(shape) == 0):
        return None
    return tuple(Dim.fresh() if d is None or d == unknown or d < 0 else int(d) for d in shape)


def to_mxnet_shape(shape: Shape | None, unknown: int = 0) -> tuple[int, ...] | None:
    """Convert to MXNet's shape, with `unknown` for each unknown size; an unknown rank is () or, in numpy mode, None."""
    if shape is None:
        return () if unknown == 0 else None
    return tuple(d if isinstance(d, int) else unknown for d in shape)


class Inference:
    """The types of all entries of a graph, inferred forward and, where an operator allows it, backward.

    What MXNet leaves open is left open, unless `thorough` asks for all that the rules know. Raises MXNetError if an
    operator rejects its inputs. The message names the operator and the user's line.
    """

    def __init__(
        self,
        entries: Sequence[SymbolEntry],
        known: Mapping[str, TensorType],
        default_dtype: str | None = "float32",
        *,
        thorough: bool = False,
        nodes: Sequence[SymbolNode] | None = None,
    ) -> None:
        self.nodes = topological(entries) if nodes is None else nodes
        self.types: Types = {}
        #: What nodes alike, with the same parameters, learn of the same types of inputs.
        self._learned: dict[tuple[int, ...], _Learned] = {}
        self._alike: dict[TensorType, TensorType] = {_NOTHING: _NOTHING}
        #: The types of a node's inputs when it was visited last: a further visit tells nothing of the same.
        self._visited: dict[int, tuple[TensorType, ...]] = {}
        self._unknowns = Unknowns()
        self._default_dtype = default_dtype
        self._thorough = thorough
        for node in self.nodes:
            if node.op is None:
                self.types[id(node), 0] = self._of_variable(node, known.get(node.name, _NOTHING))
        for _ in range(_ROUNDS):
            before = dict(self.types)
            for node in self.nodes:
                if node.op is not None:
                    self._visit(node)
            different = {id(t): t for t in self.types.values()}.values()
            if not all(_is_known(t.shape) for t in different):
                for node in reversed(self.nodes):
                    if node.op is not None:
                        self._reverse(node)
                self.types = {key: self._settled(known) for key, known in self.types.items()}
            elif len({t.dtype is None for t in different}) == 1:
                break
            if self.types == before:
                break

    def type_of(self, entry: SymbolEntry) -> TensorType:
        """Return the known type of an entry."""
        return self.types.get((id(entry[0]), entry[1]), _NOTHING)

    def _settled(self, known: TensorType) -> TensorType:
        """Return a type with everything that is known of its sizes: the same object if that is nothing more."""
        shape = self._unknowns.settle_shape(known.shape)
        return known if shape == known.shape else known.with_shape(shape)

    def _types_in(self, node: SymbolNode) -> tuple[TensorType, ...]:
        """Return the types of a node's inputs, as far as known."""
        types = self.types
        return tuple([_NOTHING if e is None else types.get((id(e[0]), e[1]), _NOTHING) for e in node.inputs])

    def _of_variable(self, node: SymbolNode, given: TensorType) -> TensorType:
        if "__shape__" not in node.attributes and "__dtype__" not in node.attributes:
            return given if given is _NOTHING else self._alike.setdefault(given, given)
        shape = _declared_shape(node)
        dtype = given.dtype if given.dtype is not None else _declared_dtype(node)
        try:
            found = TensorType(unify_shapes(given.shape, shape, node.name), dtype)
        except InferError:
            found = TensorType(given.shape, dtype)
        return self._alike.setdefault(found, found)

    def _visit(self, node: SymbolNode) -> None:
        assert node.op is not None
        ins, last = self._types_in(node), self._visited.get(id(node))
        if last is None or node.op.name in _KEEP_ELEMENTS or not all(map(operator.is_, last, ins)):
            self._visited[id(node)] = self._learn(node, ins)

    def _learn(self, node: SymbolNode, ins: tuple[TensorType, ...]) -> tuple[TensorType, ...]:
        """Complete the types of a node's inputs, infer those of its outputs, and return those of the inputs."""
        assert node.op is not None
        # A node of a file may have fewer inputs than its operator takes.
        if len(node.inputs) < len(node.op.inputs) and not node.op.variadic:
            require_inputs(node.op, [*node.inputs, *[None] * (len(node.op.inputs) - len(node.inputs))], node.params)
        given, key = ins, (id(node.params), *map(id, ins))
        learned = self._learned.get(key)
        try:
            news = self._news(node.op, ins, node.params) if learned is None else learned.news
            for k, new in news:
                entry = node.inputs[k]
                if entry is not None:
                    self._refine(entry[0], entry[1], new)
            if news:
                ins = self._types_in(node)
            if learned is not None and (not news or all(map(operator.is_, learned.completed, ins))):
                results = learned.results
            else:
                results = self._results(node.op, given, ins, node.params)
                if _are_settled((*given, *ins, *results)):
                    self._learned[key] = _Learned(given, news, ins, results)
            for index, result in enumerate(results):
                self._refine(node, index, result)
            if node.op.name in _KEEP_ELEMENTS:
                self._equate_elements(ins[0].shape, self.types[id(node), 0].shape)
        except InferError as error:
            place = f" at {node.source}" if node.source else ""
            raise MXNetError(f"Error in operator {node.name}{place}: {error.argument}: {error.reason}") from error
        return ins

    def _news(
        self, op: Operator, ins: tuple[TensorType, ...], params: Mapping[str, Any]
    ) -> list[tuple[int, TensorType]]:
        """Return the inputs, by position, that are completed from the others, with their types: one object a type."""
        filled = op.complete_types(ins, params)
        if filled is ins:
            return []
        news = [
            (k, new)
            for k, (old, new) in enumerate(zip(ins, filled, strict=False))
            if new is not None and new is not old and new != old
        ]
        if self._tells_no_shapes(ins):
            news = [(k, new.with_shape(None)) for k, new in news]
        return [(k, self._alike.setdefault(new, new)) for k, new in news]

    def _results(
        self, op: Operator, given: tuple[TensorType, ...], ins: tuple[TensorType, ...], params: Mapping[str, Any]
    ) -> tuple[TensorType, ...]:
        """Return the types of an operator's results, one object a type; `given` are those before completion."""
        results = op.infer_types(ins, params)
        if not self._thorough:
            results = told_by_mxnet(op.infer, results, ins, params)
        if self._tells_no_shapes(given):
            results = tuple(result.with_shape(None) for result in results)
        return tuple([self._alike.setdefault(result, result) for result in results])

    def _tells_no_shapes(self, ins: tuple[TensorType, ...]) -> bool:
        """Whether no input has any shape: MXNet's operators then tell none, neither of weights nor of results."""
        return not self._thorough and bool(ins) and all(known.shape is None for known in ins)

    def _reverse(self, node: SymbolNode) -> None:
        """Complete the shapes of a node's inputs by that of its result."""
        assert node.op is not None
        result = self.types[id(node), 0].shape
        shape = None if result is None else shape_of_inputs(node.op.infer, result, node.params)
        for entry in node.inputs:
            if entry is not None and shape is not None:
                self._refine(entry[0], entry[1], TensorType(shape))

    def _refine(self, node: SymbolNode, index: int, new: TensorType) -> None:
        key = (id(node), index)
        old = self.types.get(key)
        if old is None or (old.shape is None and old.dtype is None):
            # Nothing was known: all that the new type says is taken over.
            self.types[key] = new
            return
        if new is old or new == old:
            return
        # A recurrent layer's weights are packed into one vector; those of both directions have equal shapes.
        packed = node.op is not None and node.op.name == "_rnn_param_concat"
        self._unknowns.equate(old.shape, new.shape, evenly=packed)
        self.types[key] = TensorType(unify_shapes(old.shape, new.shape, "output"), old.dtype or new.dtype)

    def _equate_elements(self, data: Shape | None, result: Shape | None) -> None:
        """Use that two shapes have equally many elements: the last unknown size of one can be computed."""
        if data is not None and result is not None:
            self._unknowns.equate((product(data),), (product(self._unknowns.settle_shape(result) or ()),))

    def settle_dtypes(self) -> None:
        """Give all variables without a dtype the default one, and infer the rest."""
        for node in self.nodes:
            if node.op is None and self.types[id(node), 0].dtype is None:
                self._settle_dtype(node)
        self._visit_all()

    def _settle_dtype(self, variable: SymbolNode) -> None:
        """Give a variable the default dtype, or that of another input if there is one."""
        before = dict(self.types)
        refused = None
        for dtype in (self._default_dtype, *self._dtypes_beside(variable)):
            self.types = dict(before)
            self.types[id(variable), 0] = before[id(variable), 0].with_dtype(dtype)
            try:
                return self._visit_all()
            except MXNetError as error:
                refused = refused or error
        raise refused or MXNetError(f"variable {variable.name} has no dtype")

    def _dtypes_beside(self, variable: SymbolNode) -> list[str]:
        users = [n.inputs for n in self.nodes if any(e is not None and e[0] is variable for e in n.inputs)]
        found = [self.type_of(e).dtype for inputs in users for e in inputs if e is not None]
        return list(dict.fromkeys(d for d in found if d is not None))

    def _visit_all(self) -> None:
        for node in self.nodes:
            if node.op is not None:
                self._visit(node)


class _Learned(NamedTuple):
    """The types that a node inferred from the types `given`, which are kept alive as cache keys.

    `news` are the types of inputs that are completed, `completed` the types of all inputs then, and `results` follow.
    """

    given: tuple[TensorType, ...]
    news: list[tuple[int, TensorType]]
    completed: tuple[TensorType, ...]
    results: tuple[TensorType, ...]


def _are_settled(types: tuple[TensorType, ...]) -> bool:
    """Whether no shape has an unknown size, which is one of its node alone."""
    return all(t.shape is None or _is_known(t.shape) for t in types)


def _is_known(shape: Shape | None) -> bool:
    return shape is not None and all(isinstance(size, int) for size in shape)


def _declared_shape(node: SymbolNode) -> Shape | None:
    """Return the shape that a variable declares, None for none. Raises MXNetError for what is no shape."""
    declared = node.attributes.get("__shape__")
    if not declared:
        return None
    try:
        shape = _literal(declared)
        return from_mxnet_shape((shape,) if isinstance(shape, int) else shape)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError, OverflowError):
        raise MXNetError(f"variable {node.name}: its attribute __shape__ is no shape: {declared[:80]}") from None


@lru_cache(maxsize=1024)
def _literal(text: str) -> Any:
    """Return the value of a literal that a variable declares, which nobody changes."""
    return literal(text)


def _declared_dtype(node: SymbolNode) -> str | None:
    """Return the dtype that a variable declares, None for none. Raises MXNetError for what is no dtype."""
    flag = node.attributes.get("__dtype__")
    if flag is None:
        return None
    try:
        return _DTYPES.get(int(flag)) if flag.lstrip("-").isdigit() else dtype_name(flag)
    except (ValueError, TypeError):
        raise MXNetError(f"variable {node.name}: its attribute __dtype__ is no dtype: {flag[:80]}") from None
