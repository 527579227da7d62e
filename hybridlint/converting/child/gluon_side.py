"""Builds and runs blocks of a module on the bundled runtime, and writes what a conversion and its proof need."""

from __future__ import annotations

import ast
import inspect
import itertools
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from hybridlint.converting.child.sites import Sites
from hybridlint.converting.comparison import moved_by_rounding
from hybridlint.proving.child import operator_facts
from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.build.blocks import build, perturb_parameters, reference_names, trainable
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.comparison_evidence import ProofEvidence
from hybridlint.proving.child.errors import NotRunError, failure
from hybridlint.proving.child.limits import limit
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.child.runs.runs import CallPlan, Observation, PlannedCall, inputs_of, observe
from hybridlint.proving.child.runs.setup import Setup
from hybridlint.proving.child.sandbox.confinement import enter
from hybridlint.proving.child.specs.spec import BATCH, GivenSpec, Spec, TensorSpec, ValueSpec
from hybridlint.proving.child.worker import Worker
from hybridlint.runtime.core import imperative
from hybridlint.runtime.facts.registry import Operator

#: Other numbers that a constructor's argument, or an axis of an input, is given: twice as much, and a little more.
_OTHERS: tuple[Callable[[int], int], ...] = (lambda number: 2 * number, lambda number: number + 1)
#: Seconds within which a block is observed with other numbers.
_PATIENCE = 6.0
#: Most rounds of sizes and kinds of values that are compared.
_ROUNDS, _FLAVOURS = 2, 2
#: Most constructors with other numbers that are compared.
_MOST_OTHERS = 10


def observe_blocks(task: Mapping[str, Any]) -> None:
    """Observe each block that the task names in `wanted`, and write `facts.json` and the arrays of each."""
    operator_facts.learn(task["operators"])
    limit(task)
    guard = enter(task)
    worker = Worker(task, lambda _message: None, guard, ProofEvidence(lambda _message, _arrays: None))
    facts: dict[str, Any] = {"blocks": {}}
    try:
        worker.load()
        for number, name in enumerate(task["wanted"]):
            facts["blocks"][name] = _observed(worker, name, os.path.join(task["scratch"], f"block{number}"))
    except NotRunError as error:
        facts["failed"] = error.reason
    _write(facts, os.path.join(task["scratch"], "facts.json"))


def _write(data: Any, path: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        json.dump(data, file)


def _observed(worker: Worker, name: str, stem: str) -> dict[str, Any]:
    """Return the observations of a block, or under `reason` why there are none."""
    try:
        case = worker.case(name, worker.before, None)
        finder = worker.finder(name, case)
        hybrid = isinstance(case.before.cls, type) and issubclass(case.before.cls, worker.before.mx.gluon.HybridBlock)
        if not hybrid:
            finder.compiled = None
        called = finder.called()
        setup = finder.find() if called is None else called.varied
        if setup.arguments.within is not None:
            return {"reason": "it is only built inside larger blocks"}
        told = bool(finder.subject.recipe or finder.subject.recorded or called is not None)
        return _Observer(case.before.world, case.before.cls, case.path, setup, stem).facts(told=told)
    except NotRunError as error:
        return {"reason": error.reason}
    except Exception as error:
        return {"reason": f"running it failed: {failure(error, worker.task['path']).sentence}"}


class _Observer:
    """Observes one block with one setup."""

    def __init__(self, world: LoadedModule, cls: Any, path: str, setup: Setup, stem: str) -> None:
        self.world = world
        self.cls = cls
        self.path = path
        self.setup = setup
        self.stem = stem
        self.sizes = dict(setup.rounds[0])

    def facts(self, *, told: bool) -> dict[str, Any]:
        """Return the facts as JSON data, and write the arrays. `told` says that the project shows the inputs."""
        first = self._run(self.setup.arguments, self.setup.inputs)
        if not told and self._widened(first):
            first = self._run(self.setup.arguments, self.setup.inputs)
        observations = [first, *([] if told else self._of_more_axes())]
        until = now() + _PATIENCE
        for arguments, inputs, of_input in self._variations():
            if now() > until:
                break
            try:
                seen = self._run(arguments, inputs)
            except Exception:
                continue
            observations.append({**seen, "of_input": of_input})
        return {
            "setup": self.setup.text,
            "only": list(self.setup.only),
            "args": self.setup.arguments.args,
            "kwargs": self.setup.arguments.kwargs,
            "inputs": list(self.setup.inputs),
            "told": told,
            "observations": observations,
            "calls": self._calls(self.setup.arguments, self._planned(), self.stem),
            "others": list(self._others(until)),
        }

    def _widened(self, seen: Mapping[str, Any]) -> bool:
        """Give index inputs the shape of the data that they index, as most code expects, if the block runs with it."""
        wanted: dict[tuple[int, ...], Sequence[int]] = {
            tuple(ins[0]): ins[1]
            for ins in (row["ins"] for row in seen["operators"])
            if len(ins) == 3 and None not in ins and len(ins[0]) == 1 < len(ins[1]) and ins[1] == ins[2]
        }
        names = {number: name for name, number in self.sizes.items()}
        inputs = dict(self.setup.inputs)
        for name, spec in inputs.items():
            if isinstance(spec, TensorSpec) and not isinstance(spec, GivenSpec):
                shape = tuple(self.sizes.get(size, 0) if isinstance(size, str) else size for size in spec.shape)
                if shape in wanted:
                    inputs[name] = spec.reshaped(tuple(names.get(size, size) for size in wanted[shape]))
        if inputs == self.setup.inputs:
            return False
        changed = self.setup._replace(inputs=inputs)
        try:
            _Observer(self.world, self.cls, self.path, changed, self.stem)._run(changed.arguments, inputs)
        except Exception:
            return False
        self.setup = changed
        return True

    def _of_more_axes(self) -> Iterator[dict[str, Any]]:
        """Yield the inputs of fully connected layers where an input has another axis: they flatten it in Gluon."""
        inputs = self.setup.inputs
        for name, spec in inputs.items():
            if not isinstance(spec, TensorSpec) or isinstance(spec, GivenSpec) or len(spec.shape) != 2 or spec.integers:
                continue
            try:
                seen = self._run(self.setup.arguments, {**inputs, name: spec.reshaped((*spec.shape, 1))})
            except Exception:
                continue
            layers = [row for row in seen["layers"] if row["kind"] == "Dense"]
            yield {"layers": layers, "operators": [], "of_input": True}

    def _others(self, until: float) -> Iterator[dict[str, Any]]:
        """Yield runs with other numbers for the constructor: the converted code must be right for any number."""
        arguments = self.setup.arguments
        for count, numbers in enumerate(itertools.islice(self._sets_of_numbers(), _MOST_OTHERS)):
            if now() > until:
                break
            others = {name: repr(_changed(number, _OTHERS[0])) for name, number in numbers}
            kwargs = {**arguments.kwargs, **others}
            try:
                calls = self._calls(arguments._replace(kwargs=kwargs), self._planned()[:1], f"{self.stem}-other{count}")
            except Exception:
                continue
            if "inputs" in calls[0] and not calls[0]["draws"]:
                text = ", ".join(f"{name}={value}" for name, value in others.items())
                yield {"number": count, "text": text, "kwargs": kwargs, "calls": calls}

    def _sets_of_numbers(self) -> Iterator[tuple[tuple[str, Any], ...]]:
        """Yield the numbers of the constructor that are changed together: each, all, and two."""
        numbers = list(self._numbers(self.setup.arguments))
        yield from itertools.combinations(numbers, 1)
        if len(numbers) > 1:
            yield tuple(numbers)
        if len(numbers) > 2:
            yield from itertools.combinations(numbers, 2)

    def _variations(self) -> Iterator[tuple[ConstructorArguments, dict[str, Spec], bool]]:
        """Yield setups in which one number of the constructor, or one axis of the inputs, or two numbers differ.

        An axis that is as long as a number of the constructor says differs with it, too.
        """
        arguments, inputs = self.setup.arguments, self.setup.inputs
        for name, number in self._numbers(arguments):
            for other in _OTHERS:
                changed = arguments._replace(kwargs={**arguments.kwargs, name: repr(_changed(number, other))})
                yield changed, inputs, False
                if isinstance(number, int) and number > 1:
                    yield changed, {key: _resized(spec, number, other(number)) for key, spec in inputs.items()}, False
        for name, spec in inputs.items():
            if not isinstance(spec, TensorSpec) or isinstance(spec, GivenSpec):
                continue
            for axis, size in enumerate(spec.shape):
                for other in _OTHERS if axis or not isinstance(size, str) else ():
                    number = size if isinstance(size, int) else self.sizes.get(size, 3)
                    shape = (*spec.shape[:axis], other(number), *spec.shape[axis + 1 :])
                    yield arguments, {**inputs, name: spec.reshaped(shape)}, True
        # What a number decides may be seen with another one only, as layers after the first with their number.
        for pair in itertools.combinations(self._numbers(arguments), 2):
            both = {name: repr(_changed(number, _OTHERS[0])) for name, number in pair}
            yield arguments._replace(kwargs={**arguments.kwargs, **both}), inputs, False

    def _numbers(self, arguments: ConstructorArguments) -> Iterator[tuple[str, Any]]:
        """Yield the constructor's arguments that are whole numbers or tuples of them, given or by default."""
        if not isinstance(self.cls, type):
            return
        parameters = list(inspect.signature(self.cls).parameters.values())
        for at, parameter in enumerate(parameters):
            kinds = (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
            if at < len(arguments.args) or parameter.kind not in kinds:
                continue
            value = parameter.default
            if parameter.name in arguments.kwargs:
                try:
                    value = ast.literal_eval(arguments.kwargs[parameter.name])
                except (ValueError, SyntaxError):
                    continue
            if type(value) is int or (
                isinstance(value, (tuple, list)) and value and all(type(item) is int for item in value)
            ):
                yield parameter.name, value

    def _run(self, arguments: ConstructorArguments, inputs: dict[str, Spec]) -> dict[str, Any]:
        sites = Sites(self.world.mx, self.path)
        with sites.building():
            block = build(self.world, self.cls, *arguments)
        values = inputs_of(
            self.world, inputs, PlannedCall(tuple(self.sizes.items()), self.setup.flavours[0], "predict")
        )
        with sites.running():
            block(*values)
        operators = [
            {"span": list(span), "ins": ins, "outs": outs}
            for span, calls in sites.operators.items()
            for _, ins, outs in calls[:1]
        ]
        return {"layers": sites.rows(), "operators": operators, "of_input": False}

    def _planned(self) -> list[PlannedCall]:
        """Return the calls of the proof, in predict and in train mode."""
        return [
            PlannedCall(tuple(sizes.items()), flavour, mode)
            for sizes in self.setup.rounds[:_ROUNDS]
            for flavour in self.setup.flavours[:_FLAVOURS]
            for mode in ("predict, recorded", "train")
        ]

    def _calls(self, arguments: ConstructorArguments, calls: Sequence[PlannedCall], stem: str) -> list[dict[str, Any]]:
        """Run the block by some calls, write inputs, results and weights, and return a list of them."""
        world, setup = self.world, self.setup
        block = build(world, self.cls, *arguments)
        block(*inputs_of(world, setup.inputs, calls[0]))
        with world.mx.autograd.record(train_mode=True):
            block(*inputs_of(world, setup.inputs, calls[0]))
        without_dropout(block)
        values = perturb_parameters(block)
        reference = reference_names(block, values)
        written: list[dict[str, Any]] = []
        for number, call in enumerate(calls):
            # Each call is compared alone, from the same weights.
            plan = CallPlan(setup.inputs, [call], values, reference, trainable(block))
            with recorded_draws() as drawn:
                seen = observe(world, block, plan, self.path)[0]
            if seen.failure is not None:
                written.append({"call": str(call), "mode": call.mode, "failure": seen.failure.sentence})
                continue
            again = observe(world, block, plan, self.path, engine=1)[0]
            moved = observe(world, block, plan._replace(values=moved_by_rounding(values)), self.path)[0]
            # Other draws than normal and uniform ones cannot be repeated in PyTorch.
            repeated = bool(drawn) and all(array is not None for array in drawn)
            arrays: dict[str, Any] = {}
            tree = [_described(value, arrays, spec) for value, spec in self._inputs(call)]
            results = {_structural(name, reference): value for name, value in seen.results.items()}
            saved: dict[str, Any] = {
                **{f"in {key}": value for key, value in arrays.items()},
                **{f"out {key}": value for key, value in results.items() if isinstance(value, np.ndarray)},
                **{f"noise {_structural(key, reference)}": value for key, value in _noise(seen, moved)},
            }
            if repeated:
                saved.update({f"draw {k}": array for k, array in enumerate(drawn)})
            np.savez(f"{stem}-{number}.npz", **saved)
            draws = _differs(seen, again) and not repeated
            others = {key: repr(value) for key, value in results.items() if not isinstance(value, np.ndarray)}
            written.append({"call": str(call), "mode": call.mode, "inputs": tree, "others": others, "draws": draws})
        for name, parameter in block.collect_params().items():
            if name in values:
                parameter.set_data(world.array(values[name], values[name].dtype.name))
        block.save_parameters(f"{stem}.params")
        return written

    def _inputs(self, call: PlannedCall) -> Iterator[tuple[Any, Spec]]:
        values = inputs_of(self.world, self.setup.inputs, call)
        return zip(values, self.setup.inputs.values(), strict=True)


def _changed(number: Any, other: Callable[[int], int]) -> Any:
    """Return another number, or a tuple or list of others."""
    if isinstance(number, int):
        return other(number)
    others = [other(item) for item in number]
    return others if isinstance(number, list) else tuple(others)


def _resized(spec: Spec, number: int, other: int) -> Spec:
    """Return an input whose axes of one size have another."""
    if not isinstance(spec, TensorSpec) or isinstance(spec, GivenSpec):
        return spec
    return spec.reshaped(tuple(other if size == number else size for size in spec.shape))


@contextmanager
def recorded_draws() -> Iterator[list[Any]]:
    """Record the random numbers that operators draw: as of a standard distribution, None for those of other ones."""
    drawn: list[Any] = []
    plain = imperative.compute

    def recording(op: Operator, raws: Any, params: Mapping[str, Any], **more: Any) -> Any:
        results = plain(op, raws, params, **more)
        # Layers such as dropout are off.
        if "rng" in op.reserved and not op.modal:
            drawn.append(_standardized(results[0], params))
        return results

    imperative.compute = recording
    try:
        yield drawn
    finally:
        imperative.compute = plain


def _standardized(values: Any, params: Mapping[str, Any]) -> Any:
    """Return normal numbers with mean 0 and deviation 1, or uniform ones between 0 and 1; None for other ones."""
    if params.keys() >= {"loc", "scale"} and params["scale"]:
        return ((values - params["loc"]) / params["scale"]).astype(values.dtype)
    if params.keys() >= {"low", "high"} and params["high"] != params["low"]:
        return ((values - params["low"]) / (params["high"] - params["low"])).astype(values.dtype)
    return None


def _differs(seen: Observation, again: Observation) -> bool:
    """Whether floats differ in a run whose random numbers have another seed."""
    for name, value in seen.results.items():
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            other: Any = again.results.get(name)
            if other is None or not np.array_equal(value, other, equal_nan=True):
                return True
    return False


def _noise(seen: Observation, moved: Observation) -> Iterator[tuple[str, Any]]:
    """Yield how far each result moves with the parameters: that much is the network's own rounding error."""
    for name, value in seen.results.items():
        other = moved.results.get(name)
        if isinstance(value, np.ndarray) and isinstance(other, np.ndarray) and value.dtype.kind == "f":
            yield name, np.abs(value - other).max() if value.size and value.shape == other.shape else np.float32(0)


def without_dropout(block: Any) -> None:
    """Switch off dropout in a block: both libraries draw their own random numbers."""
    ours = type(block).__module__.startswith(("mxnet.", "hybridlint.runtime."))
    # The rate of a layer, and that between recurrent layers.
    for name in ("_rate", "_dropout"):
        if ours and hasattr(block, name):
            setattr(block, name, 0)
    for child in block._children.values():
        without_dropout(child)


def _described(value: Any, arrays: dict[str, Any], spec: Any) -> Any:
    """Return an input as JSON data; arrays are put into `arrays`."""
    if isinstance(value, (list, tuple)):
        return {"list": [_described(item, arrays, spec[k]) for k, item in enumerate(value)]}
    if hasattr(value, "asnumpy"):
        key = str(len(arrays))
        arrays[key] = value.asnumpy()
        return {"array": key, "integers": bool(getattr(spec, "integers", False))}
    return {"value": spec.expression if isinstance(spec, ValueSpec) else repr(value)}


def _structural(name: str, reference: Mapping[str, str]) -> str:
    """Return the name of a result with the structural name of its parameter, such as ``gradient of fc.weight``."""
    for prefix in ("gradient of ", "state "):
        if name.startswith(prefix):
            own = name[len(prefix) :]
            return f"{prefix}{reference[own]}" if own in reference else name
    return name


__all__ = ["BATCH", "observe_blocks"]
