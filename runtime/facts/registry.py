"""The operator registry: one definition per operator, from which everything else is derived.

An operator is its kernel, a function ``(xp, *inputs, /, *, parameters)``: inputs are positional-only, parameters
keyword-only with annotations and defaults. Name, inputs, parameters and documentation are read from the function.
Four keyword-only names are reserved and are never parameters: ``out`` (an array the kernel may write its result to),
``training`` (whether train mode is on), ``rng`` (the random generator of the context) and ``eager`` (whether the
inputs are the caller's own arrays, outside any graph).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from hybridlint.runtime.facts.types import Shape, TensorType

Kernel: TypeAlias = Callable[..., Any]
Infer: TypeAlias = Callable[..., "TensorType | tuple[TensorType, ...]"]
Complete: TypeAlias = Callable[..., "tuple[TensorType | None, ...]"]
Grad: TypeAlias = Callable[..., "tuple[Any, ...]"]

RESERVED = ("out", "training", "rng", "eager")
REQUIRED: Any = type("Required", (), {"__repr__": lambda self: "<required>"})()

_POSITIONAL_REST = 0x04  # CO_VARARGS


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Refusal:
    """Returned by a gradient rule for an input whose gradient must not be requested.

    Backward fails if a variable depends on it, but not if the path to every variable is cut.
    """

    reason: str

    def of(self, operator: str) -> Refusal:
        """Return the refusal with the operator's name in its message."""
        return Refusal(f"Error in gradient of operator {operator}: {self.reason}")


@dataclass(frozen=True, slots=True)
class Facts:
    """What the linter needs to know about an operator beyond its signature and types."""

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
    #: Parameters that a call must pass when traced, despite their defaults, because the gradient reads them.
    traced_required: tuple[str, ...] = ()
    #: For an operator that depends on the mode: whether these parameters make it behave the same in both modes.
    same_in_both_modes: Callable[..., bool] | None = None
    #: Whether the output shape depends on the values of the inputs.
    dynamic_shape: bool = False
    #: Whether it cannot be used on Symbols, as in MXNet: it changes its inputs, or has no names for them.
    eager_only: bool = False
    #: Initializers, as in symbol JSON, of the variables given or created for these inputs.
    initial: Mapping[str, str] = field(default_factory=dict)
    #: Suffixes of output names, if they are not "output" or "output0", "output1".
    output_names: tuple[str, ...] = ()
    #: Whether a graph that does not use the first output leaves the others unwritten, as in MXNet.
    written_beside_first: bool = False


@dataclass(frozen=True, slots=True)
class Param:
    """A keyword parameter of an operator. `default` is `REQUIRED` if there is none."""

    name: str
    annotation: str
    default: Any

    @property
    def required(self) -> bool:
        """Whether calls must pass the parameter."""
        return self.default is REQUIRED

    @property
    def nullable(self) -> bool:
        """Whether None is a valid value."""
        return self.annotation == "Axes" or self.annotation.endswith("| None")


@dataclass(frozen=True, eq=False, slots=True)
class Operator:
    """An operator's complete definition. See `op` for the fields."""

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

    def asks_mode(self, params: Mapping[str, Any]) -> bool:
        """Whether the result depends on train mode with these parameters. Unknown ones are absent from `params`."""
        settled = self.facts.same_in_both_modes
        if not self.modal or settled is None:
            return self.modal
        names = _keywords(settled) or frozenset()
        return not (names <= params.keys() and settled(**{name: params[name] for name in names}))

    @property
    def differentiable(self) -> bool:
        """Whether a gradient passes through the operator to some of its inputs."""
        return self.grad is not None and self.grad is not zero_gradient

    def defaults(self) -> dict[str, Any]:
        """Return the parameters that have defaults, with the defaults."""
        return {name: p.default for name, p in self.params.items() if not p.required}

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
        """Return the parameters that the function in `role` declares; all of them if it takes ``**others``."""
        names = self.accepted[role]
        return params if names is None else {k: v for k, v in params.items() if k in names}


def zero_gradient(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[None, ...]:
    """Gradient rule that returns None for every input: the operator is piecewise constant."""
    return (None,) * len(ins)


_by_name: dict[str, Operator] = {}
_aliases: dict[str, str] = {}


class RegistryError(TypeError):
    """An operator's definition is incomplete or contradictory."""


def op(
    *,
    infer: Infer,
    name: str | None = None,
    grad: Grad | None = None,
    samples: Iterable[Sample] = (),
    facts: Facts = Facts(),
    aliases: Iterable[str] = (),
    aux: tuple[str, ...] = (),
    outputs: int | Callable[..., int] = 1,
    visible: int | Callable[..., int] | None = None,
    active_inputs: Callable[..., tuple[str, ...]] | None = None,
    complete: Complete | None = None,
    update_aux: Callable[..., tuple[Any, ...]] | None = None,
) -> Callable[[Kernel], Kernel]:
    """Register the decorated kernel as an operator.

    infer     ``(*input types, /, *, parameters it needs) -> type`` or a tuple of types; unknown dims are `Dim`.
    name      MXNet's own name of the operator (as in symbol JSON), where the kernel's name is another.
    grad      ``(F, g, ins, outs, *, parameters it needs) -> tuple``, one gradient, None or Refusal for each input,
              written over the operator namespace F, so that one rule serves eager, traced and second-order
              gradients. Without it the operator cannot stand in a graph that is compiled, as in MXNet;
              `unknown_gradient` can.
    samples   at least one call that every mode must survive.
    aliases   other names; dotted prefixes come from MXNet's own (``_contrib_x`` is ``F.contrib.x``).
    aux       inputs that are auxiliary states.
    outputs   number of outputs, hidden ones included; a function of the parameters where it varies.
    visible   number of outputs that a user sees; all where missing.
    active_inputs  inputs that a call with these parameters needs (no bias with ``no_bias``); where missing, all that
              have no default. A kernel gets None for an input that is absent.
    complete  ``(*input types, /, *, parameters) -> tuple`` of input types with what follows from each other.
    update_aux  ``(xp, ins, outs, /, *, parameters) -> tuple`` of the auxiliary states' new values, applied in backward.

    Raises RegistryError if the definition is incomplete.
    """

    def register(kernel: Kernel) -> Kernel:
        real_name = name or kernel.__name__
        inputs, variadic, optional, params, reserved = _read_signature(kernel)
        operator = Operator(
            name=real_name,
            kernel=kernel,
            infer=infer,
            grad=grad,
            doc=(kernel.__doc__ or "").strip(),
            inputs=inputs,
            optional_inputs=optional,
            variadic=variadic,
            params=params,
            reserved=reserved,
            samples=tuple(samples),
            facts=facts,
            aliases=tuple(aliases),
            aux=aux,
            outputs=_counter(outputs),
            visible=_counter(outputs if visible is None else visible),
            active_inputs=_selector(active_inputs, tuple(i for i in inputs if i not in optional)),
            complete=complete,
            update_aux=update_aux,
            accepted={
                "infer": _keywords(infer),
                "grad": _keywords(grad),
                "complete": _keywords(complete),
                "kernel": frozenset(params),
                "update_aux": _keywords(update_aux),
            },
        )
        _validate(operator)
        for key in (real_name, *operator.aliases):
            if key in _by_name:
                raise RegistryError(f"operator {key} is defined twice")
            _by_name[key] = operator
        return kernel

    return register


def unknown_gradient(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Gradient rule for a gradient that MXNet has and this runtime lacks. Raises NotImplementedError."""
    raise NotImplementedError("the bundled runtime has no gradient of this operator of linear algebra or of sets")


def derive(
    name: str,
    base: str,
    *,
    kernel: Kernel | None = None,
    infer: Infer | None = None,
    grad: Grad | None = None,
    complete: Complete | None = None,
    samples: Iterable[Sample] = (),
    facts: Facts = Facts(),
    aliases: Iterable[str] = (),
) -> None:
    """Register an operator that equals `base`, already defined, except for the arguments given.

    Numpy mode has many of these: ``_npi_exp`` computes the same as ``exp``, but symbol JSON distinguishes them.
    `kernel` takes the base's inputs and parameters. Raises RegistryError if the name is taken.
    """
    model = _by_name[base]
    changed = {"infer": infer, "grad": grad, "complete": complete}
    operator = replace(
        model,
        name=name,
        kernel=kernel or model.kernel,
        infer=infer or model.infer,
        grad=grad or model.grad,
        complete=complete or model.complete,
        samples=tuple(samples) or model.samples,
        facts=facts,
        aliases=tuple(aliases),
        reserved=_read_signature(kernel)[4] if kernel else model.reserved,
        accepted={**model.accepted, **{role: _keywords(f) for role, f in changed.items() if f is not None}},
    )
    for key in (name, *operator.aliases):
        if key in _by_name:
            raise RegistryError(f"operator {key} is defined twice")
        _by_name[key] = operator


def alias(names: Mapping[str, str]) -> None:
    """Register aliases: alias -> operator, which may be defined later."""
    _aliases.update(names)


def find(name: str) -> Operator | None:
    """Return the operator with this name or alias."""
    load()
    return _by_name.get(_aliases.get(name, name))


def get(name: str) -> Operator:
    """Return the operator with this name or alias. Raises KeyError."""
    load()
    return _by_name[_aliases.get(name, name)]


def operators() -> Iterator[Operator]:
    """Iterate over all operators, each once, by name."""
    load()
    for name, operator in sorted(_by_name.items()):
        if name == operator.name:
            yield operator


def names() -> Mapping[str, Operator]:
    """Return every name and alias with its operator."""
    load()
    return _by_name


_loaded = False


def load() -> None:
    """Import every module of `hybridlint.runtime.ops` and of the packages in it, once."""
    global _loaded  # noqa: PLW0603
    if _loaded:
        return
    _loaded = True
    package = importlib.import_module("hybridlint.runtime.ops")
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)


def _read_signature(kernel: Kernel) -> tuple[tuple[str, ...], bool, tuple[str, ...], dict[str, Param], frozenset[str]]:
    """Read inputs, parameters and reserved names off a kernel; faster than inspect.signature by two orders."""
    code = kernel.__code__
    given = code.co_varnames
    positional = given[: code.co_argcount]
    keywords = given[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    variadic = bool(code.co_flags & _POSITIONAL_REST)
    if (
        not positional
        or positional[0] != "xp"
        or code.co_argcount != code.co_posonlyargcount + (1 if variadic and not code.co_posonlyargcount else 0)
    ):
        raise RegistryError(f"{kernel.__name__}: a kernel is (xp, *inputs, /, *, parameters)")
    inputs = (given[code.co_argcount + code.co_kwonlyargcount],) if variadic else positional[1:]
    optional = positional[len(positional) - len(kernel.__defaults__ or ()) :]
    defaults = kernel.__kwdefaults__ or {}
    notes = kernel.__annotations__
    params = {
        name: Param(name, str(notes.get(name, "Any")), defaults.get(name, REQUIRED))
        for name in keywords
        if name not in RESERVED
    }
    return inputs, variadic, optional, params, frozenset(keywords) & frozenset(RESERVED)


def _keywords(function: Callable[..., Any] | None) -> frozenset[str] | None:
    if function is None:
        return frozenset()
    code = function.__code__
    if code.co_flags & 0x08:  # CO_VARKEYWORDS
        return None
    return frozenset(code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount])


def _counter(number: int | Callable[..., int]) -> Callable[[Mapping[str, Any]], int]:
    if isinstance(number, int):
        return lambda params: number
    accepted, count = _keywords(number), number
    return lambda params: count(**(params if accepted is None else {k: v for k, v in params.items() if k in accepted}))


def _selector(
    choose: Callable[..., tuple[str, ...]] | None, inputs: tuple[str, ...]
) -> Callable[[Mapping[str, Any]], tuple[str, ...]]:
    if choose is None:
        return lambda params: inputs
    accepted, select = _keywords(choose), choose
    return lambda params: select(**(params if accepted is None else {k: v for k, v in params.items() if k in accepted}))


def _validate(operator: Operator) -> None:
    if not operator.doc:
        raise RegistryError(f"{operator.name}: the kernel has no docstring")
    if not operator.samples:
        raise RegistryError(f"{operator.name}: no samples")
    strangers = {*operator.aux, *operator.facts.initial, *operator.facts.indices} - set(operator.inputs)
    if strangers:
        raise RegistryError(f"{operator.name}: {sorted(strangers)}, auxiliary states or initialized, are no inputs")
