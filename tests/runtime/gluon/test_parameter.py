"""Parameters: initialization at once or deferred, data and gradients, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import gluon, nd


def test_repr_is_mxnets() -> None:
    assert repr(gluon.Parameter("w", shape=(2, 3))) == "Parameter w (shape=(2, 3), dtype=<class 'numpy.float32'>)"
    assert repr(gluon.Constant("c", nd.ones(2))) == "Constant c (shape=(2,), dtype=<class 'numpy.float32'>)"


def test_data_before_initialize_is_refused() -> None:
    param = gluon.Parameter("w", shape=(2, 3))
    for read in (param.data, param.grad, param.list_data, param.list_ctx):
        with pytest.raises(RuntimeError, match="'w' has not been initialized"):
            read()
    with pytest.raises(AssertionError, match="has not been initialized"):
        param.set_data(nd.ones((2, 3)))


def test_unknown_shape_needs_deferral() -> None:
    with pytest.raises(ValueError, match="invalid shape"):
        gluon.Parameter("w", shape=(0, 3)).initialize()
    param = gluon.Parameter("w", shape=(0, 3), allow_deferred_init=True)
    param.initialize()
    with pytest.raises(gluon.DeferredInitializationError, match="deferred"):
        param.data()
    param.shape = (2, 3)
    param._finish_deferred_init()
    assert param.data().shape == (2, 3)


def test_known_sizes_never_change() -> None:
    param = gluon.Parameter("w", shape=(2, 0))
    param.shape = (2, 3)
    with pytest.raises(AssertionError, match="incompatible"):
        param.shape = (2, 4)
    with pytest.raises(AssertionError, match="incompatible"):
        param.shape = (0, 3)


def test_initializing_twice_warns_and_keeps_the_values() -> None:
    param = gluon.Parameter("w", shape=(2,))
    param.initialize(mx.init.One())
    with pytest.warns(UserWarning, match="already initialized"):
        param.initialize(mx.init.Zero())
    assert param.data().asnumpy().tolist() == [1, 1]
    param.initialize(mx.init.Zero(), force_reinit=True)
    assert param.data().asnumpy().tolist() == [0, 0]


def test_own_initializer_wins_over_the_default() -> None:
    param = gluon.Parameter("w", shape=(2,), init="ones")
    param.initialize(default_init=mx.init.Zero())
    assert param.data().asnumpy().tolist() == [1, 1]


def test_values_given_before_the_shape_is_known_are_used() -> None:
    param = gluon.Parameter("w", shape=(0, 2), allow_deferred_init=True)
    param.initialize()
    param.set_data(nd.array([[1, 2], [3, 4]]))
    param._finish_deferred_init()
    assert param.data().asnumpy().tolist() == [[1, 2], [3, 4]]


def test_set_data_is_in_place_and_counts_versions() -> None:
    param = gluon.Parameter("w", shape=(2,))
    param.initialize()
    data, version = param.data(), param.version
    param.set_data(nd.array([5, 6]))
    assert data.asnumpy().tolist() == [5, 6]
    assert param.version > version


@pytest.mark.parametrize(("grad_req", "expected"), [("write", [2.0, 2.0]), ("add", [4.0, 4.0])])
def test_gradients_are_written_or_added(grad_req: str, expected: list[float]) -> None:
    param = gluon.Parameter("w", shape=(2,), grad_req=grad_req)
    param.initialize(mx.init.One())
    for _ in range(2):
        with mx.autograd.record():
            loss = (param.data() * 2).sum()
        loss.backward()
    assert param.grad().asnumpy().tolist() == expected
    param.zero_grad()
    assert param.grad().asnumpy().tolist() == [0, 0]


def test_grad_req_can_be_switched_off() -> None:
    param = gluon.Parameter("w", shape=(2,))
    param.initialize()
    param.grad_req = "null"
    with pytest.raises(RuntimeError, match="grad_req='null'"):
        param.grad()
    param.grad_req = "write"
    assert param.grad().shape == (2,)
    with pytest.raises(AssertionError, match="grad_req must be one of"):
        param.grad_req = "sometimes"


def test_several_contexts_hold_copies() -> None:
    param = gluon.Parameter("w", shape=(2,))
    param.initialize(ctx=[mx.cpu(0), mx.cpu(1)])
    assert param.list_ctx() == [mx.cpu(0), mx.cpu(1)]
    assert param.data(mx.cpu(1)).context == mx.cpu(1)
    with pytest.raises(RuntimeError, match="was not initialized on context"):
        param.data(mx.cpu(2))
    param.reset_ctx(mx.cpu(0))
    assert param.list_ctx() == [mx.cpu(0)]


def test_a_gpu_is_refused_clearly() -> None:
    with pytest.raises(mx.MXNetError, match=r"gpu\(99\) cannot be used"):
        gluon.Parameter("w", shape=(2,)).initialize(ctx=mx.gpu(99))


def test_cast_changes_data_and_gradient() -> None:
    param = gluon.Parameter("w", shape=(2,))
    param.initialize()
    param.cast("float16")
    assert param.data().dtype == param.grad().dtype == np.float16


def test_cast_leaves_the_variable_that_graphs_have() -> None:
    param = gluon.Parameter("w", shape=(2,))
    before = param.var()
    param.cast("float64")
    assert param.var() is before
    assert before.list_attr()["__dtype__"] == "0"


def test_var_carries_what_files_need() -> None:
    param = gluon.Parameter("w", shape=(3,), lr_mult=2.0, wd_mult=0.5, init="ones", dtype="float64")
    assert param.var() is param.var()
    attributes = param.var().list_attr()
    assert {
        "__shape__": "(3,)",
        "__dtype__": "1",
        "__lr_mult__": "2.0",
        "__wd_mult__": "0.5",
        "__init__": "ones",
        "__storage_type__": "0",
    }.items() <= attributes.items()


def test_sizes_may_be_integers_of_numpy() -> None:
    size: Any = np.int64
    weight = gluon.Parameter("weight", shape=(size(2), size(0)), allow_deferred_init=True)
    assert repr(weight) == "Parameter weight (shape=(2, 0), dtype=<class 'numpy.float32'>)"
    assert weight.var().attr("__shape__") == "(2, 0)"
    dense = gluon.nn.Dense(size(4))
    dense.initialize()
    assert dense(nd.ones((1, 2))).shape == (1, 4)


def test_constants_never_get_gradients() -> None:
    constant = gluon.Constant("c", [[1, 2]])
    with pytest.warns(UserWarning, match="does not support grad_req"):
        constant.grad_req = "write"
    constant.initialize()
    assert constant.data().asnumpy().tolist() == [[1, 2]]
    assert constant.grad_req == "null"


def test_dict_gives_the_same_parameter_again() -> None:
    params = gluon.ParameterDict("net_")
    weight = params.get("w", shape=(3, 0))
    assert weight.name == "net_w"
    assert params.get("w", shape=(3, 4)) is weight
    assert weight.shape == (3, 4)
    assert gluon.ParameterDict("net_", shared=params).get("w") is weight


@pytest.mark.parametrize("other", [{"shape": (3, 5)}, {"dtype": "float64"}, {"lr_mult": 3}, {"init": "ones"}])
def test_dict_refuses_other_attributes(other: dict[str, object]) -> None:
    params = gluon.ParameterDict("net_")
    params.get("w", shape=(3, 4), init="zeros")
    with pytest.raises(AssertionError, match="does not match with stored"):
        params.get("w", **other)


def test_dict_of_constants() -> None:
    params = gluon.ParameterDict("net_")
    with pytest.raises(KeyError, match="No constant named"):
        params.get_constant("k")
    constant = params.get_constant("k", [1, 2])
    assert params.get_constant("k") is constant
    with pytest.raises(AssertionError, match="doesn't match new value"):
        params.get_constant("k", nd.array([1, 3]))
    params.get("w", shape=(1,))
    with pytest.raises(AssertionError, match="is not a constant"):
        params.get_constant("w", [1])


def test_dicts_are_saved_and_loaded(tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = str(tmp_path / "w.params")
    params = gluon.ParameterDict("net_")
    params.get("w", shape=(2,))
    params.initialize(mx.init.One())
    params.save(file, strip_prefix="net_")
    other = gluon.ParameterDict("other_")
    other.get("w", shape=(2,))
    other.load(file, restore_prefix="other_")
    assert other["other_w"].data().asnumpy().tolist() == [1, 1]
    empty = gluon.ParameterDict("")
    with pytest.raises(AssertionError, match="is not present in ParameterDict"):
        empty.load(file)
    empty.load(file, ignore_extra=True)
    other.get("v", shape=(1,))
    with pytest.raises(AssertionError, match="is missing in file"):
        other.load(file, restore_prefix="other_")


def test_loading_checks_shape_and_dtype(tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = str(tmp_path / "w.params")
    nd.save(file, {"arg:w": nd.ones((2,), dtype="float16")})
    params = gluon.ParameterDict("")
    params.get("w", shape=(2,))
    with pytest.raises(AssertionError, match="dtype incompatible"):
        params.load(file)
    params.load(file, cast_dtype=True)
    assert params["w"].data().dtype == np.float32
    params.load(file, cast_dtype=True, dtype_source="saved")
    assert params["w"].data().dtype == np.float16
    wrong = gluon.ParameterDict("")
    wrong.get("w", shape=(3,))
    with pytest.raises(AssertionError, match="shape incompatible"):
        wrong.load(file)


def test_the_arrays_are_a_list_in_the_order_of_the_contexts() -> None:
    contexts = [mx.cpu(1), mx.cpu(2)]
    param = gluon.Parameter("w", shape=(2,))
    assert param._data is None
    assert param._deferred_init == ()
    param.initialize(ctx=contexts)
    assert param._data is param.list_data()
    assert [array.context for array in param._grad or ()] == param._ctx_list == contexts
    assert param._ctx_map == [[], [None, 0, 1]]
    assert param._check_and_get(param._data, list) is param._data


def test_rows_are_those_of_the_trainers_weight_on_each_context() -> None:
    param = gluon.Parameter("w", shape=(4, 2), stype="row_sparse")
    param.initialize("xavier", ctx=[mx.cpu(1), mx.cpu(2)])
    gluon.Trainer([param], "sgd")
    whole = param._arrays()[0].copy()
    rows = mx.nd.array([0, 2], ctx=mx.cpu(1))
    assert (param.row_sparse_data(rows).asnumpy() == nd.sparse.retain(whole, rows).asnumpy()).all()
