"""Runs of a block over a sequence of calls, with an observation of each call: its results or its failure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hybridlint.proving.child.build.blocks import Names, drawing, seed_all, trained_values
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.errors import Failure, failure
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.child.runs.exported_block import Imported
from hybridlint.proving.child.runs.results import flatten
from hybridlint.proving.child.specs.spec import Spec, make, tensors

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    #: Returns the context manager in which a call runs, for example a recorder.
    Watch = Callable[["PlannedCall"], AbstractContextManager[Any]]

#: Mode -> (recorded by autograd, in train mode).
MODES = {"predict": (False, False), "predict, recorded": (True, False), "train": (True, True)}


@dataclass(frozen=True)
class PlannedCall:
    """One call: the numbers of named sizes, the kind of random values, and the mode, a key of MODES.

    The kind is `flavour`. In runs with another order, `turn` is the call's position, counted from 1, and `instance` is
    1 for the second instance of the class. `changed` describes the change of a setting before the call, "" without one.
    """

    sizes: tuple[tuple[str, int], ...]
    flavour: int
    mode: str
    turn: int = 0
    instance: int = 0
    changed: str = ""

    def __str__(self) -> str:
        sizes = ", ".join(f"{name} = {size}" for name, size in self.sizes)
        mode = "train mode" if self.mode == "train" else "predict mode"
        order = f"call {self.turn} of another order" if self.turn else ""
        second = "a second instance" if self.instance else ""
        changed = f"once {self.changed}" if self.changed else ""
        return ", ".join(filter(None, [order, second, sizes, mode, f"random inputs {self.flavour + 1}", changed]))


class Observation(NamedTuple):
    """The results of a call, by name, or its failure; `ran` is True if only the gradient failed."""

    call: PlannedCall
    results: dict[str, Any]
    failure: Failure | None = None
    ran: bool = False


class GradientError(Exception):
    """Raised when the block ran but its gradient cannot be computed; the cause says why."""


class CallPlan(NamedTuple):
    """A plan of calls: inputs by name in call order, the calls, and the initial parameter values.

    `trainable` names the parameters that change between rounds. `of_inputs` adds the gradients of inputs to the
    results, and `stores` the values that a call leaves in its inputs. After `until`, on the clock of the proof, no
    further call begins. Each of the `changes` is made before the first call that names it. With `unordered`, which not
    every engine has, no random number depends on those drawn before it. With `by_mxnet`, MXNet draws the numbers of
    Python and numpy.
    """

    inputs: dict[str, Spec]
    calls: Sequence[PlannedCall]
    values: Mapping[str, Any]
    reference: Mapping[str, str]
    trainable: Collection[str]
    of_inputs: bool = True
    stores: bool = False
    until: float | None = None
    changes: Mapping[str, Callable[[LoadedModule, Any], None]] = {}
    unordered: bool = False
    by_mxnet: bool = False


def observe(
    world: LoadedModule,
    block: Any,
    plan: CallPlan,
    path: str,
    *,
    engine: int = 0,
    watch: Watch = lambda _call: nullcontext(),
    second: Callable[[], Any] = lambda: None,
) -> list[Observation]:
    """Run a block over all calls of a plan, up to the first failure in predict mode.

    State of the block and of Python carries over from call to call, as for a user; random numbers are seeded for each
    call. `engine` shifts the seed of mxnet's own random numbers. Each call runs in the context that `watch` returns.
    `second` builds another block, with other parameters, at the first call of a second instance; if it returns None,
    that instance is skipped.
    """
    imported = isinstance(block, Imported)
    names = Names(block.block, plan.reference, block.renamed) if imported else Names(block, plan.reference)
    try:
        names.set(world, plan.values)
    except Exception as error:
        return [Observation(plan.calls[0], {}, failure(error, path))]
    seen: list[Observation] = []
    broken: set[str] = set()
    sizes = plan.calls[0].sizes
    twin: tuple[Any, Names] | None = None
    pending = dict(plan.changes)
    for number, call in enumerate(plan.calls):
        if call.mode in broken:
            continue
        if seen and plan.until is not None and now() > plan.until:
            break
        if call.sizes != sizes:
            # Change the parameters as training would: values that were computed from them once are now wrong.
            sizes = call.sizes
            names.set(world, trained_values(plan.values, plan.trainable))
        seed_all(world.mx, number + 1, engine)
        try:
            if call.changed in pending:
                pending.pop(call.changed)(world, block)
            if call.instance and twin is None:
                twin = _twin(world, second(), plan)
                if twin is None:
                    continue
            with watch(call), drawing(world.mx, unordered=plan.unordered, by_mxnet=plan.by_mxnet):
                called = twin if call.instance and twin is not None else (block, names)
                results = _call(world, *called, plan, call)
            seen.append(Observation(call, results))
        except Exception as error:
            cause = error.__cause__ if isinstance(error, GradientError) and error.__cause__ is not None else error
            seen.append(Observation(call, {}, failure(cause, path), ran=cause is not error))
            broken.add(call.mode)
            if call.mode == "predict":
                break
    return seen


def _twin(world: LoadedModule, block: Any, plan: CallPlan) -> tuple[Any, Names] | None:
    """Return the second instance, with parameter values of its own set, and its parameters; None if `block` is None."""
    if block is None:
        return None
    names = Names(block, plan.reference)
    names.set(world, trained_values(trained_values(plan.values, plan.trainable), plan.trainable))
    return block, names


def inputs_of(world: LoadedModule, plan_inputs: Mapping[str, Spec], call: PlannedCall) -> list[Any]:
    """Return the inputs of a call; equal calls get equal inputs."""
    seed = sum((k + 1) * size for k, (_, size) in enumerate(call.sizes)) * 31 + call.flavour
    rng = np.random.RandomState(seed)
    return [make(spec, dict(call.sizes), rng, call.flavour, world) for spec in plan_inputs.values()]


def _call(world: LoadedModule, block: Any, names: Names, plan: CallPlan, call: PlannedCall) -> dict[str, Any]:
    mx = world.mx
    recorded, training = MODES[call.mode]
    values = inputs_of(world, plan.inputs, call)
    if not recorded:
        given = dict(_given(plan, values))
        outputs = block(*values)
        results = dict(flatten(outputs, "output"))
        if plan.stores:
            left = _left(given, dict(_given(plan, values)), outputs)
            results.update((f"input {path} afterwards", leaf.asnumpy()) for path, leaf in left)
        return results
    leaves = list(_differentiable(plan.inputs, values)) if plan.of_inputs else []
    for _, leaf in leaves:
        leaf.attach_grad()
    names.clear_gradients()
    with mx.autograd.record(train_mode=training):
        outputs = block(*values)
        with world.scope():
            total = _total(outputs, world)
    results = dict(flatten(outputs, "output"))
    with world.scope():
        reached = total is not None and _backward(total, training)
    if reached:
        results.update((f"gradient of {path}", leaf.grad.asnumpy()) for path, leaf in leaves)
        results.update((f"gradient of {name}", value) for name, value in names.gradients().items())
    results.update((f"state {name}", value) for name, value in names.states().items())
    return results


def _given(plan: CallPlan, values: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Yield (path, array) for all inputs."""
    for k, name in enumerate(plan.inputs):
        yield from _arrays(values[k], name)


def _left(given: Mapping[str, Any], held: Mapping[str, Any], outputs: Any) -> Iterator[tuple[str, Any]]:
    """Yield (path, array) for what a call leaves in its inputs.

    An array that the call puts into a list of the caller's and also returns changes nothing: it is among the outputs.
    """
    returned = {id(leaf) for leaf in flat_arrays(outputs)}
    for path, leaf in held.items():
        if id(leaf) not in returned:
            yield path, leaf
        elif path in given:
            yield path, given[path]


FLOATS = (np.float16, np.float32, np.float64)


def _differentiable(inputs: Mapping[str, Spec], values: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Yield (path, array) for the inputs that can have gradients: floats that hold no integers such as indices."""
    for k, (name, spec) in enumerate(inputs.items()):
        if not any(tensor.integers for tensor in tensors([spec])):
            yield from ((path, leaf) for path, leaf in _arrays(values[k], name) if leaf.dtype in FLOATS)


def flat_arrays(value: Any) -> list[Any]:
    """Return the arrays among nested inputs, in order."""
    return [leaf for _, leaf in _arrays(value, "")]


def _arrays(value: Any, path: str) -> list[tuple[str, Any]]:
    if isinstance(value, (list, tuple)):
        return [leaf for k, item in enumerate(value) for leaf in _arrays(item, f"{path}[{k}]")]
    return [(path, value)] if hasattr(value, "asnumpy") else []


def _total(outputs: Any, world: LoadedModule) -> Any:
    """Return a sum of all elements of all float outputs, each with its own weight; None without float outputs."""
    total = None
    for k, (_, leaf) in enumerate(_arrays(outputs, "output")):
        if leaf.dtype not in FLOATS:
            continue
        # Equal weights would hide errors: the gradient of a sum of softmax outputs is zero.
        weights = np.cos(np.arange(leaf.size, dtype="float64") * 0.7 + k).reshape(leaf.shape) + (k + 1)
        # A block of legacy arrays may return arrays of numpy mode.
        own = not world.numpy_mode and hasattr(leaf, "as_nd_ndarray")
        term = (
            ((leaf.as_nd_ndarray() if own else leaf) * world.array(weights, np.dtype(leaf.dtype).name))
            .sum()
            .astype("float32")
        )
        total = term if total is None else total + term
    return total


#: MXNet's messages, eager and compiled, for outputs that depend on nothing differentiable.
_NO_GRADIENT = ("not in a computational graph", "no inputs in computation graph")


def _backward(total: Any, training: bool) -> bool:
    """Compute gradients; return False if the outputs depend on nothing differentiable.

    Raises GradientError if the computation fails.
    """
    try:
        total.backward(train_mode=training)
    except Exception as error:
        if any(message in str(error) for message in _NO_GRADIENT):
            return False
        raise GradientError from error
    return True
