"""Every operator's samples on an array module with CuPy's names alone: the numbers of numpy, forward and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hybridlint.runtime import autograd, random
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.context import Context, cpu, gpu
from hybridlint.runtime.core.imperative import invoke
from hybridlint.runtime.core.operator_params import normalize
from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.registry import Operator, Sample
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.util import np_shape
from tests.batches import batched, room_of
from tests.closeness import assert_same_numbers
from tests.runtime.compiled.test_samples import arrays_of, cases, listed, padded

pytestmark = pytest.mark.usefixtures("two_gpus")


@batched(cases(lambda operator, sample: True), by=room_of)
def test_the_gpu_gives_what_the_cpu_gives(operator: Operator, sample: Sample) -> None:
    with np_shape(True):
        on_cpu, on_gpu = (computed(operator, sample, ctx) for ctx in (cpu(), gpu(1)))
    assert len(on_cpu) == len(on_gpu)
    for expected, found in zip(on_cpu, on_gpu, strict=True):
        if isinstance(expected, str):
            assert found == expected
            continue
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        assert_same_numbers(found, expected)


def computed(operator: Operator, sample: Sample, ctx: Context) -> list[Any]:
    """Return the results and the gradients of the inputs, or the name of the error instead."""
    arrays = [a.as_in_context(ctx) for a in arrays_of(operator, sample)]
    random.seed(5)
    params = normalize(operator, sample.params)
    if not operator.differentiable:
        results = run(operator, arrays, params, ctx)
        return [r.asnumpy() for r in results] + [a.asnumpy() for a in arrays]
    for array in arrays:
        if array.dtype in {np.float16, np.float32, np.float64}:
            array.attach_grad()
    try:
        with autograd.record(train_mode=False):
            results = run(operator, arrays, params, ctx)
        autograd.backward([r for r in results if r.dtype in {np.float16, np.float32, np.float64}])
    except (MXNetError, NotImplementedError) as error:
        return [type(error).__name__]
    gradients = [a.grad for a in arrays if a.grad is not None]
    assert all(r.context == ctx and type(r._data).__name__ == "ndarray" for r in (*results, *gradients))
    return [r.asnumpy() for r in (*results, *gradients)]


def run(operator: Operator, arrays: list[NDArray], params: Any, ctx: Context) -> list[NDArray]:
    return listed(invoke(operator, padded(operator, arrays), params, ctx=ctx))


def test_an_operator_says_why_it_computes_in_main_memory() -> None:
    reasons = {operator.name: operator.host for operator in registry.operators() if operator.host is not None}
    assert reasons
    assert all(reason.strip() and not reason.endswith(".") for reason in reasons.values())
