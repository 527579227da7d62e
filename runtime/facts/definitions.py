"""The definition of an operator: its kernel, rules, samples and facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from functools import cache
from typing import Any, TypeAlias

from hybridlint.runtime.facts.recipes import BufferRecipe
from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.signatures import Kernel, Param, keyword_names
from hybridlint.runtime.facts.storage import Storage
from hybridlint.runtime.facts.types import Shape, TensorType

Infer: TypeAlias = Callable[..., "TensorType | tuple[TensorType, ...]"]
Complete: TypeAlias = Callable[..., "tuple[TensorType | None, ...]"]
Grad: TypeAlias = Callable[..., "tuple[Any, ...]"]


@record(frozen=True, slots=True)
class Sample:
    """A sample call that an operator must support in every mode, as plain data. Tests draw the arrays.

    `shapes` are the inputs' shapes, `params` the keyword parameters. `low` and `high` bound the drawn values. `dtypes`
    has one entry per input (default float32); integer inputs get whole numbers.
    """

    shapes: tuple[Shape, ...]
    params: Mapping[str, Any] = field(default_factory=dict)
    low: float = -2.0
    high: float = 2.0
    dtypes: tuple[str, ...] = ()


def sample(*shapes: Shape, low: float = -2.0, high: float = 2.0, dtypes: tuple[str, ...] = (), **params: Any) -> Sample:
    """Return a `Sample`: ``sample((2, 3), (2, 3), axis=1)``."""
    return Sample(shapes, params, low, high, dtypes)


@record(frozen=True, slots=True)
class Refusal:
    """Returned by a gradient rule for an input whose gradient MXNet cannot compute.

    Backward fails if the variables for which gradients are requested depend on it; it succeeds if every path to them is
    cut.
    """

    reason: str

    def of(self, operator: str) -> Refusal:
        """Return a copy of the refusal with the operator's name in its message."""
        return Refusal(f"Error in gradient of operator {operator}: {self.reason}")


@record(frozen=True, slots=True)
class Facts:
    """The linter's facts about an operator beyond its signature and types."""

    #: The Python operator that calls it on two tensors, such as ``"+"``.
    operator: str | None = None
    #: The operator that computes the same with broadcasting.
    broadcast_twin: str | None = None
    #: Equivalent names in numpy (and in `math`).
    numpy_names: tuple[str, ...] = ()
    #: Functions of ``nd`` and ``sym``, implemented in Python, that call it on tensors and numbers alike.
    functions: tuple[str, ...] = ()
    #: Whether no other operator computes the same, so that confusing it with another is a mistake.
    distinct: bool = False
    #: Whether calls may differ for a reason the kernel does not show: it runs user code.
    unpredictable: bool = False
    #: Inputs that hold indices, as whole numbers.
    indices: tuple[str, ...] = ()
    #: Whether the results are positions along an axis, or numbers counting from 0 like positions.
    positions: bool = False
    #: Whether the result consists of sums of products of the inputs. MXNet accumulates their gradients if a step
    #: of a foreach uses an outer array as input.
    sums_products: bool = False
    #: Whether the result is linear in each of its two inputs, so that a number may as well scale one of them.
    bilinear: bool = False
    #: Parameters that a call must pass when traced, despite their defaults, because the gradient reads them.
    traced_required: tuple[str, ...] = ()
    #: For an operator that depends on the mode: whether these parameters make it behave the same in both modes.
    same_in_both_modes: Callable[..., bool] | None = None
    #: Whether the output shape depends on the values of the inputs.
    dynamic_shape: bool = False
    #: Whether it cannot be used on Symbols, as in MXNet: it changes its inputs, or has no names for them.
    eager_only: bool = False
    #: Whether numbers given as parameters are rounded to single precision, as MXNet holds them.
    single_precision: bool = False
    #: How many inputs an operator of any number has for each that ``num_args`` counts: ranges may follow the arrays.
    inputs_per_argument: int = 1
    #: The operator, with its parameters, that makes of a whole tensor what this one makes of all its rows along axis 0.
    of_all_rows: tuple[str, Mapping[str, Any]] | None = None
    #: Initializers, as in symbol JSON, of the variables given or created for these inputs.
    initial: Mapping[str, str] = field(default_factory=dict)
    #: Names of the inputs of an operator of any number with these parameters, the missing ones of which Symbols create;
    #: each with its initializer, "" for none.
    named_inputs: Callable[..., Mapping[str, str]] | None = None
    #: Suffixes of output names, if they are not "output" or "output0", "output1".
    output_names: tuple[str, ...] = ()
    #: Whether a graph that does not use the first output leaves the others unwritten, as in MXNet.
    written_beside_first: bool = False
    #: Whether MXNet's graphs give the incoming gradient itself to the inputs, where others make a new one.
    shares_gradient: bool = False
    #: With which parameters backward writes the gradient of the first input over the incoming gradient, where a graph's
    #: plan of memory lets it, and then computes the other gradients from that.
    overwrites_gradient: Callable[..., bool] | None = None
    #: The operator that computes the same with the same parameters, and has further outputs behind the others, which
    #: nobody sees: what its gradient would else compute again.
    recorded_as: str | None = None
    #: The inputs that a graph leaves filled with ones, by the parameters and by whether the run is recorded.
    filled_with_ones: Callable[..., tuple[str, ...]] | None = None
    #: Positions of the inputs that a condition reads, which is the first subgraph and is computed once where the run is
    #: recorded for them.
    read_by_condition: tuple[int, ...] | None = None


@record(frozen=True, eq=False, slots=True)
class Operator:
    """An operator's complete definition. The fields are those of `registry.Definition`."""

    name: str
    kernel: Kernel
    infer: Infer
    grad: Grad | None
    doc: str
    inputs: tuple[str, ...]
    optional_inputs: tuple[str, ...]
    variadic: bool
    params: Mapping[str, Param]
    reserved: frozenset[str]
    samples: tuple[Sample, ...]
    facts: Facts
    aliases: tuple[str, ...]
    aux: tuple[str, ...]
    outputs: Callable[[Mapping[str, Any]], int]
    visible: Callable[[Mapping[str, Any]], int]
    active_inputs: Callable[[Mapping[str, Any]], tuple[str, ...]]
    complete: Complete | None
    update_aux: Callable[..., tuple[Any, ...]] | None
    accepted: Mapping[str, frozenset[str] | None]
    method: str | None = None
    differentiable_twice: bool = False
    native: Kernel | None = None
    planned: Callable[..., BufferRecipe | None] | None = None
    pointwise: bool = False
    host: str | None = None
    storage: Storage | None = None
    #: Names of the parameters that determine the input and output types.
    shaping: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        names = (self.accepted["infer"], self.accepted["complete"])
        shaping = frozenset(name for name in self.params if any(known is None or name in known for known in names))
        object.__setattr__(self, "shaping", shaping)

    @property
    def internal(self) -> bool:
        """Whether the operator is internal, without a public name in ``nd`` or ``sym``."""
        return self.name.startswith("_hl_")

    @property
    def random(self) -> bool:
        """Whether results may differ between calls: the kernel takes a generator."""
        return "rng" in self.reserved or self.facts.unpredictable

    @property
    def modal(self) -> bool:
        """Whether the result depends on train mode: the kernel takes `training`."""
        return "training" in self.reserved

    @property
    def writes_inputs(self) -> bool:
        """Whether it may change its inputs when it runs eagerly."""
        return "eager" in self.reserved or self.facts.eager_only

    def asks_mode(self, params: Mapping[str, Any]) -> bool:
        """Whether the result depends on train mode with these parameters. Unknown ones are absent from `params`."""
        settled = self.facts.same_in_both_modes
        if not self.modal or settled is None:
            return self.modal
        names = keyword_names(settled) or frozenset()
        return not (names <= params.keys() and settled(**{name: params[name] for name in names}))

    def may_overwrite_gradient(self, params: Mapping[str, Any]) -> bool:
        """Whether backward in a graph may overwrite the incoming gradient before all gradients are computed."""
        rule = self.facts.overwrites_gradient
        return rule is not None and rule(**{name: params[name] for name in keyword_names(rule) or ()})

    def names_of_inputs(self, params: Mapping[str, Any]) -> Mapping[str, str]:
        """Return the names, each with its initializer, of the inputs that an operator of any number must have."""
        rule = self.facts.named_inputs
        return {} if rule is None else rule(**{name: params[name] for name in keyword_names(rule) or ()})

    def ones_left(self, params: Mapping[str, Any], *, recorded: bool) -> tuple[str, ...]:
        """Return the inputs that a graph leaves filled with ones."""
        rule = self.facts.filled_with_ones
        return () if rule is None else rule(recorded, **{name: params[name] for name in keyword_names(rule) or ()})

    def recipe(
        self,
        ins: tuple[TensorType | None, ...],
        outs: tuple[TensorType, ...],
        params: Mapping[str, Any],
        *,
        training: bool,
        lasting: bool,
    ) -> BufferRecipe | None:
        """Return how it computes in planned memory; None if its kernel does that as well.

        `lasting` says whether what is kept is worth it: the inputs that it is made of seldom change.
        """
        if self.planned is None:
            return None
        given = {**self.defaults(), **params, "training": training, "lasting": lasting}
        return self.planned(ins, outs, **self.only("planned", given))

    @property
    def differentiable(self) -> bool:
        """Whether a gradient passes through the operator to some of its inputs."""
        return self.grad is not None and self.grad is not zero_gradient

    def defaults(self) -> dict[str, Any]:
        """Return the parameters that have defaults, with the defaults, in a dict of the caller's own."""
        return dict(_defaults(self))

    def infer_types(self, ins: Iterable[TensorType], params: Mapping[str, Any]) -> tuple[TensorType, ...]:
        """Return the output types, including hidden ones. Raises InferError if the inputs are incompatible."""
        result = self.infer(*ins, **self.only("infer", params))
        return result if isinstance(result, tuple) else (result,)

    def complete_types(self, ins: tuple[TensorType, ...], params: Mapping[str, Any]) -> tuple[TensorType, ...]:
        """Return the input types completed from each other (a weight's shape from the data's)."""
        if self.complete is None:
            return ins
        filled = self.complete(*ins, **self.only("complete", params))
        return tuple(old if new is None else new for old, new in zip(ins, filled, strict=True))

    def gradients(
        self, functions: Any, heads: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], params: Mapping[str, Any]
    ) -> tuple[Any, ...]:
        """Return one gradient (or None) per input, computed with the operator namespace `functions`.

        `heads` is the gradient of the visible output, or a tuple if there are several.
        """
        assert self.grad is not None
        return self.grad(functions, heads, ins, outs, **self.only("grad", params))

    def only(self, role: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the parameters that the function in `role` ("infer", "grad", ...) declares.

        All of them if it takes ``**others``.
        """
        names = self.accepted[role]
        return params if names is None else {name: params[name] for name in names if name in params}


@cache
def _defaults(operator: Operator) -> Mapping[str, Any]:
    return {name: p.default for name, p in operator.params.items() if not p.required}


def zero_gradient(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[None, ...]:
    """Gradient rule that returns None for every input: the operator is piecewise constant."""
    return (None,) * len(ins)


def unknown_gradient(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Gradient rule for a gradient that MXNet has and this runtime lacks. Raises NotImplementedError."""
    raise NotImplementedError("the bundled runtime has no gradient of this operator of linear algebra or of sets")
