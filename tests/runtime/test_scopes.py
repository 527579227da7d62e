"""What with blocks set: contexts, names, attributes, numpy mode; each thread has its own."""

from __future__ import annotations

import threading

import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import gluon, nd, sym, util


def test_contexts_compare_and_nest() -> None:
    assert mx.cpu() == mx.Context("cpu", 0) == mx.Context(mx.cpu())
    assert (repr(mx.cpu(1)), mx.cpu().device_typeid, mx.gpu(2).device_type) == ("cpu(1)", 1, "gpu")
    with mx.cpu(2), mx.cpu(3):
        assert mx.current_context() == mx.Context.default_ctx == mx.cpu(3)
    assert mx.current_context() == mx.cpu(0)
    with pytest.raises(KeyError):
        mx.Context("tpu")


def test_names_are_counted_by_hint() -> None:
    names = mx.name.NameManager()
    assert [names.get(None, "a"), names.get(None, "a"), names.get("own", "a")] == ["a0", "a1", "own"]


def test_prefixes_go_before_every_operator_but_no_variable() -> None:
    with mx.name.Prefix("p_"):
        assert sym.relu(sym.var("x"), name="own").name == "p_own"
        assert sym.var("y").name == "y"


def test_attributes_reach_symbols_and_nest() -> None:
    with mx.AttrScope(ctx_group="a", mark="1"), mx.AttrScope(mark="2"):
        attributes = sym.var("x").list_attr()
    assert (attributes["ctx_group"], attributes["mark"]) == ("a", "2")
    with pytest.raises(ValueError, match="need to be string"):
        mx.AttrScope(number=3)


def test_numpy_mode_is_switched_in_whole_or_in_part() -> None:
    try:
        util.set_np()
        assert (util.is_np_shape(), util.is_np_array()) == (True, True)
        util.set_np(array=False)
        assert (util.is_np_shape(), util.is_np_array()) == (True, False)
        with pytest.raises(ValueError, match="Shape semantics is required"):
            util.set_np(shape=False)
    finally:
        util.reset_np()
    with util.np_shape(), util.np_array():
        assert (util.is_np_shape(), util.is_np_array()) == (True, True)
    assert (util.is_np_shape(), util.is_np_array()) == (False, False)


def test_use_np_decorates_functions_and_all_of_a_class() -> None:
    @util.use_np
    def function() -> bool:
        return util.is_np_array()

    @util.use_np
    class Holder:
        def method(self) -> bool:
            return util.is_np_array()

        @staticmethod
        def static() -> bool:
            return util.is_np_array()

        @property
        def read(self) -> bool:
            return util.is_np_array()

    assert all((function(), Holder().method(), Holder.static(), Holder().read))
    assert not util.is_np_array()
    with pytest.raises(TypeError):
        util.use_np(3)


def test_each_thread_has_its_own_scopes() -> None:
    seen: list[object] = []
    with mx.cpu(5), util.np_array():
        thread = threading.Thread(target=lambda: seen.extend([mx.current_context(), util.is_np_array()]))
        thread.start()
        thread.join()
    assert seen == [mx.cpu(0), False]


def test_arrays_are_made_in_the_current_context() -> None:
    with mx.cpu(1):
        assert nd.ones((1,)).context == mx.cpu(1)


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("uniform", {"low": 1, "high": 0}),
        ("normal", {"loc": 0, "scale": -1}),
        ("gamma", {"alpha": -1, "beta": 1}),
        ("exponential", {"scale": -1}),
        ("poisson", {"lam": -1}),
        ("negative_binomial", {"k": -1, "p": 0.5}),
        ("generalized_negative_binomial", {"mu": -1, "alpha": 1}),
    ],
)
def test_distributions_refuse_parameters_that_they_do_not_have(name: str, params: dict[str, float]) -> None:
    with pytest.raises(mx.MXNetError, match="must"):
        getattr(nd.random, name)(shape=(2,), **params).wait_to_read()


def test_the_innermost_scope_is_known_by_its_old_name() -> None:
    block = gluon.nn.Dense(1)
    with block.name_scope() as scope:
        assert gluon.block._BlockScope._current.value is scope
    assert gluon.block._BlockScope._current.value is None
