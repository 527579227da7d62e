"""Quantized networks have the graphs of the real MXNet, and give nearly what they give in float32."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import gluon, nd, sym
from hybridlint.runtime.contrib import calibration, quantization

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


def test_ranges_by_entropy_are_those_of_mxnet() -> None:
    """Measured on MXNet 1.9.1, with histograms of 8,001 bins."""
    samples = mx.io.NDArrayIter(DATA, None, 4)
    options: dict[str, Any] = {"calib_mode": "entropy", "calib_data": samples, "quantized_dtype": "int8"}
    graph, params, _ = quantization.quantize_model(_network(), PARAMS, {}, **options)
    found = graph.attr_dict()["data_quantize"]
    assert float(found["max_calib_range"]) == pytest.approx(0.992706, abs=1e-6)
    assert float(found["min_calib_range"]) == -float(found["max_calib_range"])
    wanted = _run(_network(), PARAMS)
    np.testing.assert_allclose(_run(graph, params), wanted, atol=0.04 * abs(wanted).max())


def test_a_histogram_keeps_the_width_of_its_bins_where_it_grows() -> None:
    """Measured on MXNet 1.9.1: 21 bins of 4/21 up to 2, then as many more as reach 3 and 4.5."""
    collector = calibration._LayerHistogramCollector(21)
    for low, high, bins, end in ((-1, 2, 21, 2), (-3, 2, 33, 3.142857), (-0.3, 4.5, 49, 4.6666665)):
        collector.collect("a", "", nd.array([low, 0.5, high]))
        found = collector.hist_dict["a"]
        assert len(found.counts) == bins
        assert found.edges[-1] == pytest.approx(end)
    assert (found.counts.sum(), found.low, found.high) == (9, -3, 4.5)


@pytest.mark.parametrize(
    ("counts", "integers", "edge", "lost"),
    [
        ([1, 8, 55, 0, 12, 46, 49, 0, 1], 2, 7, 0.351607),
        ([1, 3, 0, 20, 31, 20, 0, 4, 1], 5, 9, 0.404127),
        ([1, 0, 20, 30, 1], 2, 3, 0.180318),
        ([0, 2, 4], 2, 3, 0.056634),
        ([0, 0, 0, 0, 0], 4, 5, 3.4028234663852886e38),
    ],
)
def test_a_threshold_loses_least(counts: list[int], integers: int, edge: float, lost: float) -> None:
    """Measured on MXNet 1.9.1."""
    size = len(counts)
    edges = nd.array(np.linspace(-size, size, size + 1))
    found = nd.contrib.calibrate_entropy(nd.array(counts), edges, num_quantized_bins=integers)
    assert [x.asscalar() for x in found] == pytest.approx([edge, lost], rel=1e-5)


def test_products_of_integers_are_those_of_mxnet_graphs() -> None:
    """Measured on MXNet 1.9.1, whose graphs alone have the operator."""
    a, b = (nd.array(x, dtype="int8") for x in ([-127, -5, 0, 100], [127, -5, 10, 100]))
    ends = [nd.array([x]) for x in (-2, 1.5, -3, 4)]
    wide, low, high = nd.contrib.quantized_elemwise_mul(a, b, *ends)
    assert wide.asnumpy().tolist() == [-16129, 25, 0, 10000]
    assert [low.asscalar(), high.asscalar()] == pytest.approx([-1065154, 1065154], rel=1e-6)
    narrow = nd.contrib.quantized_elemwise_mul(a, b, *ends, min_calib_range=-5, max_calib_range=6)[0]
    assert narrow.asnumpy().tolist() == [88, 0, 0, 104]
    numbers = nd.contrib.quantized_elemwise_mul(a, b, *ends, enable_float_output=True)
    assert numbers.asnumpy() == pytest.approx([-7.937378, 0.012303, 0, 4.921184], abs=1e-6)


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
    with pytest.raises(ValueError, match="unknown calibration mode median"):
        quantization.quantize_model(_network(), PARAMS, {}, calib_mode="median", calib_data=[nd.array(DATA)])
