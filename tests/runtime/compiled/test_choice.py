"""Which engine compiles a graph: what a call names, else the environment, else what works here."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError

import pytest

from hybridlint.runtime import gluon, nd, sym
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.compiled.cached_op import CachedOp
from hybridlint.runtime.compiled.engines.choice import AUTO, PLAIN, VARIABLE, chosen_engine, names
from hybridlint.runtime.compiled.engines.jit import llvm
from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.compiled.passes import optimize
from hybridlint.runtime.compiled.trace import lower
from hybridlint.runtime.facts.types import TensorType


def graph() -> Graph:
    return optimize(lower(sym.exp(sym.var("x")) + 1, {"x": TensorType((2, 3), "float32")}))


def test_an_engine_is_found_by_its_name() -> None:
    assert "numpy" in names()
    assert chosen_engine("numpy") is PLAIN


def test_without_a_name_the_environment_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "numpy")
    assert chosen_engine() is PLAIN
    monkeypatch.setenv(VARIABLE, "tvm")
    assert chosen_engine("numpy") is PLAIN, "what a call names comes first"
    with pytest.raises(MXNetError, match=f"there is no engine 'tvm', which {VARIABLE} names: choose auto or "):
        chosen_engine()


def test_auto_is_an_engine_that_works_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert chosen_engine() is chosen_engine(AUTO)
    assert chosen_engine().missing() is None


def test_an_unknown_name_is_one_sentence() -> None:
    with pytest.raises(MXNetError, match=r"^there is no engine 'tvm': choose auto or .*numpy or onnx$"):
        CachedOp(sym.exp(sym.var("x")), [("backend", "tvm")])


def test_hybridize_names_an_engine_for_the_block_and_its_children(recwarn: pytest.WarningsRecorder) -> None:
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(2, in_units=3))
    net.initialize()
    net.hybridize(backend="numpy")
    assert net[0]._flags["backend"] == "numpy"
    assert net(nd.ones((1, 3))).shape == (1, 2)
    assert not recwarn.list


def test_each_node_is_in_one_step_and_the_plain_engine_needs_no_other() -> None:
    made = graph()
    executor = PLAIN.compile(made, training=False)
    assert [step.nodes for step in executor.steps] == [(node,) for node in made.nodes]
    assert {(step.engine, step.reason) for step in executor.steps} == {("numpy", None)}


@pytest.mark.parametrize("found", [None, "0.44.0", "0.45.0rc1", "1.2.3"])
def test_an_engine_that_lacks_a_package_says_which(found: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        if found is None:
            raise PackageNotFoundError(name)
        return found

    monkeypatch.setattr(llvm, "version", version)
    monkeypatch.delenv(VARIABLE, raising=False)
    llvm.is_installed.cache_clear()
    try:
        enough = found is not None and found != "0.44.0"
        assert llvm.is_installed() == enough
        assert (chosen_engine().name == "jit") == enough
        if not enough:
            with pytest.raises(MXNetError, match=r"^the engine 'jit' needs llvmlite 0.45 or later: pip install 'h"):
                chosen_engine("jit")
    finally:
        llvm.is_installed.cache_clear()
