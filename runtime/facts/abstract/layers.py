"""The effect of Gluon layers on tensor types, depending on their constructor arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property, lru_cache
from typing import Any

from hybridlint.runtime.facts.abstract.arguments import (
    UNKNOWN,
    Arguments,
    Inner,
    argument_names,
    build,
    substitute_unknowns,
    takes_any,
)
from hybridlint.runtime.facts.abstract.blocks import Block, HybridBlock
from hybridlint.runtime.facts.abstract.choices import ways
from hybridlint.runtime.facts.abstract.loading import layer_class
from hybridlint.runtime.facts.abstract.runs import (
    POOLED,
    SIZES,
    UNFIT,
    Outline,
    Run,
    common,
    fill_outline,
    input_count,
    joins_blocks,
    refuses_symbols,
    runs,
)
from hybridlint.runtime.facts.dims import Dim, DimLike, in_order, put_back
from hybridlint.runtime.facts.types import Shape, TensorType

#: Input shapes for which a layer caches the output shapes.
_MOST_SHAPES = 64


class Layer:
    """A layer class with particular constructor arguments."""

    def __init__(self, name: str, made: type[Block], arguments: Arguments) -> None:
        self._name = name
        self._class = made
        self._arguments = arguments
        self._shapes: dict[Shape | None, Outline | None] = {}
        self._by_rank: dict[int, list[Run]] = {}
        self._facts: dict[str, bool | None] = {}

    @property
    def inner(self) -> Inner:
        """The layer as an argument of another layer."""
        return Inner(self._class, self._arguments)

    @property
    def hybrid(self) -> bool:
        """Whether the layer is a HybridBlock."""
        return is_hybrid_layer(self._name) is True

    @cached_property
    def steps(self) -> bool:
        """Whether the layer is a recurrent cell, which maps one step and its states to an output and new states."""
        return hasattr(self._class, "unroll")

    @cached_property
    def has_states(self) -> bool:
        """Whether the layer is a recurrent cell with states; True for cells whose states are not known."""
        if self.holds_others:
            return self.steps
        made: Any = self._class
        counts = ways(lambda: len(build(made, self._arguments).state_info(1)), UNFIT) if self.steps else [0]  # type: ignore[attr-defined]
        return not counts or any(counts)

    @cached_property
    def unrolls_plainly(self) -> bool:
        """Whether unrolling only calls the cell for each step: it does not override `unroll` or `reset`."""
        definers = (next((c for c in self._class.__mro__ if n in vars(c)), None) for n in ("unroll", "reset"))
        return self.steps and len({*definers}) == 1

    @cached_property
    def sequences(self) -> bool:
        """Whether the layer takes whole sequences. It also returns states if states are passed."""
        return hasattr(self._class, "begin_state") and not self.steps

    @cached_property
    def holds_others(self) -> bool:
        """Whether the layer is a container that blocks are added to."""
        return hasattr(self._class, "add")

    @cached_property
    def calls_function(self) -> bool:
        """Whether the layer behaves like a function passed to it, as in HybridLambda."""
        return "function" in argument_names(self._class)

    @cached_property
    def inputs(self) -> int:
        """Number of required input tensors."""
        return 1 if self.sequences else input_count(self._class, self._general.parameters)

    @cached_property
    def parameters(self) -> Mapping[str, tuple[DimLike, ...] | None]:
        """The shapes of the layer's own parameters by name. A size of 0 is inferred later."""
        return {name: parameter.shape for block in self._built for name, parameter in block._reg_params.items()}

    @cached_property
    def has_parameters(self) -> bool | None:
        """Whether the layer or a part of it has parameters; None if that depends on blocks passed to it."""
        if self.calls_function:
            return False
        general = {bool(block.all_parameters()) for block in self._general._built}
        if len(general) == 1:
            return general.pop()
        return any(block.all_parameters() for block in self._built) if self._built else None

    @cached_property
    def asks_mode(self) -> bool:
        """Whether the layer may behave differently in train mode."""
        general = self._general._always("modal")
        if general is not None:
            return general
        # The answer is the same for every input rank; the highest rank has every axis that arguments name.
        found = self._of_rank(self._ranks[-1]) if self._ranks else []
        return not (found or self._all_runs) or any(run.modal for run in found or self._all_runs)

    @cached_property
    def moves_statistics(self) -> bool:
        """Whether the layer may move statistics on in training, as BatchNorm does."""
        return not self._all_runs or any(run.moves for run in self._all_runs)

    @cached_property
    def keeps_shape(self) -> bool:
        """Whether the output always has the shape of the input."""
        return self._in_all_runs("keeps_shape")

    @cached_property
    def keeps_dtype(self) -> bool:
        """Whether the output has the dtype of the input."""
        return self._in_all_runs("keeps_dtype")

    @cached_property
    def returns_input(self) -> bool:
        """Whether the layer returns its input unchanged."""
        return self._in_all_runs("returns_input")

    @cached_property
    def alters(self) -> bool:
        """Whether the layer computes other values from its input."""
        return self._in_all_runs("alters")

    @cached_property
    def gives_one(self) -> bool:
        """Whether the layer maps one input tensor to one output tensor."""
        return self.inputs == 1 and self._in_all_runs("single")

    @cached_property
    def pools_all(self) -> bool:
        """Whether the output has a single position on each spatial axis (global pooling)."""
        return self._in_all_runs("pools_all")

    @cached_property
    def narrows(self) -> bool:
        """Whether the output is the input with one dimension, that of features or channels, made 1."""
        return self._may_narrow and all(run.narrows for run in self._all_runs if run.meant)

    @cached_property
    def features(self) -> int | None:
        """The size that the last dimension gets where all others stay; 0 if that is unknown, None for other layers."""
        sizes = {run.features for run in self._all_runs if run.meant} if self.gives_one else {None}
        return sizes.pop() if len(sizes) == 1 else None if None in sizes else 0

    @cached_property
    def narrows_matrices(self) -> bool:
        """Whether the layer narrows inputs of two dimensions, even if it flattens other inputs."""
        return self._may_narrow and any(run.narrows for run in self._all_runs if run.given.rank == 2)

    @property
    def _may_narrow(self) -> bool:
        """Whether one of the arguments is 1, as a number of features or channels would be."""
        given = (*self._arguments.values, *self._arguments.keywords.values())
        return any(type(value) is int and value == 1 for value in given) and self.gives_one

    @cached_property
    def keeps_pooled(self) -> bool:
        """Whether the layer slides a window, and maps an input with a single position to one with a single position."""
        types = [type for type in POOLED if type.rank in self._taken]
        return any(run.stays_pooled for type in types for run in self._runs(type))

    @cached_property
    def joins(self) -> bool:
        """Whether a container combines the outputs of its children into a new tensor."""
        return joins_blocks(self._class)

    @cached_property
    def reads_shape(self) -> bool:
        """Whether the layer reads the shape of its inputs, which Symbols do not have."""
        return self.inputs > 1 and refuses_symbols(self._class, self.inputs, self._arguments)

    def type_of(self, data: TensorType) -> TensorType:
        """Return the output type for an input type, with unknown parts; for a cell, without its states."""
        dtype = data.dtype if self.keeps_dtype else None
        if self.keeps_shape:
            return TensorType(data.shape, dtype)
        return TensorType(fill_outline(self._outline(data.shape)), dtype)

    def _outline(self, shape: Shape | None) -> Outline | None:
        """Return the known sizes of the output shape, cached for shapes that differ only in names of sizes."""
        plain = (shape, ()) if shape is None else in_order(shape)
        if plain is None:
            return self._of(shape)
        alike, names = plain
        if alike not in self._shapes:
            if len(self._shapes) > _MOST_SHAPES:
                self._shapes.clear()
            self._shapes[alike] = self._of(alike)
        known = self._shapes[alike]
        return known and tuple(None if size is None else put_back(size, names) for size in known)

    def _of(self, shape: Shape | None) -> Outline | None:
        if shape is None:
            found = self._of_any()
        else:
            found = common([run.type.shape for run in self._runs(TensorType(shape))], known=True)
        # A layer may be given half a unit: it fails once it has parameters.
        whole = all(size is None or isinstance(size, int | Dim) for size in found or ())
        return found if whole else None

    def _of_any(self) -> Outline | None:
        """Return the known parts of the output shape for any input of the expected rank."""
        runs = [run for rank in self._ranks for run in self._of_rank(rank)]
        return common([run.type.shape for run in runs], known=False)

    def _in_all_runs(self, fact: str) -> bool:
        """Whether a fact of runs holds for every input rank that the layer accepts, and there is at least one.

        A fact that does not depend on the arguments is asked for once for the whole class.
        """
        always = self._general._always(fact)
        return bool(self._all_runs) and all(getattr(run, fact) for run in self._all_runs) if always is None else always

    def _always(self, fact: str) -> bool | None:
        """Return a fact of runs that is the same in all of them; None if it is not, or if there are none."""
        if fact not in self._facts:
            known = {bool(getattr(run, fact)) for run in self._all_runs}
            self._facts[fact] = known.pop() if len(known) == 1 else None
        return self._facts[fact]

    @cached_property
    def _ranks(self) -> list[int]:
        """The input ranks that the layer expects."""
        return self._general._ranks_meant

    @cached_property
    def _ranks_meant(self) -> list[int]:
        return sorted({len(run.given.shape or ()) for run in self._all_runs if run.meant})

    @cached_property
    def _general(self) -> Layer:
        """A layer of the same class whose constructor arguments are all unknown."""
        return layer_of_any(self._name) or self

    @cached_property
    def _attempts(self) -> tuple[Arguments, ...]:
        return (self._arguments, *substitute_unknowns(self._class, self._arguments))

    @cached_property
    def _built(self) -> list[Block]:
        """The layer on each path through its `__init__`, with substitutes for unknown arguments if needed."""
        attempts = (ways(lambda a=a: build(self._class, a), UNFIT) for a in self._attempts)  # type: ignore[misc]
        return next(filter(None, attempts), [])

    @cached_property
    def _all_runs(self) -> list[Run]:
        """The runs on inputs of each rank; if the arguments allow none, the runs with substituted arguments."""
        own = [run for rank in self._taken for run in self._of_rank(rank)]
        others = self._attempts[1:] if not own else ()
        types = [TensorType(SIZES[:rank]) for rank in self._taken]
        return own or [run for a in others for type in types for run in runs(self._class, self.inputs, type, a)]

    @property
    def ranks_taken(self) -> Sequence[int]:
        """The ranks of the inputs that layers of the class take; none if they are not known."""
        return self._general._ranks_run

    @cached_property
    def _ranks_run(self) -> list[int]:
        return sorted({len(run.given.shape or ()) for run in self._all_runs})

    @cached_property
    def _taken(self) -> Sequence[int]:
        """The input ranks to try: ranks that layers of the class accept, mostly a single one."""
        found = self.ranks_taken if self._general is not self else ()
        return found or range(1, len(SIZES) + 1)

    def _of_rank(self, rank: int) -> list[Run]:
        """Return the runs on an input of a rank with distinct sizes."""
        if rank not in self._by_rank:
            self._by_rank[rank] = self._runs(TensorType(SIZES[:rank]))
        return self._by_rank[rank]

    def _runs(self, data: TensorType) -> list[Run]:
        return runs(self._class, self.inputs, data, self._arguments)


@lru_cache(maxsize=4096)
def layer(name: str, values: tuple[Any, ...] = (), keywords: tuple[tuple[str, Any], ...] = ()) -> Layer | None:
    """Return Gluon's layer `name` with the given hashable arguments, or None if there is no such layer.

    Arguments are constants, layers, or `UNKNOWN`.
    """
    made = layer_class(name)
    if made is None:
        return None
    telling = tuple((key, value) for key, value in keywords if not _only_names_or_fills(made, key))
    if len(telling) < len(keywords):
        return layer(name, values, telling)
    named = {key: _argument(value) for key, value in keywords}
    return Layer(name, made, Arguments(tuple(map(_argument, values)), named))


@cache
def layer_of_any(name: str) -> Layer | None:
    """Return Gluon's layer `name` with all arguments unknown."""
    made = layer_class(name)
    return None if made is None else layer(name, (), tuple((key, UNKNOWN) for key in argument_names(made)))


def is_hybrid_layer(name: str) -> bool | None:
    """Return whether Gluon's layer `name` is a HybridBlock, or None if there is no such layer."""
    made = layer_class(name)
    return None if made is None else issubclass(made, HybridBlock)


def _only_names_or_fills(made: type[Block], argument: str) -> bool:
    """Whether an argument only sets names or initial values of parameters, on which no type depends."""
    if argument in {"prefix", "params"}:
        return argument in argument_names(made) or takes_any(made)
    return argument.endswith("_initializer") and argument in argument_names(made)


def _argument(value: Any) -> Any:
    return value.inner if isinstance(value, Layer) else value
