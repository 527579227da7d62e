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
from typing import Any

from hybridlint.runtime.facts.definitions import (
    Complete,
    Facts,
    Grad,
    Infer,
    Operator,
    Refusal,
    Sample,
    sample,
    unknown_gradient,
    zero_gradient,
)
from hybridlint.runtime.facts.recipes import BufferRecipe
from hybridlint.runtime.facts.records import record, replace
from hybridlint.runtime.facts.signatures import (
    REQUIRED,
    Kernel,
    Param,
    RegistryError,
    counter,
    keyword_names,
    read_signature,
    selector,
)
from hybridlint.runtime.facts.storage import Storage

#: What a module of operators needs is imported from here.
__all__ = [
    "REQUIRED",
    "BufferRecipe",
    "Complete",
    "Facts",
    "Grad",
    "Infer",
    "Kernel",
    "Operator",
    "Param",
    "Refusal",
    "RegistryError",
    "Sample",
    "alias",
    "derive",
    "find",
    "get",
    "load",
    "names",
    "op",
    "operators",
    "sample",
    "spellings",
    "unknown_gradient",
    "zero_gradient",
]

_NO_FACTS = Facts()

_by_name: dict[str, Operator] = {}
_aliases: dict[str, str] = {}


@record(kw_only=True, slots=True, eq=False)
class Definition:
    """Everything that defines an operator except its kernel. As the decorator `op`, it registers the kernel.

    A call raises RegistryError if the definition is incomplete.
    """

    #: ``(*input types, /, *, parameters it needs) -> type`` or a tuple of types; unknown dims are `Dim`.
    infer: Infer
    #: MXNet's own name of the operator (as in symbol JSON), where the kernel's name is another.
    name: str | None = None
    #: ``(F, g, ins, outs, *, parameters it needs) -> tuple``, one gradient, None or Refusal for each input, written
    #: over the operator namespace F, so that one rule serves eager, traced and second-order gradients. Without it the
    #: operator cannot stand in a graph that is compiled, as in MXNet; `unknown_gradient` can.
    grad: Grad | None = None
    #: At least one call that every mode must support.
    samples: Iterable[Sample] = ()
    facts: Facts = _NO_FACTS
    #: Other names; dotted prefixes come from MXNet's own (``_contrib_x`` is ``F.contrib.x``).
    aliases: Iterable[str] = ()
    #: Inputs that are auxiliary states.
    aux: tuple[str, ...] = ()
    #: Number of outputs, hidden ones included; a function of the parameters where it varies.
    outputs: int | Callable[..., int] = 1
    #: Number of outputs that a user sees; all if None.
    visible: int | Callable[..., int] | None = None
    #: Inputs that a call with these parameters needs (no bias with ``no_bias``); if None, all that have no default. A
    #: kernel gets None for an input that is absent.
    active_inputs: Callable[..., tuple[str, ...]] | None = None
    #: ``(*input types, /, *, parameters) -> tuple`` of input types, completed from each other.
    complete: Complete | None = None
    #: ``(xp, ins, outs, /, *, parameters) -> tuple`` of the auxiliary states' new values, applied in backward.
    update_aux: Callable[..., tuple[Any, ...]] | None = None
    #: The method of tensors, of NDArray and Symbol alike, that calls it with the tensor as first input.
    method: str | None = None
    #: The kernel in the form from which native code is made, where the kernel itself is in another: sums of products
    #: over views of its inputs instead of copies of their parts. It computes the same, on numpy too.
    native: Kernel | None = None
    #: ``(input types, output types, /, *, parameters it needs) -> Recipe | None``: how it computes in main memory that
    #: a plan gives it. It may ask for `training`, and for `lasting`: whether what is kept of inputs is worth it.
    planned: Callable[..., BufferRecipe | None] | None = None
    #: Whether the kernel is a function of elements that takes arrays which lie in memory in any order; `out`, which it
    #: has, may be one of them.
    pointwise: bool = False
    #: Why it computes in main memory even for arrays of a GPU, which are copied there and back; None where the kernel
    #: asks its array module for nothing that CuPy has not.
    host: str | None = None
    #: Whether MXNet can differentiate its gradient; `tests/goldens/second_order.py` asks it.
    differentiable_twice: bool = False
    #: What it does with arrays in sparse storage; None where MXNet computes on dense copies.
    storage: Storage | None = None

    def __call__(self, kernel: Kernel) -> Kernel:
        """Register the operator with this kernel."""
        operator = self._operator(kernel)
        _validate(operator)
        _add(operator)
        return kernel

    def _operator(self, kernel: Kernel) -> Operator:
        inputs, variadic, optional, params, reserved = read_signature(kernel)
        return Operator(
            name=self.name or kernel.__name__,
            kernel=kernel,
            infer=self.infer,
            grad=self.grad,
            doc=(kernel.__doc__ or "").strip(),
            inputs=inputs,
            optional_inputs=optional,
            variadic=variadic,
            params=params,
            reserved=reserved,
            samples=tuple(self.samples),
            facts=self.facts,
            aliases=tuple(self.aliases),
            aux=self.aux,
            outputs=counter(self.outputs),
            visible=counter(self.outputs if self.visible is None else self.visible),
            active_inputs=selector(self.active_inputs, tuple(i for i in inputs if i not in optional)),
            complete=self.complete,
            update_aux=self.update_aux,
            accepted={**self._accepted(), "kernel": frozenset(params)},
            method=self.method,
            native=self.native,
            planned=self.planned,
            pointwise=self.pointwise,
            host=self.host,
            differentiable_twice=self.differentiable_twice,
            storage=self.storage,
        )

    def _accepted(self) -> dict[str, frozenset[str] | None]:
        """Return the parameters that each rule takes."""
        rules = {
            "infer": self.infer,
            "grad": self.grad,
            "complete": self.complete,
            "update_aux": self.update_aux,
            "planned": self.planned,
        }
        return {role: keyword_names(rule) for role, rule in rules.items()}


op = Definition


def _add(operator: Operator) -> None:
    """Register an operator under its name and its aliases. Raises RegistryError if one of them is taken."""
    for key in (operator.name, *operator.aliases):
        if key in _by_name:
            raise RegistryError(f"operator {key} is defined twice")
        _by_name[key] = operator


def derive(
    name: str,
    base: str,
    *,
    kernel: Kernel | None = None,
    infer: Infer | None = None,
    grad: Grad | None = None,
    complete: Complete | None = None,
    samples: Iterable[Sample] = (),
    facts: Facts = _NO_FACTS,
    aliases: Iterable[str] = (),
    differentiable_twice: bool | None = None,
    storage: Storage | None = None,
) -> None:
    """Register an operator that equals `base`, already defined, except for the arguments given.

    Numpy mode has many of these: ``_npi_exp`` computes the same as ``exp``, but symbol JSON distinguishes them.
    `kernel` takes the base's inputs and parameters. A method of tensors calls the base, and what the base does with
    sparse storage is the base's alone. Raises RegistryError if the name is taken.
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
        reserved=read_signature(kernel).reserved if kernel else model.reserved,
        native=None if kernel else model.native,
        planned=None if kernel else model.planned,
        pointwise=model.pointwise and not kernel,
        host=None if kernel else model.host,
        method=None,
        storage=storage,
        differentiable_twice=model.differentiable_twice if differentiable_twice is None else differentiable_twice,
        accepted={**model.accepted, **{role: keyword_names(f) for role, f in changed.items() if f is not None}},
    )
    _add(operator)


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
    return (operator for name, operator in sorted(_by_name.items()) if name == operator.name)


def spellings() -> Mapping[str, Operator]:
    """Return every name and alias with its operator, those included that `alias` gives."""
    load()
    return {**_by_name, **{name: _by_name[target] for name, target in _aliases.items()}}


def names() -> Mapping[str, Operator]:
    """Return every name and alias with its operator, except those that `alias` gives."""
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


def _validate(operator: Operator) -> None:
    if not operator.doc:
        raise RegistryError(f"{operator.name}: the kernel has no docstring")
    if not operator.samples:
        raise RegistryError(f"{operator.name}: no samples")
    strangers = {*operator.aux, *operator.facts.initial, *operator.facts.indices} - set(operator.inputs)
    if strangers:
        raise RegistryError(f"{operator.name}: {sorted(strangers)}, auxiliary states or initialized, are no inputs")
