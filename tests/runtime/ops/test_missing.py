"""What the real MXNet has and this runtime lacks: the names exist, and calls say what they are about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import hybridlint.runtime as mx
from hybridlint.runtime.core import missing
from hybridlint.runtime.facts import registry

FACTS = Path(__file__).parents[2] / "goldens" / "api.json"


@pytest.mark.parametrize("root", [mx.nd, mx.sym])
def test_calls_name_what_is_missing(root: Any) -> None:
    assert hasattr(root.contrib, "quantize_asym")
    with pytest.raises(NotImplementedError, match=r"contrib\.quantize_asym is not supported .*quantized arithmetic"):
        root.contrib.quantize_asym()


def test_what_mxnet_lacks_is_no_attribute() -> None:
    assert not hasattr(mx.nd.contrib, "intgemm_fully_connected")
    assert not hasattr(mx.sym, "concatenate")


def test_listed_beside_what_is_there() -> None:
    assert {"quantize", "ROIAlign"} <= set(dir(mx.nd.contrib))


def test_sparse_names() -> None:
    x = mx.nd.ones((2, 2))
    assert mx.nd.sparse.dot(x, x).asnumpy().tolist() == [[2, 2], [2, 2]]
    assert not isinstance(x, mx.nd.sparse.CSRNDArray)
    assert mx.nd.sparse.zeros("default", (2,)).shape == (2,)
    assert isinstance(x.tostype("csr"), mx.nd.sparse.CSRNDArray)


def test_every_operator_is_there_or_named() -> None:
    facts = json.loads(FACTS.read_text(encoding="utf-8"))["operators"]
    names = {spelled for name, fact in facts.items() for spelled in (name, *fact["aliases"])}
    names = {name for name in names if not name.startswith(("_np", "_backward"))}
    there = {name for name in names if registry.find(name) is not None} | {"Custom"}
    assert sorted(names - there - set(missing.MISSING)) == []
    assert sorted(there & set(missing.MISSING)) == [], "no longer missing"


@pytest.mark.parametrize("name", ["sgd_mom_update", "fill_element_0index"])
def test_no_symbol_of_what_works_on_arrays_only(name: str) -> None:
    variables = [mx.sym.var(letter) for letter in "abc"]
    with pytest.raises(mx.MXNetError, match=f"Not enough argument to call operator {name}"):
        getattr(mx.sym, name)(*variables)
