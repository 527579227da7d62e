"""Operators in PyTorch: each sample gives what the bundled runtime gives, but for what PyTorch does not do."""

from __future__ import annotations

import importlib.util
import re
from typing import Any

import numpy as np
import pytest

from hybridlint.converting.assembly import with_imports
from hybridlint.runtime.core.imperative import invoke
from hybridlint.runtime.core.operator_params import normalize
from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.registry import Operator, Sample
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.torch_code.call import ArgumentText, OperatorCall
from hybridlint.runtime.torch_code.errors import NoTranslationError
from hybridlint.runtime.torch_code.table import translation_of
from hybridlint.runtime.torch_code.texts import literal
from tests.batches import batched, room_of

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")


def _arrays(sample: Sample) -> list[Any]:
    generator = np.random.default_rng(11)
    dtypes = [*sample.dtypes, *["float32"] * (len(sample.shapes) - len(sample.dtypes))]
    drawn = [
        generator.uniform(sample.low, sample.high, tuple(n for n in shape if isinstance(n, int)))
        for shape in sample.shapes
    ]
    return [(a if d.startswith("float") else np.floor(a)).astype(d) for a, d in zip(drawn, dtypes, strict=True)]


def _text(operator: Operator, sample: Sample, arrays: list[Any]) -> str:
    translate = translation_of(operator)
    assert translate is not None
    params = {name: ArgumentText(literal(value), value) for name, value in normalize(operator, sample.params).items()}
    inputs = [ArgumentText(f"x{k}") for k in range(len(arrays))]
    dtypes = [array.dtype.name for array in arrays]
    return translate(OperatorCall(operator, inputs, params, [array.shape for array in arrays], dtypes=dtypes))


#: Samples that PyTorch refuses, or answers otherwise.
_OTHERWISE = {
    "Embedding-1": "indices beyond the end",
    "Flatten-1": "an axis that is added",
    "FullyConnected-3": "an axis that is added",
    "Pooling-7": "more strides than axes",
    "SequenceMask-0": "lengths that are no whole numbers",
    "SequenceMask-2": "lengths that are no whole numbers",
    "pick-0": "indices beyond the end",
    "take-1": "indices beyond the end",
}
#: Operators of whole numbers that PyTorch has for floats alone, or computes as floats.
_FLOATS_ALONE = {"_hypot", "broadcast_hypot", "_maximum_scalar", "clip", "mean", "rcbrt", "softsign"}


def _cases() -> list[Any]:
    return [
        pytest.param(operator, sample, id=f"{operator.name}-{number}")
        for operator in registry.operators()
        if translation_of(operator) is not None and not re.search("random|normal", operator.name)
        for number, sample in enumerate(operator.samples)
        if f"{operator.name}-{number}" not in _OTHERWISE
        and not (operator.name in _FLOATS_ALONE and {"int32", "int64"} & set(sample.dtypes))
    ]


@batched(_cases(), by=room_of)
def test_a_sample_gives_the_same(operator: Operator, sample: Sample) -> None:
    import torch

    arrays = _arrays(sample)
    try:
        text = _text(operator, sample, arrays)
        results = invoke(operator, [NDArray(array) for array in arrays], normalize(operator, sample.params))
    except (NoTranslationError, ValueError):
        # Some take fewer arrays than their samples have.
        return
    names = ", ".join(f"x{k}" for k in range(len(arrays)))
    space: dict[str, Any] = {}
    exec(with_imports(f"class Part(nn.Module):\n    def forward(self, {names}):\n        return {text}"), space)
    outputs = space["Part"]().eval()(*[torch.from_numpy(array.copy()) for array in arrays])
    expected = [array.asnumpy() for array in (results if isinstance(results, list | tuple) else [results])]
    actual = [tensor.detach().numpy() for tensor in (outputs if isinstance(outputs, list | tuple) else [outputs])]
    assert len(actual) == len(expected)
    for found, wanted in zip(actual, expected, strict=True):
        # MXNet has no tensors without axes: it has one element instead.
        assert (found.shape or (1,)) == wanted.shape
        np.testing.assert_allclose(found.reshape(wanted.shape), wanted, rtol=1e-4, atol=1e-5)
