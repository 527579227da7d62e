"""Loops and branches in symbol JSON: to the letter as MXNet writes them, read back, and giving what MXNet gives."""

from __future__ import annotations

import json
import runpy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime.base import MXNetError
from tests.closeness import assert_same_numbers

GOLDENS = Path(__file__).parents[2] / "goldens"
ask = runpy.run_path(str(GOLDENS / "loops.py"))
answers: Mapping[str, Any] = json.loads((GOLDENS / "loops.json").read_text())
GRAPHS = [name for name in answers if name != "exported"]
DIFFERENTIATED = [name for name in GRAPHS if answers[name]["gradients"] is not None]


@pytest.fixture
def graphs() -> dict[str, Any]:
    with mx.name.NameManager():
        return ask["graphs"](mx)  # type: ignore[no-any-return]


def assert_close(found: list[Any], expected: list[Any]) -> None:
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.array(one), np.array(other), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", GRAPHS)
def test_written_to_the_letter(name: str, graphs: dict[str, Any]) -> None:
    counted = ask["counted"]
    assert counted(graphs[name].tojson()) == counted(answers[name]["json"])


@pytest.mark.parametrize("name", GRAPHS)
def test_read_and_written_back(name: str) -> None:
    text = answers[name]["json"]
    assert mx.sym.load_json(text).tojson() == text


@pytest.mark.parametrize("name", GRAPHS)
def test_what_is_read_gives_what_mxnet_gives(name: str) -> None:
    assert_close(ask["run"](mx, mx.sym.load_json(answers[name]["json"])), answers[name]["values"])


@pytest.mark.parametrize("name", DIFFERENTIATED)
def test_gradients_are_those_of_mxnet(name: str) -> None:
    found = ask["differentiated"](mx, mx.sym.load_json(answers[name]["json"]))
    assert found is not None
    assert_close(found, answers[name]["gradients"])


def test_block_is_exported_and_imported(tmp_path: Path) -> None:
    data = ask["values_for"](mx, "data", (4, 2, 3))
    with mx.name.NameManager():
        net = ask["exported"](mx)
        net.initialize(mx.init.One())
        output = net(data).asnumpy()
        net.export(str(tmp_path / "net"))
    expected = answers["exported"]
    assert_same_numbers(output, expected["values"][0])
    text = (tmp_path / "net-symbol.json").read_text()
    assert ask["counted"](text) == ask["counted"](expected["json"])
    loaded = mx.gluon.SymbolBlock.imports(
        str(tmp_path / "net-symbol.json"), ["data"], str(tmp_path / "net-0000.params")
    )
    np.testing.assert_array_equal(loaded(data).asnumpy(), output)


def test_imported_block_trains(tmp_path: Path) -> None:
    (tmp_path / "net-symbol.json").write_text(answers["exported"]["json"])
    net = mx.gluon.SymbolBlock.imports(str(tmp_path / "net-symbol.json"), ["data"])
    net.initialize(mx.init.One())
    data = ask["values_for"](mx, "data", (4, 2, 3))
    with mx.autograd.record():
        loss = net(data).sum()
    loss.backward()
    weight = next(p for name, p in net.collect_params().items() if name.endswith("weight"))
    assert_close([weight.grad().asnumpy()], [np.tile(data.asnumpy().sum(axis=(0, 1)), (3, 1))])


def broken(change: Any) -> str:
    data = json.loads(answers["swapped"]["json"])
    change(next(node for node in data["nodes"] if node["op"] == "_while_loop"))
    return json.dumps(data)


@pytest.mark.parametrize(
    "change",
    [
        lambda node: node.pop("subgraphs"),
        lambda node: node["subgraphs"].pop(),
        lambda node: node["attrs"].update(func_input_locs="[0, 9]"),
        lambda node: node["attrs"].update(func_input_locs="[0]"),
        lambda node: node["attrs"].update(func_var_locs="[7, 8]"),
        lambda node: node["attrs"].update(cond_input_locs="0"),
        lambda node: node["attrs"].update(max_iterations="many"),
        lambda node: node["attrs"].pop("cond_input_locs"),
    ],
)
def test_files_that_contradict_themselves(change: Any) -> None:
    with pytest.raises(MXNetError, match="malformed symbol JSON"):
        mx.sym.load_json(broken(change))
