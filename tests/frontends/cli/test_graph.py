"""``hybridlint graph``: what the engines make of an exported network."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from hybridlint.runtime import nd
from hybridlint.runtime.compiled.engines.jit.llvm import is_installed
from hybridlint.runtime.gluon import nn

from .conftest import CommandLine


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A network in a file: two dense layers with an activation between them."""
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(4, activation="tanh"), nn.Dense(2))
    net.initialize()
    net.hybridize(backend="numpy")
    net(nd.ones((5, 3)))
    net.export(str(tmp_path / "net"))
    return tmp_path / "net-symbol.json"


def test_steps_and_buffers(cli: CommandLine, model: Path) -> None:
    found = cli("graph", model, "--input", "data=5,3", "--engine", "numpy")
    assert (found.status, found.err) == (0, "")
    lines = found.out.splitlines()
    assert lines[0] == "predicting on data (5, 3) float32"
    assert lines[1].startswith("  numpy: 3 operators in 3 steps; ")
    assert [line.split()[-1] for line in lines[2:]] == ["FullyConnected", "Activation", "FullyConnected"]


def test_the_time_of_each_operator(cli: CommandLine, model: Path) -> None:
    found = cli("graph", model, "--input", "data=5,3", "--engine", "numpy", "--time")
    told = [line.split(" us  ") for line in found.out.splitlines() if " us  " in line]
    assert [what for _, what in told] == ["FullyConnected", "Activation", "FullyConnected", "together"]
    assert all(float(time.replace(",", "")) > 0 for time, _ in told)


@pytest.mark.skipif(not is_installed(), reason="llvmlite is not installed")
def test_the_time_of_each_loop_of_native_code(cli: CommandLine, model: Path) -> None:
    found = cli("graph", model, "--input", "data=5,3", "--engine", "jit", "--time")
    assert [line.split(" us  ")[1] for line in found.out.splitlines() if " us  " in line] == [
        "panels packed, 3 x 4",
        "panels packed, 4 x 2",
        "products, 5 x 4 over 3: add, tanh",
        "products, 5 x 2 over 4: add",
        "together",
    ]


def test_a_picture(cli: CommandLine, model: Path) -> None:
    assert cli("graph", model, "--input", "data=5,3", "--svg", "net.svg").status == 0
    root = ET.parse(cli.folder / "net.svg").getroot()
    space = "{http://www.w3.org/2000/svg}"
    assert [text.text for text in root.iter(f"{space}text")] == [
        *("data", "(5, 3)"),
        *("FullyConnected", "(5, 4)"),
        *("Activation", "(5, 4)"),
        *("FullyConnected", "(5, 2)"),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give the shapes of inputs with --input NAME=2,3; the network has data, net_dense0_weight, "),
        (("--input", "x=5,3"), "net-symbol.json has no input x; it has data, net_dense0_weight, "),
        (("--input", "data=wide"), "--input data=wide: give a name and a shape, such as data=1,3,224,224"),
        (("--input", "data=5,3", "--engine", "fast"), "there is no engine 'fast': choose auto or "),
    ],
    ids=["no shape", "unknown input", "no shape of numbers", "unknown engine"],
)
def test_what_is_missing_is_said(arguments: tuple[str, ...], message: str, cli: CommandLine, model: Path) -> None:
    found = cli("graph", model, *arguments)
    assert (found.status, found.out) == (2, "")
    assert message in found.err


def test_what_is_no_network_is_an_error(cli: CommandLine) -> None:
    cli.write("net-symbol.json", "no network")
    found = cli("graph", "net-symbol.json", "--input", "data=1")
    assert found.status == 2
    assert "net-symbol.json is no network that `export` writes" in found.err
    missing = cli("graph", "missing.json")
    assert (missing.status, missing.err) == (
        2,
        "error: missing.json: cannot read the file: No such file or directory\n",
    )
