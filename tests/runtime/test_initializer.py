"""Initializers: which names get which values, and how values spread."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import initializer as init
from hybridlint.runtime import nd
from hybridlint.runtime.initializer import InitDesc, create


def filled(initializer: init.Initializer, shape: tuple[int, ...], name: str = "x_weight") -> Any:
    array = nd.full(shape, 7.0)
    initializer(InitDesc(name), array)
    return array.asnumpy()


@pytest.mark.parametrize(
    ("name", "value"),
    [("a_weight", 3), ("a_bias", 0), ("a_gamma", 1), ("a_beta", 0), ("a_min", 0), ("a_max", 1)],
)
def test_the_ending_of_a_name_decides(name: str, value: float) -> None:
    assert (filled(init.Constant(3), (4,), name) == value).all()


def test_other_names_need_an_initializer_of_their_own() -> None:
    with pytest.raises(ValueError, match="Unknown initialization pattern for a_running_var"):
        filled(init.One(), (2,), "a_running_var")
    array = nd.zeros((2,))
    init.Zero()(InitDesc("a_running_var", {"__init__": "ones"}), array)
    assert array.asnumpy().tolist() == [1, 1]


@pytest.mark.parametrize(
    ("initializer", "deviation", "largest"),
    [
        (init.Uniform(0.1), 0.1 / 3**0.5, 0.1),
        (init.Normal(0.1), 0.1, None),
        (init.Xavier(), 0.0563, 0.0976),
        (init.Xavier("gaussian"), 0.0976, None),
        (init.Xavier(factor_type="in", magnitude=2), 0.0497, 0.0861),
        (init.Xavier(factor_type="out"), 0.0527, 0.0913),
        (init.MSRAPrelu(), 0.0773, None),
    ],
)
def test_spread(initializer: init.Initializer, deviation: float, largest: float | None) -> None:
    mx.random.seed(1)
    values = filled(initializer, (40, 30, 3, 3))
    assert values.std() == pytest.approx(deviation, rel=0.05)
    assert largest is None or abs(values).max() <= largest


def test_a_seed_repeats_the_values() -> None:
    draws = []
    for _ in range(2):
        mx.random.seed(3)
        draws.append(filled(init.Xavier(), (3, 4)))
    np.testing.assert_array_equal(draws[0], draws[1])


def test_orthogonal_rows() -> None:
    values = filled(init.Orthogonal(), (4, 6))
    np.testing.assert_allclose(values @ values.T, 1.414**2 * np.eye(4), atol=1e-4)


def test_bilinear_is_mxnets() -> None:
    expected = np.outer([1 / 3, 2 / 3, 1], [1 / 3, 2 / 3, 1, 2 / 3, 1 / 3])
    np.testing.assert_allclose(filled(init.Bilinear(), (1, 1, 3, 5))[0, 0], expected, rtol=1e-5)


def test_lstm_bias_opens_the_forget_gate() -> None:
    assert filled(init.LSTMBias(2.0), (8,)).tolist() == [0, 0, 2, 2, 0, 0, 0, 0]


@pytest.mark.parametrize("value", [[1.0, 2.0], (1.0, 2.0)])
def test_a_list_fills_arrays_and_is_no_constant_of_symbols(value: Any) -> None:
    weight = mx.gluon.Parameter("weight", shape=(2,), init=init.Constant(value))
    weight.initialize()
    assert weight.data().asnumpy().tolist() == [1, 2]
    with pytest.raises(AttributeError, match="object has no attribute 'asnumpy'"):
        weight.var()


@pytest.mark.parametrize("value", [np.array([1.0, 2.0]), nd.array([1.0, 2.0])])
def test_constants_of_arrays_are_lists_in_symbols(value: Any) -> None:
    symbol = mx.gluon.Parameter("weight", shape=(2,), init=init.Constant(value)).var()
    assert symbol.attr("__init__") == '["constant", {"value": [1.0, 2.0]}]'


@pytest.mark.parametrize("name", ["zeros", "Zero", "xavier", "uniform", "msraprelu", '["constant", {"value": 3}]'])
def test_names_and_dumps_create(name: str) -> None:
    made = create(name)
    assert create(made.dumps()) == made


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AssertionError, match="gaussian is not registered"):
        create("gaussian")
    with pytest.raises(AssertionError, match="must be of string type"):
        create(3)


def test_xavier_needs_two_dimensions() -> None:
    with pytest.raises(ValueError, match="at least 2D"):
        filled(init.Xavier(), (3,))


def test_mixed_takes_the_first_match() -> None:
    mixed = init.Mixed([".*bias", ".*"], [init.Zero(), init.One()])
    array = nd.zeros((1,))
    mixed(InitDesc("a_weight"), array)
    assert array.asscalar() == 1
    with pytest.raises(ValueError, match="did not match any pattern"):
        init.Mixed(["x"], [init.Zero()])(InitDesc("a_weight"), array)


def test_load_checks_shapes() -> None:
    load = init.Load({"arg:x": nd.ones((2,))})
    array = nd.zeros((2,))
    load("x", array)
    assert array.asnumpy().tolist() == [1, 1]
    with pytest.raises(AssertionError, match="Shape mismatch"):
        load("x", nd.zeros((3,)))


def test_users_register_their_own() -> None:
    @init.register
    class Nines(init.Initializer):
        def _init_weight(self, _: str, arr: Any) -> None:
            arr[:] = 9

    param = mx.gluon.Parameter("w", shape=(2,), init="nines")
    param.initialize()
    assert param.data().asnumpy().tolist() == [9, 9]


class Counting(init.Initializer):
    """Fills each array that it is asked for with the next number, and notes the names."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __call__(self, desc: str, arr: Any) -> None:
        self.names.append(desc)
        arr[:] = len(self.names)


def test_packed_weights_are_filled_part_by_part() -> None:
    counting = Counting()
    values = filled(init.FusedRNN(counting, 1, 1, "lstm", forget_bias=9), (4 * (2 + 1 + 2),))
    assert counting.names[:2] == ["l0_i2h_i_weight", "l0_i2h_f_weight"]
    assert counting.names[-3:] == ["l0_h2h_i_bias", "l0_h2h_c_bias", "l0_h2h_o_bias"]
    assert values.tolist() == [1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 9, 10, 11, 12, 9, 13, 14]


def test_packed_weights_of_both_directions() -> None:
    counting = Counting()
    filled(init.FusedRNN(counting, 2, 2, "rnn_tanh", bidirectional=True), (2 * 2 * ((3 + 2 + 2) + (4 + 2 + 2)),))
    assert counting.names[:4] == ["l0_i2h_weight", "l0_h2h_weight", "r0_i2h_weight", "r0_h2h_weight"]
    assert counting.names[-1] == "r1_h2h_bias"


def test_packed_weights_by_the_initializer_that_was_asked_first() -> None:
    param = mx.gluon.Parameter("w", shape=(3 * (2 + 1 + 2),), init=init.FusedRNN(None, 1, 1, "gru"))
    param.initialize(default_init=init.One())
    assert param.data().asnumpy().tolist() == [1] * 9 + [0] * 6
    again = create(init.FusedRNN(init.One(), 1, 1, "gru").dumps())
    assert filled(again, (15,)).tolist() == [1] * 9 + [0] * 6


def test_packed_weights_of_a_wrong_length_are_refused() -> None:
    with pytest.raises(ValueError, match="10 elements"):
        filled(init.FusedRNN(init.One(), 1, 1, "lstm"), (10,))
