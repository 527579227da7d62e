"""Compiled equals eager: every operator's samples, traced, optimized, planned and run, with their gradients."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from hybridlint.runtime import autograd, random
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.compiled.cached_op import CachedOp
from hybridlint.runtime.compiled.engines.choice import names
from hybridlint.runtime.compiled.engines.jit.llvm import is_installed
from hybridlint.runtime.compiled.engines.onnx.session import is_installed as onnx_installed
from hybridlint.runtime.core.imperative import invoke
from hybridlint.runtime.core.operator_params import normalize
from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.registry import Operator, Sample
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.symbol import Group, Symbol, var
from hybridlint.runtime.symbol.calls import call
from hybridlint.runtime.util import np_shape
from tests.batches import batched, room_of


def cases(chosen: Callable[[Operator, Sample], bool]) -> list[Any]:
    """Return a test case for each sample that is chosen, but for operators that run on sparse storage only."""
    return [
        pytest.param(operator, sample, id=f"{operator.name}-{number}")
        for operator in registry.operators()
        for number, sample in enumerate(operator.samples)
        if chosen(operator, sample) and not (operator.storage is not None and operator.storage.only)
    ]


def compilable(operator: Operator, sample: Sample) -> bool:
    given = all(name in sample.params for name in operator.facts.traced_required)
    return bool(sample.shapes) and operator.grad is not None and not operator.aux and given


def arrays_of(operator: Operator, sample: Sample) -> list[NDArray]:
    generator = np.random.default_rng(11)
    dtypes = [*sample.dtypes, *["float32"] * (len(sample.shapes) - len(sample.dtypes))]
    arrays = []
    for shape, dtype in zip(sample.shapes, dtypes, strict=True):
        raw = np.asarray(generator.uniform(sample.low, sample.high, tuple(d for d in shape if isinstance(d, int))))
        array = NDArray((raw if dtype.startswith("float") else np.floor(raw)).astype(dtype))
        if dtype.startswith("float"):
            array.attach_grad()
        arrays.append(array)
    return arrays


def listed(outputs: Any) -> list[NDArray]:
    return outputs if isinstance(outputs, list) else [outputs]


def traced(operator: Operator, sample: Sample) -> Symbol:
    inputs = [var(f"input{k}") for k in range(len(sample.shapes))]
    made = call(operator, "node", inputs, {**sample.params})
    return Group([made[k] for k in range(len(made))])


def gradients(run: Callable[[list[NDArray]], Any], arrays: list[NDArray]) -> tuple[list[Any], list[Any] | str]:
    random.seed(5)
    results = [o.asnumpy() for o in listed(run(arrays))]
    random.seed(5)
    try:
        with autograd.record(train_mode=False):
            outputs = listed(run(arrays))
        autograd.backward([o for o in outputs if o.dtype in {np.float16, np.float32, np.float64}])
    except (MXNetError, NotImplementedError) as error:
        return results, type(error).__name__
    return results, [a.grad.asnumpy() for a in arrays if a.grad is not None]


THERE = {"jit": is_installed(), "onnx": onnx_installed()}
ENGINES = [name for name in names() if THERE.get(name, True)]


def call_of(op: CachedOp, given: list[NDArray]) -> Any:
    return op(*given)


@batched(cases(compilable), by=room_of)
def test_compiled_equals_eager(operator: Operator, sample: Sample) -> None:
    params = normalize(operator, sample.params)
    with np_shape(True):
        symbol = traced(operator, sample)
        eager = gradients(
            lambda arrays: invoke(operator, padded(operator, arrays), params), arrays_of(operator, sample)
        )
        for backend in ENGINES:
            op = CachedOp(symbol, {"backend": backend})
            results, pulled = gradients(partial(call_of, op), arrays_of(operator, sample))
            assert_equal(eager[0], results, backend)
            if isinstance(eager[1], str) or isinstance(pulled, str):
                assert eager[1] == pulled, backend
            else:
                assert_equal(eager[1], pulled, backend)


def padded(operator: Operator, arrays: list[NDArray]) -> list[NDArray | None]:
    return [*arrays] if operator.variadic else [*arrays, *[None] * (len(operator.inputs) - len(arrays))]


def assert_equal(left: list[Any], right: list[Any], told: str = "") -> None:
    for a, b in zip(left, right, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype), told
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6, err_msg=told)
