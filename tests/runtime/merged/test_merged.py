"""Layers that oneDNN has merged with what follows them give what MXNet 1.9.1 gives, on integers and on numbers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime.base import MXNetError
from tests.runtime.merged.network import arrays, data

ANSWERS = json.loads((Path(__file__).parent / "answers.json").read_text(encoding="utf-8"))
VALUES = {name: mx.nd.array(array) for name, array in arrays(ANSWERS["shapes"]).items()}


def run(graph: Any) -> Any:
    """Return the first result of a graph."""
    given = {k: VALUES[k] for k in graph.list_arguments() if k in VALUES}
    states = {k: VALUES[k] for k in graph.list_auxiliary_states()}
    return graph.bind(mx.cpu(), {**given, "data": mx.nd.array(data())}, aux_states=states).forward()[0]


@pytest.mark.parametrize("name", ANSWERS["outputs"])
def test_integers_are_those_of_mxnet(name: str) -> None:
    """But for steps where sums fall between two integers, or where the processor that was asked cannot hold them."""
    dtype, wanted = ANSWERS["outputs"][name]
    found = run(mx.sym.load_json(ANSWERS["graph"]).get_internals()[name])
    assert found.dtype.__name__ == dtype
    values, expected = found.asnumpy().ravel().astype("float64"), np.array(wanted)
    step = 1.0 if "int" in dtype else abs(expected).max() / 127
    assert abs(values - expected).max() <= 2.01 * step
    assert (abs(values - expected) > 0.5 * step).mean() < 0.15


def test_layers_merged_without_integers_compute_on_numbers() -> None:
    found = run(mx.sym.load_json(ANSWERS["merged"])).asnumpy()
    np.testing.assert_allclose(found, ANSWERS["exact"], rtol=1e-4, atol=1e-5)


def test_a_file_keeps_merged_layers() -> None:
    graph = mx.sym.load_json(ANSWERS["graph"])
    again = mx.sym.load_json(graph.tojson())
    assert again.list_outputs() == graph.list_outputs()
    assert np.array_equal(run(again).asnumpy(), run(graph).asnumpy())


def test_a_merged_layer_without_calibration_is_refused() -> None:
    text = re.sub(r'"min_calib_range": "[^"]*",?\s*', "", ANSWERS["graph"])
    with pytest.raises(MXNetError, match="without calibrated range"):
        mx.sym.load_json(text)
