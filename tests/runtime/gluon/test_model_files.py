"""Models saved with how their blocks nest and were traced, and graphs loaded in part."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import hybridlint.runtime as mx
from hybridlint.runtime.gluon import SymbolBlock, nn
from tests.closeness import assert_same_numbers

if TYPE_CHECKING:
    from pathlib import Path


def make(prefix: str | None = None) -> Any:
    net = nn.HybridSequential(prefix=prefix)
    net.add(nn.Dense(2, in_units=3, prefix="inner_"), nn.BatchNorm(in_channels=2))
    return net


def saved(tmp_path: Path, *, hybridize: bool) -> tuple[Any, str]:
    net = make("net_")
    net.initialize(mx.init.Normal(1))
    net.hybridize(hybridize)
    net(mx.nd.ones((1, 3)))
    net.save(str(tmp_path / "model"))
    return net, str(tmp_path / "model")


def test_the_file_says_how_blocks_nest(tmp_path: Path) -> None:
    net, prefix = saved(tmp_path, hybridize=False)
    inner = {"orig_name": "inner", "hybridized": False, "children": {}}
    assert json.loads((tmp_path / "model-model.json").read_text()) == {
        "hybridsequential0": {
            "orig_name": "net",
            "hybridized": False,
            "children": {"inner": "0", net[1].name: "1"},
            "dense1": inner,
            "batchnorm2": {**inner, "orig_name": net[1].name},
        }
    }
    assert sorted(mx.nd.load(prefix + "-model.params"))[:2] == ["0.bias", "0.weight"]


@pytest.mark.parametrize("hybridize", [False, True], ids=["eager", "hybridized"])
def test_a_model_comes_back_with_its_trace(tmp_path: Path, hybridize: bool) -> None:
    net, prefix = saved(tmp_path, hybridize=hybridize)
    again = make()
    again.load(prefix)
    x = mx.nd.array([[1, 2, 3]])
    assert again._active is hybridize
    assert again.name == "net"
    assert_same_numbers(again(x).asnumpy(), net(x).asnumpy())


def test_other_blocks_are_refused(tmp_path: Path) -> None:
    _net, prefix = saved(tmp_path, hybridize=False)
    with pytest.raises(KeyError, match="dense0"):
        nn.Dense(2).load(prefix)


def test_unknown_parameters_are_refused(tmp_path: Path) -> None:
    _net, prefix = saved(tmp_path, hybridize=False)
    small = nn.HybridSequential()
    small.add(nn.Dense(2, in_units=3))
    with pytest.raises(ValueError, match=r"Parameter '1\.gamma' loaded from file .* is not present in ParameterDict"):
        small.load_parameters(prefix + "-model.params")
    small.load_parameters(prefix + "-model.params", ignore_extra=True)


def test_graphs_take_files_that_lack_parameters_if_told_to(tmp_path: Path) -> None:
    net, prefix = saved(tmp_path, hybridize=True)
    net.export(prefix)
    with pytest.raises(AssertionError, match="is missing"):
        SymbolBlock.imports(prefix + "-symbol.json", "data", prefix + "-model.params")
    block = SymbolBlock.imports(
        prefix + "-symbol.json", "data", prefix + "-model.params", allow_missing=True, ignore_extra=True
    )
    assert len(block.collect_params().keys()) == 6


def test_a_graph_moves_to_another_context(tmp_path: Path) -> None:
    net, prefix = saved(tmp_path, hybridize=True)
    net.export(prefix)
    block = SymbolBlock.imports(prefix + "-symbol.json", "data", prefix + "-0000.params")
    block.reset_ctx(mx.cpu(1))
    x = mx.nd.ones((1, 3), ctx=mx.cpu(1))
    assert_same_numbers(block(x).asnumpy(), net(mx.nd.ones((1, 3))).asnumpy())


def test_optimize_for_compiles_without_running(tmp_path: Path) -> None:
    net = make()
    net.initialize()
    x = mx.nd.ones((1, 3))
    with pytest.raises(ValueError, match='Must specify "backend"'):
        net.optimize_for(x)
    with pytest.warns(UserWarning, match="no backend 'x'"):
        net.optimize_for(x, backend="x")
    net.export(str(tmp_path / "exported"))
    assert (tmp_path / "exported-symbol.json").exists()
