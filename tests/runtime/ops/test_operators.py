"""Every operator on every sample: types, unknown types, memory, gradients, and what the real MXNet gave."""

from __future__ import annotations

import json
import random
import runpy
from collections.abc import Callable, Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.dims import Dim, differ
from hybridlint.runtime.facts.registry import Operator, Refusal, Sample
from hybridlint.runtime.facts.types import TensorType, unknown_shape
from tests.batches import batched, room_of

GOLDENS = Path(__file__).parents[2] / "goldens"
make = runpy.run_path(str(GOLDENS / "make.py"))
answers: Mapping[str, Any] = json.loads((GOLDENS / "operators.json").read_text())

CHOSEN_GRADIENTS: set[str] = make["CHOSEN_GRADIENTS"]


def cases(chosen: Callable[[Operator, Sample], bool] = lambda operator, sample: True) -> list[Any]:
    """Return a test case for each sample of each operator that is chosen."""
    return [
        pytest.param(operator, sample, number, id=f"{operator.name}-{number}")
        for operator in registry.operators()
        for number, sample in enumerate(operator.samples)
        if chosen(operator, sample)
    ]


def inputs_of(operator: Operator, sample: Sample, number: int) -> list[Any]:
    return make["draw"](make["describe"](operator)[number])  # type: ignore[no-any-return]


def run(operator: Operator, arrays: list[Any], params: Mapping[str, Any], **reserved: Any) -> tuple[Any, ...]:
    extra: dict[str, Any] = {"training": False, "rng": np.random.default_rng(7), **reserved}
    given = {**operator.defaults(), **params, **{k: v for k, v in extra.items() if k in operator.reserved}}
    with np.errstate(all="ignore"):
        result = operator.kernel(np, *arrays, **given)
    return result if isinstance(result, tuple) else (result,)


def types_of(arrays: list[Any]) -> list[TensorType]:
    return [TensorType(a.shape, a.dtype.name) for a in arrays]


@batched(cases(), by=room_of)
def test_kernel_gives_inferred_types(operator: Operator, sample: Sample, number: int) -> None:
    arrays = inputs_of(operator, sample, number)
    params = {**operator.defaults(), **sample.params}
    outputs = run(operator, arrays, sample.params)
    inferred = operator.infer_types(types_of(arrays), params)
    for guess, real in zip(inferred, types_of(list(outputs)), strict=True):
        assert consistent(guess, real)
        assert guess == real or operator.facts.dynamic_shape
    assert operator.outputs(params) == len(outputs)


@batched(cases(), by=room_of)
def test_inference_never_contradicts_the_truth(operator: Operator, sample: Sample, number: int) -> None:
    truth = types_of(inputs_of(operator, sample, number))
    params = {**operator.defaults(), **sample.params}
    results = operator.infer_types(truth, params)
    for partial in less_known(truth):
        for guess, real in zip(operator.infer_types(partial, params), results, strict=True):
            assert consistent(guess, real), f"{list(map(str, partial))}: {guess} for {real}"
        for guess, real in zip(operator.complete_types(tuple(partial), params), truth, strict=True):
            assert consistent(guess, real), f"{list(map(str, partial))}: completed {guess} for {real}"


def less_known(truth: list[TensorType]) -> Iterator[list[TensorType]]:
    """Yield the types with one thing unknown at a time, and with nothing known at all."""
    for k, known in enumerate(truth):
        assert known.shape is not None
        fresh = unknown_shape(len(known.shape))
        for weaker in (known.with_shape(fresh), known.with_shape(None), known.with_dtype(None)):
            yield [*truth[:k], weaker, *truth[k + 1 :]]
        for axis in range(len(known.shape)):
            weaker = known.with_shape((*known.shape[:axis], fresh[axis], *known.shape[axis + 1 :]))
            yield [*truth[:k], weaker, *truth[k + 1 :]]
    yield [t.with_shape(unknown_shape(t.rank or 0)) for t in truth]
    yield [TensorType() for _ in truth]


@batched(cases(lambda operator, sample: any(sample.shapes)), by=room_of)
def test_inference_with_any_sizes_unknown(operator: Operator, sample: Sample, number: int) -> None:
    truth = types_of(inputs_of(operator, sample, number))
    params = {**operator.defaults(), **sample.params}
    results = operator.infer_types(truth, params)
    for partial, values in partly_unknown(truth):
        inferred = (*operator.infer_types(partial, params), *operator.complete_types(tuple(partial), params))
        for guess, real in zip(inferred, (*results, *truth), strict=True):
            assert consistent(settled(guess, values), real), f"{list(map(str, partial))}: {guess} for {real}"


def partly_unknown(truth: list[TensorType]) -> Iterator[tuple[list[TensorType], dict[str, int]]]:
    """Yield the types with sizes replaced by named ones, and what each name stands for.

    All choices of sizes where they are few, else a sample; each size with a name of its own, and equal ones with one.
    """
    places = [(k, axis) for k, t in enumerate(truth) for axis in range(t.rank or 0)]
    for chosen in subsets(places):
        for alike in (False, True):
            values: dict[str, int] = {}
            partial = []
            for k, t in enumerate(truth):
                sizes: list[Any] = list(t.shape or ())
                for axis in range(len(sizes)):
                    if (k, axis) in chosen:
                        name = f"size_{sizes[axis]}" if alike else f"size_{k}_{axis}"
                        values[name] = sizes[axis]
                        sizes[axis] = Dim.named(name)
                partial.append(t.with_shape(tuple(sizes)))
            yield partial, values


def subsets(places: list[tuple[int, int]], most: int = 15) -> Iterator[set[tuple[int, int]]]:
    """Yield all subsets but the empty one, or `most` of them, drawn, where there are more."""
    count = 2 ** len(places) - 1
    if count <= most:
        numbers: Any = range(1, count + 1)
    else:
        generator = random.Random(len(places))
        numbers = [count, *(generator.randint(1, count) for _ in range(most - 1))]
    for number in numbers:
        yield {place for bit, place in enumerate(places) if number >> bit & 1}


def settled(guess: TensorType, values: Mapping[str, int]) -> TensorType:
    """Return the type with its sizes computed, as far as they are made of known names."""

    def value(size: Any) -> Any:
        if isinstance(size, int) or any(name not in values for names, _ in size.terms for name in names):
            return size
        return sum(factor * prod(values[name] for name in names) for names, factor in size.terms)

    return guess if guess.shape is None else guess.with_shape(tuple(map(value, guess.shape)))


def consistent(guess: TensorType, real: TensorType) -> bool:
    if guess.dtype not in {None, real.dtype}:
        return False
    if guess.shape is None or real.shape is None:
        return True
    return len(guess.shape) == len(real.shape) and not any(map(differ, guess.shape, real.shape))


@batched(cases(lambda operator, sample: "out" in operator.reserved), by=room_of)
def test_result_is_written_to_out_or_fresh(operator: Operator, sample: Sample, number: int) -> None:
    arrays = inputs_of(operator, sample, number)
    (expected,) = run(operator, arrays, sample.params)
    assert not any(np.shares_memory(expected, a) for a in arrays)
    buffer = np.full_like(expected, 7)
    (result,) = run(operator, arrays, sample.params, out=buffer)
    assert np.shares_memory(result, buffer)
    np.testing.assert_array_equal(result, expected)


@batched(
    cases(lambda operator, sample: operator.kernel.__module__ == "hybridlint.runtime.ops.elementwise.families"),
    by=room_of,
)
def test_element_wise_operators_work_in_place(operator: Operator, sample: Sample, number: int) -> None:
    arrays = inputs_of(operator, sample, number)
    (expected,) = run(operator, arrays, sample.params)
    for k, array in enumerate(arrays):
        if array.shape == expected.shape and array.dtype == expected.dtype:
            copies = [a.copy() for a in arrays]
            run(operator, copies, sample.params, out=copies[k])
            np.testing.assert_array_equal(copies[k], expected)


def has_dense_kernel(operator: Operator) -> bool:
    """Whether MXNet runs the operator on dense arrays; the others' answers are those of sparse storage."""
    return operator.storage is None or not operator.storage.only


@batched(cases(lambda operator, sample: not operator.internal and has_dense_kernel(operator)), by=room_of)
def test_outputs_are_those_of_mxnet(operator: Operator, sample: Sample, number: int) -> None:
    description = make["describe"](operator)[number]
    found = answers.get(make["key_of"](operator.name, description))
    assert found is not None, "no answer of the real MXNet is kept: run tests/goldens/make.py"
    if "only available for GPU" in found.get("error", ""):
        return
    assert "error" not in found, f"the real MXNet refuses this sample: {found['error']}"
    arrays = inputs_of(operator, sample, number)
    outputs = run(operator, arrays, sample.params)
    visible = operator.visible({**operator.defaults(), **sample.params})
    for output, expected in zip(outputs[:visible], found["outputs"], strict=True):
        assert (list(output.shape), output.dtype.name) == (expected["shape"], expected["dtype"])
        if not draws(operator):
            tolerance = 2e-3 if expected["dtype"] == "float16" or "float16" in description["dtypes"] else 1e-5
            wanted = np.array(expected["values"], dtype="float64").reshape(output.shape)
            np.testing.assert_allclose(output.astype("float64"), wanted, rtol=tolerance, atol=tolerance)


@batched(cases(lambda operator, sample: operator.facts.eager_only and has_dense_kernel(operator)), by=room_of)
def test_states_are_those_of_mxnet(operator: Operator, sample: Sample, number: int) -> None:
    found = answers[make["key_of"](operator.name, make["describe"](operator)[number])].get("states", {})
    before, after = inputs_of(operator, sample, number), inputs_of(operator, sample, number)
    run(operator, after, sample.params)
    for k, (old, new) in enumerate(zip(before, after, strict=True)):
        wanted = np.array(found[str(k)]["values"]).reshape(new.shape) if str(k) in found else old
        np.testing.assert_allclose(new, wanted, rtol=1e-5, atol=1e-6)


class Value(np.ndarray[Any, Any]):
    """An array as gradient rules expect it: comparisons give 0 and 1 in its own dtype."""

    def _number(self, truth: Any) -> Any:
        return np.asarray(truth).astype(self.dtype).view(Value)

    def __gt__(self, other: Any) -> Any:
        return self._number(np.asarray(self) > np.asarray(other))

    def __ge__(self, other: Any) -> Any:
        return self._number(np.asarray(self) >= np.asarray(other))

    def __lt__(self, other: Any) -> Any:
        return self._number(np.asarray(self) < np.asarray(other))

    def __le__(self, other: Any) -> Any:
        return self._number(np.asarray(self) <= np.asarray(other))


class Functions:
    """The operator namespace F over numpy."""

    def __getattr__(self, name: str) -> Any:
        operator = registry.get(name)

        def call(*arrays: Any, **params: Any) -> Any:
            outputs = run(operator, [np.asarray(a) for a in arrays], params)
            visible = [
                np.asarray(o).view(Value) for o in outputs[: operator.visible({**operator.defaults(), **params})]
            ]
            return visible[0] if len(visible) == 1 else visible

        return call


def draws(operator: Operator) -> bool:
    """Whether results differ in these tests, which predict: these two operators draw in training alone."""
    return operator.random and operator.name not in {"LeakyReLU", "RNN"}


def differentiable(operator: Operator, sample: Sample) -> bool:
    if operator.grad in {None, registry.unknown_gradient} or draws(operator) or operator.name in CHOSEN_GRADIENTS:
        return False
    return (
        all(d.startswith("float") for d in sample.dtypes[:1]) and sample.params.get("dtype", "float64")[:5] == "float"
    )


@batched(cases(differentiable), by=room_of)
def test_gradient_is_the_derivative(operator: Operator, sample: Sample, number: int) -> None:
    arrays = [
        a.astype("float64") if a.dtype.kind == "f" else a for a in map(np.array, inputs_of(operator, sample, number))
    ]
    params = {**operator.defaults(), **sample.params}
    params = {k: "float64" if k == "dtype" else v for k, v in params.items()}
    outputs = run(operator, arrays, params)
    visible = operator.visible(params)
    generator = np.random.default_rng(3)
    heads = [generator.uniform(0.5, 1.5, o.shape).view(Value) for o in outputs[:visible]]
    wrapped = tuple(a.view(Value) for a in arrays)
    with np.errstate(all="ignore"):
        gradients = operator.gradients(
            Functions(),
            heads[0] if visible == 1 else tuple(heads),
            wrapped,
            tuple(np.asarray(o).view(Value) for o in outputs),
            params,
        )
    assert len(gradients) == len(arrays)
    for k, gradient in enumerate(gradients):
        if arrays[k].dtype.kind == "f" and operator.inputs[min(k, len(operator.inputs) - 1)] not in operator.aux:
            numeric = finite_differences(operator, arrays, params, heads, k)
            if isinstance(gradient, Refusal):
                continue
            given = np.zeros_like(arrays[k]) if gradient is None else np.asarray(gradient)
            assert given.shape == arrays[k].shape
            np.testing.assert_allclose(given, numeric, rtol=1e-4, atol=1e-5)


@batched(cases(lambda operator, sample: operator.name in CHOSEN_GRADIENTS), by=room_of)
def test_chosen_gradient_is_that_of_mxnet(operator: Operator, sample: Sample, number: int) -> None:
    description = make["describe"](operator)[number]
    found = answers[make["key_of"](operator.name, description)]
    arrays = inputs_of(operator, sample, number)
    outputs = run(operator, arrays, sample.params)
    gradients = operator.gradients(
        Functions(),
        make["heads_for"](outputs[:1])[0].view(Value),
        tuple(a.view(Value) for a in arrays),
        tuple(output.view(Value) for output in outputs),
        {**operator.defaults(), **sample.params},
    )
    for array, gradient, expected in zip(arrays, gradients, found["gradients"], strict=True):
        given = np.zeros_like(array) if gradient is None else np.asarray(gradient)
        wanted = np.array(expected["values"]).reshape(array.shape)
        np.testing.assert_allclose(given, wanted, rtol=1e-5, atol=1e-6)


def finite_differences(
    operator: Operator, arrays: list[Any], params: Mapping[str, Any], heads: list[Any], k: int
) -> Any:
    step = 1e-6

    def loss() -> float:
        return sum(float((o * np.asarray(h)).sum()) for o, h in zip(run(operator, arrays, params), heads, strict=False))

    result = np.zeros_like(arrays[k])
    for index in np.ndindex(*arrays[k].shape):
        before = arrays[k][index]
        arrays[k][index] = before + step
        above = loss()
        arrays[k][index] = before - step
        result[index] = (above - loss()) / (2 * step)
        arrays[k][index] = before
    return result


@pytest.mark.parametrize("operator", [o for o in registry.operators() if o.facts.of_all_rows], ids=lambda o: o.name)
def test_what_an_operator_makes_of_all_rows_another_makes_of_the_tensor(operator: Operator) -> None:
    assert operator.facts.of_all_rows is not None
    name, parameters = operator.facts.of_all_rows
    whole = registry.find(name)
    assert whole is not None
    x = np.arange(24.0).reshape((2, 3, 4))
    (joined,) = run(operator, list(x), dict.fromkeys(operator.params, 0))
    np.testing.assert_array_equal(joined, run(whole, [x], parameters)[0])


@pytest.mark.parametrize("operator", [o for o in registry.operators() if o.facts.bilinear], ids=lambda o: o.name)
def test_a_bilinear_operator_scales_with_either_input(operator: Operator) -> None:
    generator = np.random.default_rng(1)
    for one in operator.samples:
        first, second = (generator.uniform(-1, 1, [int(str(size)) for size in shape]) for shape in one.shapes)
        (product,) = run(operator, [first, second], one.params)
        for scaled in ([first * 4, second], [first, second * 4]):
            np.testing.assert_array_equal(run(operator, scaled, one.params)[0], product * 4)
