"""What layers of Gluon do to types: each is built from its own source and run on tensors without data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from hybridlint.runtime.abstract.blocks import Block, HybridBlock
from hybridlint.runtime.abstract.choices import Open, is_open, ways
from hybridlint.runtime.abstract.loading import layer_class
from hybridlint.runtime.abstract.tensors import ShapeIsRead, TypedTensor, calls
from hybridlint.runtime.dims import Dim, DimLike
from hybridlint.runtime.types import InferError, Shape, TensorType

#: What a layer raises for arguments and inputs that it does not take.
UNFIT = (InferError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError, AssertionError)
UNFIT_OR_UNWRITTEN = (*UNFIT, NotImplementedError, ShapeIsRead)

#: Stands for an argument of which nothing is known.
UNKNOWN: Any = type("UnknownArgument", (), {"__repr__": lambda self: "?"})()

#: Sizes that no two axes share, by which an axis is recognized in the output.
_SIZES: Shape = tuple(map(Dim.named, ("A", "B", "C", "D", "E")))


class _Same(HybridBlock):
    """A block that gives its input back."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return `x`."""
        return x


@dataclass(frozen=True, eq=False)
class Run:
    """One way through a layer: the type that it gives for one, and what it calls.

    `single` is set where the result is one tensor, not that and states. `rank` is the one that a layout names.
    """

    given: TensorType
    type: TensorType
    single: bool
    modal: bool
    slides: bool
    rank: int | None
    returns_input: bool

    @property
    def keeps_shape(self) -> bool:
        """Whether the result has the shape of the input."""
        return self.single and self.type.shape == self.given.shape

    @property
    def meant(self) -> bool:
        """Whether the input has the axes that it is meant to have."""
        return self.rank in {None, self.given.rank}


class Layer:
    """A layer that is built with some arguments."""

    def __init__(self, made: type[Block], values: tuple[Any, ...], keywords: Mapping[str, Any]) -> None:
        self._class = made
        self._values = values
        self._keywords = keywords

    @property
    def hybrid(self) -> bool:
        """Whether it can be compiled."""
        return issubclass(self._class, HybridBlock)

    @property
    def steps(self) -> bool:
        """Whether it is a cell: it takes one step of a sequence and a list of states, and gives both anew."""
        return hasattr(self._class, "unroll")

    @property
    def sequences(self) -> bool:
        """Whether it takes whole sequences, and gives states where it was given some."""
        return hasattr(self._class, "begin_state") and not self.steps

    @property
    def holds_others(self) -> bool:
        """Whether blocks are added to it."""
        return hasattr(self._class, "add")

    @property
    def calls_function(self) -> bool:
        """Whether it does what a function does that it is given."""
        return "function" in _argument_names(self._class)

    @cached_property
    def inputs(self) -> int:
        """Number of tensors that it must be given."""
        if self.sequences:
            return 1
        forward = getattr(self._class, "hybrid_forward" if self.hybrid else "forward")
        code = forward.__code__
        names = code.co_varnames[2 if self.hybrid else 1 : code.co_argcount - len(forward.__defaults__ or ())]
        return sum(name not in self.parameters for name in names)

    @cached_property
    def parameters(self) -> Mapping[str, tuple[DimLike, ...] | None]:
        """The shapes of its own parameters by name, where a size of 0 comes later."""
        for values, keywords in self._attempts:
            built = ways(lambda v=values, k=keywords: self._build(v, k), UNFIT_OR_UNWRITTEN)  # type: ignore[misc]
            if built:
                return {name: parameter.shape for block in built for name, parameter in block._reg_params.items()}
        return {}

    @cached_property
    def has_parameters(self) -> bool | None:
        """Whether the layer or a part of it has parameters; None where that depends on blocks that it is given."""
        if self.calls_function:
            return False
        for values, keywords in self._attempts:
            built = ways(lambda v=values, k=keywords: self._build(v, k), UNFIT_OR_UNWRITTEN)  # type: ignore[misc]
            if built:
                return any(block.all_parameters() for block in built)
        return None

    @cached_property
    def asks_mode(self) -> bool:
        """Whether it may do something else in train mode."""
        return not self._probes or any(run.modal for run in self._probes)

    @cached_property
    def keeps_shape(self) -> bool:
        """Whether the output has the shape of the input, whatever that is."""
        return bool(self._probes) and all(run.keeps_shape for run in self._probes)

    @cached_property
    def returns_input(self) -> bool:
        """Whether it gives its input back."""
        return bool(self._probes) and all(run.returns_input for run in self._probes)

    @cached_property
    def gives_one(self) -> bool:
        """Whether it makes one tensor of one, and takes no more."""
        return self.inputs == 1 and bool(self._probes) and all(run.single for run in self._probes)

    @cached_property
    def joins(self) -> bool:
        """Whether it makes something new of what the blocks give that are added to it."""
        block, tensor = self._class(), TypedTensor(TensorType())
        block.add(_Same(), _Same())  # type: ignore[attr-defined]
        before = calls.set([])
        try:
            return block(tensor) is not tensor
        finally:
            calls.reset(before)

    @cached_property
    def pools_all(self) -> bool:
        """Whether it leaves one position of all."""
        return bool(self._probes) and all(run.slides and _is_pooled(run) for run in self._probes)

    @cached_property
    def keeps_pooled(self) -> bool:
        """Whether it slides over positions, and leaves one position where there is one."""
        pooled = (TensorType((*_SIZES[:2], *rest)) for rest in ((1,), (1, 1), (1, 1, 1)))
        last = (TensorType((_SIZES[0], *rest, _SIZES[1])) for rest in ((1,), (1, 1), (1, 1, 1)))
        return any(run.slides and _stays_pooled(run) for type in (*pooled, *last) for run in self._runs(type))

    @cached_property
    def keeps_dtype(self) -> bool:
        """Whether the result's dtype is that of the input."""
        return all(run.type.dtype is None for run in self._probes)

    @cached_property
    def reads_shape(self) -> bool:
        """Whether it asks its inputs for their shape, which Symbols have not."""
        try:
            self._run(TensorType(_SIZES[:2]), self._values, self._keywords)
        except ShapeIsRead:
            return True
        except UNFIT_OR_UNWRITTEN:
            pass
        return False

    def type_of(self, data: TensorType) -> TensorType:
        """Return the type of the tensor that the layer makes of one, as far as it is known; of a cell, its output."""
        dtype = data.dtype if self.keeps_dtype else None
        if self.keeps_shape:
            return TensorType(data.shape, dtype)
        if not self._settled:
            return TensorType(None, dtype)
        if data.shape is None:
            return TensorType(_common([run.type.shape for run in self._probes if run.meant], known=False), dtype)
        return TensorType(_common([run.type.shape for run in self._runs(TensorType(data.shape))], known=True), dtype)

    @cached_property
    def _attempts(self) -> tuple[tuple[tuple[Any, ...], Mapping[str, Any]], ...]:
        return ((self._values, self._keywords), *_substituted(self._class, self._values, self._keywords))

    @cached_property
    def _settled(self) -> bool:
        """Whether the layer runs with the arguments that it is given, and not merely with others in their place."""
        return bool(self._attempted[0])

    @property
    def _probes(self) -> list[Run]:
        return self._attempted[0] or self._attempted[1]

    @cached_property
    def _attempted(self) -> tuple[list[Run], list[Run]]:
        """Return the runs with the arguments as they are and, where there are none, with others for unknown ones."""
        (values, keywords), *others = self._attempts
        types = [TensorType(_SIZES[:rank]) for rank in range(1, len(_SIZES) + 1)]
        runs = [run for type in types for run in self._runs(type, values, keywords)]
        if runs:
            return runs, []
        return [], [run for v, k in others for type in types for run in self._runs(type, v, k)]

    def _runs(
        self, data: TensorType, values: tuple[Any, ...] | None = None, keywords: Mapping[str, Any] | None = None
    ) -> list[Run]:
        given = self._values if values is None else values, self._keywords if keywords is None else keywords
        return ways(lambda: self._run(data, *given), UNFIT_OR_UNWRITTEN)

    def _run(self, data: TensorType, values: tuple[Any, ...], keywords: Mapping[str, Any]) -> Run:
        block = self._build(values, keywords)
        tensor = TypedTensor(data)
        extra = self._further(block, data)
        before = calls.set([])
        try:
            value = block(tensor, *extra)
            called = calls.get()
        finally:
            calls.reset(before)
        modal = any(operator.asks_mode(params) for operator, params in called)
        slides = any("kernel" in operator.params for operator, _ in called)
        layouts = [params["layout"] for _, params in called if isinstance(params.get("layout"), str)]
        rank = len(layouts[0]) if layouts else None
        first = value[0] if isinstance(value, tuple) and value else value
        if not isinstance(first, TypedTensor):
            raise TypeError("a layer gives tensors")
        return Run(data, first.type, first is value, modal, slides, rank, value is tensor)

    def _further(self, block: Block, data: TensorType) -> tuple[Any, ...]:
        """Return what the layer takes beside its first input: states, or more of the same."""
        if self.steps:
            return ([TypedTensor(TensorType()) for _ in block.state_info()],)  # type: ignore[attr-defined]
        return tuple(TypedTensor(data) for _ in range(self.inputs - 1)) if not self.sequences else ()

    def _build(self, values: tuple[Any, ...], keywords: Mapping[str, Any]) -> Block:
        return self._class(*map(_argument, values), **{name: _argument(value) for name, value in keywords.items()})


@lru_cache(maxsize=4096)
def layer(name: str, values: tuple[Any, ...] = (), keywords: tuple[tuple[str, Any], ...] = ()) -> Layer | None:
    """Return the layer that Gluon calls `name`, built with arguments that can be hashed; None if it has none.

    Arguments are constants, layers, or `UNKNOWN`.
    """
    made = layer_class(name)
    return None if made is None else Layer(made, values, dict(keywords))


def layer_of_any(name: str) -> Layer | None:
    """Return the layer that Gluon calls `name`, built with arguments of which nothing is known."""
    made = layer_class(name)
    return None if made is None else layer(name, (), tuple((name, UNKNOWN) for name in _argument_names(made)))


def _argument_names(made: type[Block]) -> tuple[str, ...]:
    code = made.__init__.__code__
    return code.co_varnames[1 : code.co_argcount]


def _argument(value: Any) -> Any:
    if value is UNKNOWN:
        return Open.new()
    if isinstance(value, Layer):
        return value._build(value._values, value._keywords)
    return tuple(map(_argument, value)) if isinstance(value, tuple) else value


def _substituted(
    made: type[Block], values: tuple[Any, ...], keywords: Mapping[str, Any]
) -> Iterable[tuple[tuple[Any, ...], Mapping[str, Any]]]:
    """Yield arguments that might be meant: for those that are unknown or missing, defaults and their neighbours."""
    names, defaults = _argument_names(made), made.__init__.__defaults__ or ()
    preset = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    given = {**dict.fromkeys(names, UNKNOWN), **preset, **dict(zip(names, values, strict=False)), **keywords}
    for other in (False, True):
        yield (
            (),
            {
                name: _neighbour(preset[name], other) if value is UNKNOWN and name in preset else value
                for name, value in given.items()
            },
        )


def _neighbour(default: Any, other: bool) -> Any:
    if isinstance(default, bool):
        return default is not other
    return default + 1 if other and isinstance(default, int) else default


def _is_pooled(run: Run) -> bool:
    shape, given = run.type.shape if run.single else None, run.given.shape
    if shape is None or given is None or len(shape) != len(given):
        return False
    return 1 in shape and all(size in {1, old} for size, old in zip(shape, given, strict=True))


def _stays_pooled(run: Run) -> bool:
    shape, given = run.type.shape if run.single else None, run.given.shape
    if shape is None or given is None or len(shape) != len(given):
        return False
    return all((size == 1) == (old == 1) for size, old in zip(shape, given, strict=True))


def _common(shapes: list[Shape | None], *, known: bool) -> Shape | None:
    """Return the shape that shapes have in common; sizes that are named after a probe's are unknown."""
    first = shapes[0] if shapes else None
    if first is None or any(shape is None or len(shape) != len(first) for shape in shapes):
        return None
    columns = zip(*(shape for shape in shapes if shape is not None), strict=True)
    return tuple(_agreed(column, known=known) for column in columns)


def _agreed(sizes: tuple[DimLike, ...], *, known: bool) -> DimLike:
    size = sizes[0]
    usable = isinstance(size, int) or (known and not is_open(size))
    return size if usable and all(other == size for other in sizes) else Dim.fresh()
