"""Quantized networks have the graphs of the real MXNet, and give nearly what they give in float32."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import gluon, nd, sym
from hybridlint.runtime.contrib import quantization

RANDOM = np.random.RandomState(0)
DATA = RANDOM.uniform(-1, 1, (8, 3, 5, 5)).astype("float32")
PARAMS = {
    "c_weight": nd.array(RANDOM.uniform(-1, 1, (2, 3, 3, 3))),
    "c_bias": nd.array([0.1, 0.2]),
    "f_weight": nd.array(RANDOM.uniform(-1, 1, (3, 8))),
    "f_bias": nd.array([0, 0.1, 0.2]),
}


def _network() -> Any:
    layer = sym.Activation(
        sym.Convolution(sym.var("data"), num_filter=2, kernel=(3, 3), name="c"), act_type="relu", name="r"
    )
    pooled = sym.Flatten(sym.Pooling(layer, kernel=(2, 2), pool_type="max", name="p"), name="fl")
    return sym.FullyConnected(pooled, num_hidden=3, name="f")


def _run(graph: Any, params: dict[str, Any]) -> Any:
    return graph.bind(mx.cpu(), {**params, "data": nd.array(DATA)}).forward()[0].asnumpy()


def test_layers_and_what_passes_their_integers_on_are_quantized() -> None:
    graph, params, _ = quantization.quantize_model(_network(), PARAMS, {}, calib_mode="none")
    names = [name for node in graph.get_internals() if "quantize" in (name := str(node.name))]
    assert list(dict.fromkeys(n for n in names if not n.endswith(("_min", "_max")))) == [
        *("data_quantize", "c_weight_quantize", "c_bias_quantize", "quantized_c", "requantize_c", "quantized_r"),
        *("quantized_p", "quantized_fl", "f_weight_quantize", "f_bias_quantize", "quantized_f", "requantize_f"),
        "f_dequantize",
    ]
    assert {name: array.dtype for name, array in params.items() if name.endswith("quantize")} == dict.fromkeys(
        ("c_weight_quantize", "c_bias_quantize", "f_weight_quantize", "f_bias_quantize"), np.int8
    )
    wanted = _run(_network(), PARAMS)
    np.testing.assert_allclose(_run(graph, params), wanted, atol=0.04 * abs(wanted).max())


def test_excluded_layers_compute_on_numbers() -> None:
    graph, params, _ = quantization.quantize_model(_network(), PARAMS, {}, calib_mode="none", excluded_sym_names=["c"])
    outputs = graph.get_internals().list_outputs()
    assert {"c_output", "r_output", "fl_output", "fl_0_quantize_output0", "quantized_f_output"} <= set(outputs)
    assert "quantized_c_output" not in outputs
    wanted = _run(_network(), PARAMS)
    np.testing.assert_allclose(_run(graph, params), wanted, atol=0.03 * abs(wanted).max())


def test_ranges_of_the_data_are_those_of_samples() -> None:
    samples = mx.io.NDArrayIter(DATA, None, 4)
    options: dict[str, Any] = {"calib_mode": "naive", "calib_data": samples, "quantized_dtype": "int8"}
    graph, params, _ = quantization.quantize_model(_network(), PARAMS, {}, **options)
    found = graph.attr_dict()["data_quantize"]
    assert float(found["min_calib_range"]) == pytest.approx(DATA.min(), rel=1e-5)
    assert float(found["max_calib_range"]) == pytest.approx(DATA.max(), rel=1e-5)
    wanted = _run(_network(), PARAMS)
    np.testing.assert_allclose(_run(graph, params), wanted, atol=0.04 * abs(wanted).max())


def test_a_network_becomes_a_block_on_integers() -> None:
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(4, activation="relu", in_units=8), gluon.nn.Dense(3, in_units=4))
    net.initialize(mx.init.One())
    x = nd.array(RANDOM.uniform(0, 1, (2, 8)))
    found = quantization.quantize_net(net, data_shapes=[(2, 8)])
    np.testing.assert_allclose(found(x).asnumpy(), net(x).asnumpy(), rtol=0.02)


def test_wrong_options_are_named() -> None:
    with pytest.raises(ValueError, match="calib_data must be provided"):
        quantization.quantize_model(_network(), PARAMS, {}, calib_mode="naive")
    with pytest.raises(ValueError, match="unknown quantized_dtype int4"):
        quantization.quantize_model(_network(), PARAMS, {}, calib_mode="none", quantized_dtype="int4")
    with pytest.raises(NotImplementedError, match="entropy"):
        quantization.quantize_model(_network(), PARAMS, {}, calib_mode="entropy", calib_data=[nd.array(DATA)])
