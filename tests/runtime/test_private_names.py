"""Names with an underscore that iterators, modules and cells of public projects import, with what MXNet's give."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from hybridlint import runtime as mx
from hybridlint.runtime import io, nd, sym
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.gluon.rnn import LSTMCell, rnn_cell
from hybridlint.runtime.io.io import _getdata_by_idx, _has_instance, _init_data
from hybridlint.runtime.module.base_module import _check_input_names, _parse_data_desc
from hybridlint.runtime.ndarray.ndarray import _DTYPE_MX_TO_NP, _DTYPE_NP_TO_MX

SEQUENCE = nd.arange(24).reshape((2, 3, 4))


def test_data_is_given_by_name() -> None:
    found = _init_data({"b": np.ones(3), "a": SEQUENCE}, allow_empty=False, default_name="data")
    assert [(name, value.shape) for name, value in found] == [("a", (2, 3, 4)), ("b", (3,))]
    assert [name for name, _ in _init_data([SEQUENCE, SEQUENCE], True, "data")] == ["_0_data", "_1_data"]
    assert _init_data(None, True, "data") == []
    with pytest.raises(AssertionError):
        _init_data([], False, "data")
    assert _has_instance(found, nd.NDArray)
    ((_, rows),) = _getdata_by_idx([("a", nd.array([5, 6, 7]))], [2, 0])
    assert rows.asnumpy().tolist() == [7, 5]


def test_names_of_a_modules_inputs_are_checked() -> None:
    graph = sym.FullyConnected(sym.var("d"), num_hidden=2)
    _check_input_names(graph, ["d"], "data", throw=True)
    with pytest.raises(ValueError, match="data_names"):
        _check_input_names(graph, ["x"], "data", throw=True)
    with pytest.warns(UserWarning, match="label_names"):
        _check_input_names(graph, ["x"], "label", throw=False)
    data, labels = _parse_data_desc(["d"], [], [("d", (2, 3))], None)
    assert (data, labels) == ([io.DataDesc("d", (2, 3))], None)
    with pytest.raises(ValueError, match="data_shapes"):
        _parse_data_desc(["d"], [], [("q", (2, 3))], None)


def test_sequences_are_arranged_and_masked() -> None:
    steps, axis, namespace, batch = rnn_cell._format_sequence(3, SEQUENCE, "NTC", False)
    assert ([s.shape for s in steps], axis, namespace, batch) == ([(2, 4)] * 3, 1, nd, 2)
    masked = rnn_cell._mask_sequence_variable_length(nd, steps, 3, nd.array([1, 2]), axis, True)
    assert masked.asnumpy()[0, 1:].sum() == 0
    assert [s.shape for s in rnn_cell._get_begin_state(LSTMCell(5), nd, None, SEQUENCE, 2)] == [(2, 5)] * 2


def test_dtypes_have_mxnets_numbers() -> None:
    assert _DTYPE_NP_TO_MX[np.float16] == 2
    assert _DTYPE_MX_TO_NP[6] is np.int64


def test_the_operator_of_a_symbol_stands_alone_as_an_atomic_symbol() -> None:
    data = mx.sym.Variable("data")
    atomic = mx.sym.FullyConnected(data, num_hidden=3, name="fc")._gen_atomic_symbol()
    # Measured on MXNet, which ends the process for a variable and for a group.
    assert (atomic.name, atomic.list_arguments(), len(atomic.list_outputs())) == ("", [], 1)
    assert atomic.list_attr() == {"num_hidden": "3"}
    with pytest.raises(MXNetError, match="one operator"):
        data._gen_atomic_symbol()


def test_common_expressions_are_kept_as_the_environment_says_when_a_symbol_is_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    a, b = mx.sym.Variable("a"), mx.sym.Variable("b")
    symbol = (a + b) + (a + b)
    monkeypatch.setenv("MXNET_ELIMINATE_COMMON_EXPR", "0")
    kept = symbol.simple_bind(mx.cpu(), a=(2,), b=(2,))
    monkeypatch.setenv("MXNET_ELIMINATE_COMMON_EXPR", "1")
    merged = symbol.simple_bind(mx.cpu(), a=(2,), b=(2,))
    sizes = [len(bound.get_optimized_symbol().get_internals()) for bound in (kept, merged)]
    assert sizes[0] == sizes[1] + 1


def test_operators_of_numpy_mode_are_described_under_their_names() -> None:
    from hybridlint.runtime import _numpy_op_doc

    described = inspect.signature(_numpy_op_doc._np_sum)
    assert list(described.parameters)[:2] == ["a", "axis"]
    assert not hasattr(_numpy_op_doc, "_np_nothing")
