"""Namespaces of operators: modules whose names are all there for code that reads their ``__dict__``, as in MXNet."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest

import hybridlint.runtime as mx

HELD = [
    (mx.nd, "FullyConnected"),
    (mx.sym, "FullyConnected"),
    (mx.nd.contrib, "box_encode"),
    (mx.sym.contrib, "box_encode"),
    (mx.nd.linalg, "gemm2"),
    (mx.np, "tensordot"),
    (mx.npx, "relu"),
    (mx.sym.np, "tensordot"),
]


@pytest.mark.parametrize(("namespace", "name"), HELD, ids=lambda value: getattr(value, "__name__", value))
def test_the_dict_of_a_namespace_holds_its_operators(namespace: ModuleType, name: str) -> None:
    assert name in namespace.__dict__
    assert vars(namespace)[name] is getattr(namespace, name)
    assert "no_such_operator" not in namespace.__dict__
    assert {n for n in dir(namespace) if not n.startswith("__")} <= set(vars(namespace))


def test_it_does_so_before_any_operator_is_used() -> None:
    text = "import hybridlint.runtime as mx; assert 'box_encode' in mx.nd.contrib.__dict__ and 'dot' in vars(mx.np)"
    subprocess.run([sys.executable, "-c", text], check=True)


def test_its_dict_takes_names() -> None:
    vars(mx.nd.contrib)["mine"] = 3
    try:
        assert mx.nd.contrib.mine == 3
    finally:
        del mx.nd.contrib.mine
    assert not hasattr(mx.nd.contrib, "mine")
