"""Files whose arrays are not those of the block that reads them: an MXNetError, and MXNet's own exception too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hybridlint import runtime as mx
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.gluon import nn

ONES = mx.nd.ones
FILES: dict[str, Callable[[], Any]] = {
    "missing": lambda: {"x.weight": ONES((3, 2))},
    "missing in an older file": lambda: {"weight": ONES((3, 2))},
    "unknown": lambda: {"weight.a": ONES((1,)), "0.weight": ONES((3, 2)), "0.bias": ONES((3,))},
    "shape": lambda: {"0.weight": ONES((4, 2)), "0.bias": ONES((3,))},
    "dtype": lambda: {"0.weight": ONES((3, 2), dtype="int32"), "0.bias": ONES((3,))},
    "without names": lambda: [ONES((3, 2))],
}


def _network() -> nn.HybridSequential:
    network = nn.HybridSequential()
    network.add(nn.Dense(3, in_units=2))
    return network


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("expected", [MXNetError, AssertionError, ValueError])
def test_other_arrays(tmp_path: Path, kind: str, expected: type[Exception]) -> None:
    path = str(tmp_path / "net.params")
    mx.nd.save(path, FILES[kind]())
    with pytest.raises(expected):
        _network().load_parameters(path)


@pytest.mark.parametrize("text", ["", "[]", "7", "null", '{"hybridsequential0": 3}', "[" * 5000])
def test_damaged_structures(tmp_path: Path, text: str) -> None:
    (tmp_path / "net-model.json").write_text(text)
    with pytest.raises((MXNetError, KeyError)):
        _network().load(str(tmp_path / "net"))
