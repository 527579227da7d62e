"""Arrays that objects keep from their construction, where hybrid code combines them with Symbols."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile
from tests.analysis.test_templates import rows

HEAD = "from mxnet import nd\nfrom mxnet.gluon import HybridBlock, nn\n\n\n"
NET = "class Net(HybridBlock):\n    def __init__(self, given, size, **kwargs):\n        super().__init__(**kwargs)\n"
NET += "        self.layer = nn.Dense(3)\n        self.size = size\n"

WRONG = {
    "what the caller gave, for an operator": (
        "        self.table = given\n\n    def hybrid_forward(self, F, x):\n"
        "        return F.Embedding(x, self.table)\n",
        13,
    ),
    "a part of it, by name": (
        "        self.table = given.vectors\n\n    def hybrid_forward(self, F, x):\n"
        "        return F.FullyConnected(x, weight=self.table, num_hidden=3, no_bias=True)\n",
        13,
    ),
    "for the code of a layer": (
        "        self.table = given['vectors']\n\n    def hybrid_forward(self, F, x):\n"
        "        return self.layer.hybrid_forward(F, x, weight=self.table)\n",
        13,
    ),
    "an array of the layer itself": (
        "\n    def hybrid_forward(self, F, x):\n"
        "        return self.layer.hybrid_forward(F, x, weight=self.layer.weight.data())\n",
        12,
    ),
    "among as many as there are": (
        "        self.table = given\n\n    def hybrid_forward(self, F, x):\n"
        "        return F.concat(x, self.table, dim=0)\n",
        13,
    ),
}

RIGHT = {
    "a number for a setting": (
        "        self.table = given\n\n    def hybrid_forward(self, F, x):\n"
        "        return F.clip(x, self.table, self.size)\n"
    ),
    "a number for a function of numbers": (
        "        self.table = given\n\n    def hybrid_forward(self, F, x):\n        return F.maximum(x, self.table)\n"
    ),
    "what the constructor puts in the place of an argument": (
        "        given = made_of(given)\n        self.table = given\n\n    def hybrid_forward(self, F, x):\n"
        "        return F.Embedding(x, self.table)\n"
    ),
    "what the caller may leave out": (
        "        self.table = None\n\n    def hybrid_forward(self, F, x):\n        return F.relu(x)\n"
    ),
    "a parameter for the code of a layer": (
        "        self.table = self.params.get('table', shape=(3, 4))\n\n    def hybrid_forward(self, F, x, table):\n"
        "        return self.layer.hybrid_forward(F, x, weight=table)\n"
    ),
    "an object made of Symbols": (
        "\n    def hybrid_forward(self, F, x):\n        return Scale(F, x).twice()\n\n\n"
        "class Scale:\n    def __init__(self, F, x):\n        self.F = F\n        self.x = x\n\n"
        "    def twice(self):\n        return self.F.broadcast_add(self.x, self.x)\n"
    ),
}


@pytest.mark.parametrize(("body", "row"), WRONG.values(), ids=WRONG.keys())
def test_what_a_block_was_given_is_no_symbol(tmp_path: Path, body: str, row: int) -> None:
    assert rows(tmp_path, HEAD + NET + body) == [("HYB503", row)]


@pytest.mark.parametrize("body", RIGHT.values(), ids=RIGHT.keys())
def test_what_may_suit_both_modes_is_not_reported(tmp_path: Path, body: str) -> None:
    assert rows(tmp_path, HEAD + NET + body) == []


GRID = "class Grid:\n    def __init__(self, n):\n        self.n = n\n        self.centers = nd.arange(n)\n\n"
WORK = "    def spread(self, p):\n        F = getF(p)\n        return F.broadcast_mul(self.centers, F.ones_like(p))\n"


def test_arrays_that_plain_objects_make_are_no_symbols(tmp_path: Path) -> None:
    assert rows(tmp_path, HEAD + GRID + WORK) == [("HYB503", 12)]


def test_numbers_and_arrays_made_by_the_operators_are_none_of_these(tmp_path: Path) -> None:
    text = GRID.replace("nd.arange(n)", "range(n)") + WORK.replace("self.centers", "F.arange(self.n)")
    assert rows(tmp_path, HEAD + text) == []


BOXES = """
import numpy as np


class Boxes(HybridBlock):
    def __init__(self, size, **kwargs):
        super().__init__(**kwargs)
        columns, rows = np.meshgrid(np.arange(size), np.arange(size))
        grid = np.stack([columns, rows], axis=-1).reshape(({first}, size * size, 3, 2)).astype("float32")
        self.grid = self.params.get_constant("grid", grid)

    def hybrid_forward(self, F, x, grid):
        return F.sigmoid(x.reshape((0, -1, 3, 2))) + grid
"""


@pytest.mark.parametrize(("first", "codes"), [(1, ["HYB301"]), (-1, [])])
def test_a_function_of_a_list_of_arrays_gives_an_array(first: int, codes: list[str]) -> None:
    found = analyze_file(SourceFile(Path("net.py"), HEAD + BOXES.format(first=first)))
    assert [finding.rule.code for finding in found] == codes
