"""Runs of layers on a tensor type, and the facts derived from them."""

from __future__ import annotations

from collections.abc import Container
from typing import Any, TypeAlias

from hybridlint.runtime.facts import properties
from hybridlint.runtime.facts.abstract.arguments import Arguments, build
from hybridlint.runtime.facts.abstract.blocks import Block, HybridBlock
from hybridlint.runtime.facts.abstract.choices import is_open, ways
from hybridlint.runtime.facts.abstract.tensors import ShapeIsRead, TypedTensor, calls
from hybridlint.runtime.facts.dims import Dim, DimLike
from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.types import InferError, Shape, TensorType

#: Exceptions of layers for unsuitable arguments and inputs.
UNFIT = (
    *(InferError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError, AssertionError),
    *(NotImplementedError, ShapeIsRead),
)
#: Distinct sizes for the input's axes, so that each axis can be recognized in the output.
SIZES: Shape = tuple(map(Dim.named, ("A", "B", "C", "D", "E")))
#: A shape in which unknown sizes are None.
Outline: TypeAlias = tuple[DimLike | None, ...]

_SPACES = ((1,), (1, 1), (1, 1, 1))
#: Types of data with a single spatial position, channels first and channels last.
POOLED = (
    *(TensorType((*SIZES[:2], *space)) for space in _SPACES),
    *(TensorType((SIZES[0], *space, SIZES[1])) for space in _SPACES),
)


@record(frozen=True, eq=False, slots=True)
class Run:
    """One path through a layer: the output type for an input type, and the operators called.

    `single` is true if the result is one tensor without states. `modal` is true if an operator depends on the mode,
    `moves` if one moves statistics on in training, `slides` if one has a window, `alters` if one computes other values.
    `rank` is the rank implied by a layout argument, if any.
    """

    given: TensorType
    type: TensorType
    single: bool
    modal: bool
    moves: bool
    slides: bool
    alters: bool
    rank: int | None
    returns_input: bool

    @property
    def keeps_shape(self) -> bool:
        """Whether the output has the shape of the input."""
        return self.single and self.type.shape == self.given.shape

    @property
    def keeps_dtype(self) -> bool:
        """Whether the output has the dtype of the input."""
        return self.type.dtype is None

    @property
    def meant(self) -> bool:
        """Whether the input has the rank that the layer's layout implies."""
        return self.rank in {None, self.given.rank}

    @property
    def pools_all(self) -> bool:
        """Whether the output has one position on each spatial axis."""
        pairs = self._pairs()
        return any(size == 1 for size, _ in pairs) and all(size in {1, old} for size, old in pairs)

    @property
    def narrows(self) -> bool:
        """Whether one dimension of the input is 1 in the output, and all others are as they were."""
        shape, given = self.type.shape, self.given.shape
        if not self.single or shape is None or given is None or len(shape) != len(given):
            return False
        return [size for size, old in zip(shape, given, strict=True) if size != old] == [1]

    @property
    def features(self) -> int | None:
        """The new size of the last dimension, 0 if it is unknown; None if others change too, or none."""
        shape, given = self.type.shape, self.given.shape
        if not self.single or not shape or not given or len(shape) != len(given) or shape[:-1] != given[:-1]:
            return None
        return None if shape[-1] == given[-1] else shape[-1] if isinstance(shape[-1], int) else 0

    @property
    def stays_pooled(self) -> bool:
        """Whether a window slides over data with one position per axis, and one position remains."""
        pairs = self._pairs()
        return bool(pairs) and all((size == 1) == (old == 1) for size, old in pairs)

    def _pairs(self) -> list[tuple[DimLike, DimLike]]:
        """Return (output size, input size) pairs of the axes that a window slides over."""
        shape, given = self.type.shape, self.given.shape
        if not self.slides or shape is None or given is None or len(shape) != len(given):
            return []
        return list(zip(shape, given, strict=True))


def runs(made: type[Block], inputs: int, data: TensorType, arguments: Arguments) -> list[Run]:
    """Return a run for each path through a layer on `data`, which is passed for every input."""
    return ways(lambda: _run(made, inputs, data, arguments), UNFIT)


def refuses_symbols(made: type[Block], inputs: int, arguments: Arguments) -> bool:
    """Whether a layer reads an attribute of its input that Symbols do not have."""
    try:
        _run(made, inputs, TensorType(SIZES[:2]), arguments)
    except ShapeIsRead:
        return True
    except UNFIT:
        pass
    return False


def input_count(made: type[Block], parameters: Container[str]) -> int:
    """Return the number of tensors that layers of a class require besides their parameters."""
    hybrid = issubclass(made, HybridBlock)
    forward: Any = getattr(made, "hybrid_forward" if hybrid else "forward")
    code = forward.__code__
    names = code.co_varnames[2 if hybrid else 1 : code.co_argcount - len(forward.__defaults__ or ())]
    return sum(name not in parameters for name in names)


def joins_blocks(made: type[Block]) -> bool:
    """Whether a container class combines the outputs of its children into a new tensor."""
    block, tensor = made(), TypedTensor(TensorType())
    block.add(_Same(), _Same())  # type: ignore[attr-defined]
    before = calls.set([])
    try:
        return block(tensor) is not tensor
    finally:
        calls.reset(before)


class _Same(HybridBlock):
    """A block that returns its input."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return `x`."""
        return x


def _run(made: type[Block], inputs: int, data: TensorType, arguments: Arguments) -> Run:
    block, tensor = build(made, arguments), TypedTensor(data)
    before = calls.set([])
    try:
        value = block(tensor, *_further(block, inputs, data))
        called = calls.get()
    finally:
        calls.reset(before)
    first = value[0] if isinstance(value, tuple) and value else value
    if not isinstance(first, TypedTensor):
        raise TypeError("a layer gives tensors")
    modal = any(operator.asks_mode(params) for operator, params in called)
    moves = any(operator.update_aux is not None for operator, _ in called)
    slides = any("kernel" in operator.params for operator, _ in called)
    alters = any(properties.alters(operator) for operator, _ in called)
    layouts = [params["layout"] for _, params in called if isinstance(params.get("layout"), str)]
    rank = len(layouts[0]) if layouts else None
    return Run(data, first.type, first is value, modal, moves, slides, alters, rank, value is tensor)


def _further(block: Block, inputs: int, data: TensorType) -> tuple[Any, ...]:
    """Return the inputs after the first: the states of a cell, or more tensors of the same type."""
    if hasattr(block, "unroll"):
        return ([TypedTensor(TensorType()) for _ in block.state_info()],)  # type: ignore[attr-defined]
    return tuple(TypedTensor(data) for _ in range(inputs - 1))


def common(shapes: list[Shape | None], *, known: bool) -> Outline | None:
    """Return the sizes on which all shapes agree. If the input's shape is unknown, only integer sizes are kept."""
    first = shapes[0] if shapes else None
    if first is None or any(shape is None or len(shape) != len(first) for shape in shapes):
        return None
    columns = zip(*(shape for shape in shapes if shape is not None), strict=True)
    return tuple(_agreed(column, known=known) for column in columns)


def fill_outline(outline: Outline | None) -> Shape | None:
    """Return the shape in which each None of an outline is replaced by a new unknown size."""
    return None if outline is None else tuple(Dim.fresh() if size is None else size for size in outline)


def _agreed(sizes: tuple[DimLike, ...], *, known: bool) -> DimLike | None:
    size = sizes[0]
    usable = isinstance(size, int) or (known and not is_open(size))
    return size if usable and all(other == size for other in sizes) else None
