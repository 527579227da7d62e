"""The operator ``_sg_mkldnn_conv``: a convolution with what follows it, on integers of 8 bits or on numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.control_flow.subgraph import Subgraph
from hybridlint.runtime.control_flow.subgraph_operators import operator_with_subgraph
from hybridlint.runtime.core.imperative import Raw
from hybridlint.runtime.facts.registry import Facts, Operator
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.merged.parts import Parts, read_parts
from hybridlint.runtime.ops.quantized.scales import BEYOND, END, extent, rounded, single

if TYPE_CHECKING:
    from hybridlint.runtime.symbol.symbol import Symbol

_RESULTS = Facts(output_names=("output", "output_min", "output_max"))


@dataclass(frozen=True, slots=True)
class _Range:
    """The range of a result, and the integers that it is told in."""

    low: float
    high: float

    @property
    def dtype(self) -> str:
        return "uint8" if self.low >= 0 else "int8"

    @property
    def step(self) -> float:
        return max(abs(self.low), abs(self.high)) / BEYOND[self.dtype]


def merged_convolution(given: Mapping[str, str], subgraphs: Sequence[Symbol], inputs: int) -> Operator:
    """Return the operator of a node of a file; `given` are its attributes, `inputs` is the number of its inputs.

    Inputs are those of the subgraph. If it is quantized, the ends of the ranges of the data, and of the array that is
    added, follow them. Raises MXNetError for a quantized one that is not calibrated.
    """
    (graph,) = subgraphs
    body = Subgraph(graph)
    if given.get("quantized", "false").lower() not in {"true", "1"}:
        return _on_numbers(body)
    if "min_calib_range" not in given or "max_calib_range" not in given:
        raise MXNetError("a quantized _sg_mkldnn_conv without calibrated range is not supported by the bundled runtime")
    return _on_integers(body, read_parts(graph, "Convolution"), _Range(*_limits(given)))


def _limits(given: Mapping[str, str]) -> tuple[float, float]:
    return float(given["min_calib_range"]), float(given["max_calib_range"])


def _on_numbers(body: Subgraph) -> Operator:
    def kernel(xp: Any, /, *data: Any, training: bool, rng: Any) -> Any:
        (found,) = body.run(data, training=training, rng=rng)
        return found

    return operator_with_subgraph(
        "_sg_mkldnn_conv",
        kernel,
        lambda *ins: tuple(body.infer(ins)[1]),
        outputs=1,
        visible=1,
        reserved=frozenset({"training", "rng"}),
        complete=lambda *ins: tuple(body.infer(ins)[0]),
        inputs=body.inputs,
        aux=tuple(body.symbol.list_auxiliary_states()),
    )


def _on_integers(body: Subgraph, parts: Parts, result: _Range) -> Operator:
    count = len(body.inputs)
    ends = [f"{body.inputs[k]}_{end}" for k in parts.integers for end in ("min", "max")]

    def as_numbers(ins: Sequence[TensorType]) -> list[TensorType]:
        return [t.with_dtype("float32") for t in ins[:count]]

    def infer(*ins: TensorType) -> tuple[TensorType, ...]:
        (found,) = body.infer(as_numbers(ins))[1]
        return found.with_dtype(result.dtype), END, END

    def complete(*ins: TensorType) -> tuple[TensorType | None, ...]:
        found = body.infer(as_numbers(ins))[0]
        kept = (t.with_dtype(ins[k].dtype) if k in parts.integers else t for k, t in enumerate(found))
        return (*kept, *(END for _ in ins[count:]))

    def kernel(xp: Any, /, *data: Any) -> tuple[Any, ...]:
        found = _convolved(parts, data[:count], data[count:])
        # What is added is overwritten with the result, which then has as many integers as that.
        stored = result.dtype if parts.added_place is None else data[parts.added_place].dtype.name
        found = rounded(np, found / result.step, stored).astype(result.dtype)
        return found, single(np, result.low), single(np, result.high)

    return operator_with_subgraph(
        "_sg_mkldnn_conv",
        kernel,
        infer,
        outputs=3,
        visible=3,
        reserved=frozenset(),
        complete=complete,
        facts=_RESULTS,
        inputs=(*body.inputs, *ends),
        aux=tuple(body.symbol.list_auxiliary_states()),
    )


def _step(data: Raw, *ends: Raw) -> float:
    return float(extent(np, *ends)) / BEYOND[data.dtype.name]


def _convolved(parts: Parts, ins: Sequence[Raw], ends: Sequence[Raw]) -> Any:
    """Return the numbers that the layer gives for integers, with its weights as integers of 8 bits for each channel."""
    data, weight, *bias = (ins[k] for k in parts.layer_places)
    weight, shift = _with_normalization(parts, ins, weight, bias[0] if bias else None)
    step = _step(data, *ends[:2])
    across = tuple(range(1, weight.ndim))
    weight_step = np.maximum(np.abs(weight).max(axis=across), 1e-30) / BEYOND["int8"]
    integers = rounded(np, weight / weight_step.reshape(-1, *(1,) * len(across)), "int8")
    assert parts.layer.op is not None
    params = {**parts.layer.params, "no_bias": True}
    found = parts.layer.op.kernel(np, data.astype("float64"), integers.astype("float64"), None, **params)

    def by_channel(values: Any) -> Any:
        return values.reshape(1, -1, *(1,) * (found.ndim - 2))

    if shift is not None:
        found = found + by_channel(np.rint(shift / (step * weight_step)))
    found = found * by_channel(step * weight_step)
    if parts.added_place is not None:
        added = ins[parts.added_place]
        found = found + added * _step(added, *ends[2:4])
    return np.maximum(found, 0) if parts.rectified else found


def _with_normalization(parts: Parts, ins: Sequence[Raw], weight: Raw, bias: Raw | None) -> tuple[Any, Any]:
    """Return weight and bias of the layer and its normalization in one, by running statistics."""
    if parts.normalization is None:
        return weight, bias
    gamma, beta, mean, variance = (ins[k].astype("float64") for k in parts.normalization_places)
    scale = (1 if parts.normalization["fix_gamma"] else gamma) / np.sqrt(variance + parts.normalization["eps"])
    return weight * scale.reshape(-1, *(1,) * (weight.ndim - 1)), ((0 if bias is None else bias) - mean) * scale + beta
