"""Exported networks as PyTorch code."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from hybridlint.converting.graph_module import convert_network
from hybridlint.converting.graph_proof import prove_network
from hybridlint.converting.graph_reading import ExportedNetwork, network_of
from hybridlint.converting.weights import write_safetensors
from hybridlint.core.proof_outcome import ProofStatus
from hybridlint.runtime import gluon, nd, sym
from hybridlint.runtime.gluon import nn

needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")


class Residual(gluon.HybridBlock):
    def __init__(self) -> None:
        super().__init__(prefix="net_")
        with self.name_scope():
            self.first = nn.Conv2D(4, 3, padding=1)
            self.body = nn.HybridSequential(prefix="stage1_")
            with self.body.name_scope():
                self.body.add(nn.Conv2D(4, 3, padding=1, use_bias=False), nn.BatchNorm(), nn.Activation("relu"))
                self.body.add(nn.Conv2D(4, 1))
            self.output = nn.Dense(3)

    def hybrid_forward(self, F, x):  # type: ignore[no-untyped-def]
        x = self.first(x)
        return F.softmax(self.output(F.relu(x + self.body(x))))


def _network() -> ExportedNetwork:
    net = Residual()
    net.initialize()
    net(nd.zeros((1, 2, 8, 8)))
    arrays = {name: parameter.data().asnumpy() for name, parameter in net.collect_params().items()}
    return network_of(net(sym.var("data")), arrays, {"data": (1, 2, 8, 8)})


CODE = """import torch.nn.functional as F
from torch import nn


class Stage1(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv0 = nn.Sequential(
            nn.Conv2d(4, 4, kernel_size=3, padding=1, bias=False),
            nn.BatchNorm2d(4),
            nn.ReLU(),
            nn.Conv2d(4, 4, kernel_size=1),
        )

    def forward(self, x):
        return self.conv0(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv0 = nn.Conv2d(2, 4, kernel_size=3, padding=1)
        self.stage1 = Stage1()
        self.dense0 = nn.Sequential(nn.Flatten(), nn.Linear(256, 3))

    def forward(self, x):
        x = self.conv0(x)
        return F.softmax(self.dense0(F.relu(x + self.stage1(x))), dim=-1)
"""


def test_scopes_become_modules_and_layers_sequences() -> None:
    assert convert_network(_network(), "Net").text == CODE


def test_weights_are_named_as_the_module_names_them() -> None:
    assert list(convert_network(_network(), "Net").state) == [
        *("stage1.conv0.0.weight", "stage1.conv0.1.weight", "stage1.conv0.1.bias", "stage1.conv0.1.running_mean"),
        *("stage1.conv0.1.running_var", "stage1.conv0.3.weight", "stage1.conv0.3.bias", "conv0.weight", "conv0.bias"),
        *("dense0.1.weight", "dense0.1.bias"),
    ]


def test_a_file_of_weights_has_a_header_and_numbers(tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    write_safetensors(path, {"a": np.arange(3, dtype="float32"), "b": np.ones((2, 2), dtype="int64")})
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    assert json.loads(data[8 : 8 + size]) == {
        "a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]},
        "b": {"dtype": "I64", "shape": [2, 2], "data_offsets": [12, 44]},
    }
    assert len(data) == 8 + size + 44
    with pytest.raises(FileExistsError):
        write_safetensors(path, {})


def test_scopes_that_are_numbers_become_classes() -> None:
    block = nn.HybridSequential(prefix="net_")
    with block.name_scope():
        block.add(nn.HybridSequential(prefix="0_"), nn.Dense(2, in_units=3))
        with block[0].name_scope():
            block[0].add(nn.Dense(3, in_units=3), nn.LayerNorm(in_channels=3), nn.Dense(3, in_units=3), nn.ELU())
    block.initialize()
    arrays = {name: parameter.data().asnumpy() for name, parameter in block.collect_params().items()}
    text = convert_network(network_of(block(sym.var("data")), arrays, {"data": (2, 3)}), "Net").text
    assert "class Part0(nn.Module):" in text
    assert compile(text, "net.py", "exec")


@needs_torch
def test_a_network_is_proved() -> None:
    network = _network()
    converted = convert_network(network, "Net")
    outcome = prove_network(network, converted, Path("net-symbol.json"), {"data": (1, 2, 8, 8)}, 60.0)
    assert (outcome.status, outcome.setup) == (ProofStatus.PROVED, " on data (1, 2, 8, 8)")
