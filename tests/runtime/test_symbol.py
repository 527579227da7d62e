"""Symbol with MXNet's pitfalls, each with its own class of error; names, types, and JSON as MXNet writes it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hybridlint.runtime import nd, sym, util
from hybridlint.runtime.base import MXNetError, NotImplementedForSymbol
from hybridlint.runtime.context import cpu

FILES = Path(__file__).parents[1] / "goldens" / "files"


@pytest.mark.parametrize(
    ("use", "error"),
    [
        (bool, NotImplementedForSymbol),
        (lambda x: x.asnumpy(), NotImplementedForSymbol),
        (lambda x: x.__iadd__(1), NotImplementedForSymbol),
        (lambda x: x.copy(), NotImplementedForSymbol),
        (lambda x: x.shape, AttributeError),
        (lambda x: x.T, AttributeError),
        (lambda x: x[1], IndexError),
        (lambda x: x[1:], IndexError),
        (lambda x: x[-1], MXNetError),
        (lambda x: x[:, 0], TypeError),
        (lambda x: x[None], TypeError),
        (lambda x: x.as_in_context(1), TypeError),
        (lambda x: x + nd.ones((1,)), TypeError),
        (lambda x: x + None, TypeError),
        (lambda x: x + True, MXNetError),
        (lambda x: x * np.bool_(True), TypeError),
        (lambda x: x.reshape(3, 2), MXNetError),
        (nd.relu, AssertionError),
        (lambda x: sym.broadcast_add(x, 1), AssertionError),
        (hash, TypeError),
    ],
)
def test_pitfalls(use: Callable[[Any], Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        use(sym.var("x"))


def test_a_subscript_selects_an_output() -> None:
    x = sym.var("x")
    assert x[0].name == "x"
    assert len(x) == len(list(x)) == 1
    parts = sym.split(x, num_outputs=3, axis=1, name="s")
    assert parts[1].list_outputs() == ["s_output1"]
    with pytest.raises(MXNetError):
        parts[-1]


def test_operators_want_equal_shapes() -> None:
    total = sym.var("x") + sym.var("y")
    with pytest.raises(MXNetError, match="expected shape"):
        total.infer_shape(x=(2, 3), y=(1, 3))
    assert total.infer_shape(x=(2, 3))[0] == [(2, 3), (2, 3)]


def test_errors_name_the_line() -> None:
    total = sym.var("x") + sym.var("y")
    with pytest.raises(MXNetError, match=Path(__file__).name):
        total.infer_shape(x=(2, 3), y=(1, 3))


def test_what_cannot_be_inferred_is_none() -> None:
    with pytest.warns(UserWarning, match="Cannot decide shape"):
        assert sym.FullyConnected(sym.var("x"), num_hidden=3).infer_shape() == (None, None, None)


def test_numbers_are_written_as_text() -> None:
    x = sym.var("x") * np.float32(0.1)
    found = x.eval(x=nd.array([1.0], dtype="float64"))[0].asscalar()
    assert found == 0.1
    assert (nd.array([1.0], dtype="float64") * np.float32(0.1)).asscalar() == float(np.float32(0.1))


@pytest.mark.parametrize(
    ("number", "read"), [(2**64 - 1, 2.0**64), (2**64, 0.0), (2**64 + 5, 5.0), (-(2**64) - 3, -3.0), (1e20, 1e20)]
)
def test_integers_are_read_into_64_bits(number: float, read: float) -> None:
    x = sym.var("x")
    for scaled in (x * number, sym.maximum(x - 1e30, number)):
        assert scaled.eval(x=nd.array([1.0]))[0].asscalar() == np.float32(read)


def test_arguments_are_made_and_named() -> None:
    layer = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    assert layer.list_arguments() == ["data", "fc_weight", "fc_bias"]
    norm = sym.BatchNorm(layer, name="bn")
    assert norm.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]


@pytest.mark.parametrize("name", ["model-symbol.json", "classifier.json", "several.json"])
def test_json_of_mxnet_is_read_and_written_to_the_letter(name: str) -> None:
    text = (FILES / name).read_text()
    assert sym.load_json(text).tojson() == text


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"nodes": [{"op": "relu"}], "heads": []}', "nodes"])
def test_malformed_json(text: str) -> None:
    with pytest.raises(MXNetError):
        sym.load_json(text)


def test_executor() -> None:
    x, w = nd.array([[1.0, 2]]), nd.array([[3.0, 4]])
    layer = sym.FullyConnected(sym.var("x"), sym.var("w"), num_hidden=1, no_bias=True)
    bound = layer.bind(cpu(), {"x": x, "w": w}, args_grad={"w": nd.zeros((1, 2))})
    assert bound.forward(is_train=True)[0].asscalar() == 11
    bound.backward(nd.ones((1, 1)))
    assert bound.grad_dict["w"].asnumpy().tolist() == [[1, 2]]


@pytest.mark.parametrize(
    ("made", "names"),
    [
        (lambda x: sym.BatchNorm(x, output_mean_var=True, name="n"), ["n_output", "n_mean", "n_var"]),
        (lambda x: sym.LayerNorm(x, output_mean_var=True, name="n"), ["n_output", "n_mean", "n_std"]),
        (
            lambda x: sym.RNN(x, state_size=2, num_layers=1, mode="lstm", state_outputs=True, name="n"),
            ["n_output", "n_state_output", "n_statecell_output"],
        ),
        (lambda x: sym.make_loss(x, name="n"), ["n_loss"]),
        (lambda x: sym.CTCLoss(x, name="n"), ["n_output0"]),
        (lambda x: sym.split(x, num_outputs=2, name="n"), ["n_output0", "n_output1"]),
        (lambda x: sym.exp(x, name="n"), ["n_output"]),
    ],
)
def test_names_of_outputs(made: Callable[[Any], Any], names: list[str]) -> None:
    assert made(sym.var("x")).list_outputs() == names


def test_variables_that_calls_make_bear_the_attributes_of_the_call() -> None:
    layer = sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc", lr_mult="2")
    expected = {"__lr_mult__": "2", "lr_mult": "2", "num_hidden": "3"}
    assert layer.attr_dict() == {"fc": expected, "fc_weight": expected, "fc_bias": expected}


def test_running_statistics_say_what_they_start_as() -> None:
    norm = sym.BatchNorm(sym.var("x"), moving_mean=sym.var("mean"), name="bn")
    assert norm.attr_dict() == {
        "mean": {"__init__": '["zero", {}]'},
        "bn_moving_var": {"__init__": '["one", {}]'},
    }


def test_attributes_without_underscores_count_as_parameters() -> None:
    with pytest.raises(MXNetError, match="Cannot find argument 'mine' of operator FullyConnected"):
        sym.FullyConnected(sym.var("x"), num_hidden=3, attr={"mine": "1"})
    assert sym.exp(sym.var("x"), attr={"mine": "1"}).attr("mine") == "1"


def test_a_file_says_whether_its_shapes_are_those_of_numpy() -> None:
    symbol = sym.var("x") * 2
    with util.np_shape():
        text = symbol.tojson()
    assert text.endswith('"attrs": {\n    "is_np_shape": ["int", 1], \n    "mxnet_version": ["int", 10901]\n  }\n}')
    assert symbol.tojson().endswith('"attrs": {"mxnet_version": ["int", 10901]}\n}')
    assert sym.load_json(text).tojson() == symbol.tojson()


def test_a_dtype_of_none_is_that_of_numpy() -> None:
    half = nd.ones((2,), dtype="float16")
    assert nd.softmax(half, dtype=None).dtype is np.float64
    assert nd.softmax(half).dtype is np.float16
    assert sym.softmax(sym.var("x"), dtype=None).infer_type(x="float16")[1] == [np.float64]


@pytest.mark.parametrize(("shape", "written"), [((np.int64(2), 3), "(2, 3)"), ([np.int64(2), 3], "[2, 3]")])
def test_shapes_of_variables_are_written_as_they_are_given(shape: Any, written: str) -> None:
    variable = sym.var("x", shape=shape)
    assert variable.attr("__shape__") == written
    assert variable.infer_shape()[0] == [(2, 3)]


def test_a_context_is_written_as_text() -> None:
    """Measured: ``F.ones(..., ctx=mx.cpu())`` works as well hybridized, and so does whatever Python can write."""
    for made in (sym.ones((2,), ctx=cpu()), sym.full((2,), 3, ctx=cpu()), sym.eye(2, ctx=cpu())):
        assert made.eval()[0].shape[0] == 2


def test_a_draw_ignores_symbols_that_it_takes_not() -> None:
    drawn = sym.random.randn(loc=2.0, data=sym.ones((9,))) + sym.Variable("x")
    assert drawn.list_arguments() == ["x"]
    assert drawn.infer_shape(x=(4, 5))[1] == [(4, 5)]


def test_classes_are_drawn_by_zipfs_law_in_graphs() -> None:
    found = sym.Group(sym.contrib.rand_zipfian(sym.Variable("true"), 100, 20))
    classes, wanted, counts = found.bind(cpu(), {"true": nd.array([1, 2, 3])}).forward()
    assert classes.dtype == np.int64
    assert np.allclose(wanted.asnumpy(), [13.3178558, 9.44916907, 7.32934494])
    numbers = classes.asnumpy()
    assert np.allclose(counts.asnumpy(), np.log((numbers + 2) / (numbers + 1)) / np.log(21) * 100)
