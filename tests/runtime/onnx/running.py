"""ONNX files run by ONNX Runtime, and single operators written as such files."""

from __future__ import annotations

import runpy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hybridlint.runtime import symbol
from hybridlint.runtime.facts.dims import Dim
from hybridlint.runtime.facts.registry import Operator, Sample
from hybridlint.runtime.onnx.mx2onnx.graph import GraphInput, to_model
from hybridlint.runtime.onnx.mx2onnx.translation import translation_of
from hybridlint.runtime.symbol.calls import call

onnx = pytest.importorskip("onnx", reason="needs the extra hybridlint[onnx]")
reference = pytest.importorskip("onnx.reference", reason="needs the extra hybridlint[onnx]")
onnxruntime = pytest.importorskip("onnxruntime", reason="needs the extra hybridlint[onnx]")

make = runpy.run_path(str(Path(__file__).parents[2] / "goldens" / "make.py"))


def run(model: Any, arrays: Mapping[str, Any]) -> list[Any]:
    """Return the outputs of a model; what ONNX Runtime has no kernel for (of a dtype) is run by onnx itself."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    given = {i.name: arrays[i.name] for i in model.graph.input}
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    except Exception as error:
        if "NOT_IMPLEMENTED" not in str(error):
            raise
        return list(reference.ReferenceEvaluator(model).run(None, given))
    return list(session.run(None, given))


def inputs_of(operator: Operator, number: int) -> dict[str, Any]:
    """Return the arrays of a sample, by name."""
    return {f"x{k}": array for k, array in enumerate(make["draw"](make["describe"](operator)[number]))}


def expected(operator: Operator, sample: Sample, arrays: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what the operator's kernel gives for the sample in predict mode."""
    reserved = {"training": False, "rng": np.random.default_rng(7)}
    given = {**operator.defaults(), **sample.params, **{k: v for k, v in reserved.items() if k in operator.reserved}}
    with np.errstate(all="ignore"):
        result = operator.kernel(np, *(array.copy() for array in arrays.values()), **given)
    results = result if isinstance(result, tuple) else (result,)
    return results[: operator.visible({**operator.defaults(), **sample.params})]


def model_of(operator: Operator, sample: Sample, arrays: Mapping[str, Any], *, dynamic: bool = False) -> Any:
    """Return the model of one call, with all sizes of its inputs left open if `dynamic`."""
    output = call(operator, "node", [symbol.var(name) for name in arrays], dict(sample.params))
    translation = translation_of(operator)
    fixed = translation.constants if translation is not None else ()
    places = {name: operator.inputs[0 if operator.variadic else k] for k, name in enumerate(arrays)}
    inputs = [
        GraphInput(name, array.dtype.name, _shape(name, array, dynamic=dynamic))
        for name, array in arrays.items()
        if places[name] not in fixed
    ]
    return to_model(output, {name: array for name, array in arrays.items() if places[name] in fixed}, inputs)


def _shape(name: str, array: Any, *, dynamic: bool) -> tuple[Any, ...]:
    return tuple(Dim.named(f"{name}[{k}]") if dynamic else size for k, size in enumerate(array.shape))


def assert_same(found: Sequence[Any], wanted: Sequence[Any]) -> None:
    """Compare outputs: shape and dtype are equal, numbers up to the precision of the dtype."""
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        tolerance = 2e-3 if other.dtype == "float16" else 1e-5
        scale = float(np.abs(other).max(initial=0)) if other.dtype.kind == "f" else 0.0
        np.testing.assert_allclose(
            one.astype("float64"), other.astype("float64"), rtol=tolerance, atol=tolerance * min(scale, 1.0)
        )
