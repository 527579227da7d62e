"""Recurrent cells that are unrolled over as many steps as a tensor has."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed_text, lines

HEAD = """\
import mxnet as mx
from mxnet.gluon import HybridBlock, rnn


class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.cell = {cell}

    def hybrid_forward(self, F, x{more}):
"""

BEGIN = "begin = self.cell.begin_state(batch_size=x.shape[0]) if F is mx.nd else self.cell.begin_state(func=F.zeros)\n"

UNROLLED = {
    "one tensor of outputs": (
        "rows, begin = self.cell.unroll(x.shape[1], x, merge_outputs=True)\nreturn rows, begin[0]",
        BEGIN + "rows, begin = F.contrib.foreach(self.cell, F.swapaxes(x, 0, 1), begin)\n"
        "rows = F.swapaxes(rows, 0, 1)\nreturn rows, begin[0]",
    ),
    "the last output of a list": (
        "n = x.shape[1]\nrows, begin = self.cell.unroll(n, x, layout='NTC')\nreturn rows[-1] * begin[0]",
        BEGIN + "rows, begin = F.contrib.foreach(self.cell, F.swapaxes(x, 0, 1), begin)\n"
        "return F.squeeze(F.slice_axis(rows, axis=0, begin=-1, end=None), axis=0) * begin[0]",
    ),
    "outputs that are stacked": (
        "rows, begin = self.cell.unroll(x.shape[1], x, merge_outputs=False)\nreturn F.stack(*rows, axis=1), begin[0]",
        BEGIN + "rows, begin = F.contrib.foreach(self.cell, F.swapaxes(x, 0, 1), begin)\n"
        "return F.swapaxes(rows, 0, 1), begin[0]",
    ),
    "states that are given": (
        "rows, [h, c] = self.cell.unroll(x.shape[1], x, begin_state=[y, z], merge_outputs=True)\nreturn h * c",
        "rows, [h, c] = F.contrib.foreach(self.cell, F.swapaxes(x, 0, 1), [y, z])\nreturn h * c",
    ),
    "time is the first axis": (
        "rows, _ = self.cell.unroll(x.shape[0], x, begin_state=[y, z], layout='TNC', merge_outputs=True)\nreturn rows",
        "rows, _ = F.contrib.foreach(self.cell, x, [y, z])\nreturn rows",
    ),
    "the outputs alone": (
        "rows = self.cell.unroll(x.shape[1], x, begin_state=[y, z], merge_outputs=True)[0]\nreturn rows",
        "rows, _ = F.contrib.foreach(self.cell, F.swapaxes(x, 0, 1), [y, z])\n"
        "rows = F.swapaxes(rows, 0, 1)\nreturn rows",
    ),
}


def _fixed(body: str, cell: str = "rnn.LSTMCell(8)") -> str:
    more = ", y, z" if "y" in body else ""
    head = HEAD.format(cell=cell, more=more)
    text = head + "".join(f"        {line}\n" for line in body.splitlines())
    after = fixed_text(text, unsafe=True)
    return lines(after.partition(f"x{more}):\n")[2])


@pytest.mark.parametrize(("before", "after"), UNROLLED.values(), ids=UNROLLED.keys())
def test_a_cell_is_a_step_of_foreach(before: str, after: str) -> None:
    assert _fixed(before).split() == after.split()


LEFT = {
    "fewer steps than the tensor has": (
        "rows, _ = self.cell.unroll(x.shape[1] - 1, x, merge_outputs=True)",
        "LSTMCell(8)",
    ),
    "a mask of what is valid": (
        "rows, _ = self.cell.unroll(x.shape[1], x, merge_outputs=True, valid_length=y)",
        "LSTMCell(8)",
    ),
    "both directions": (
        "rows, _ = self.cell.unroll(x.shape[1], x, merge_outputs=True)",
        "BidirectionalCell(rnn.LSTMCell(8), rnn.LSTMCell(8))",
    ),
    "a cell that keeps its last output": (
        "rows, _ = self.cell.unroll(x.shape[1], x, merge_outputs=True)",
        "ZoneoutCell(rnn.LSTMCell(8), 0.5)",
    ),
    "another use of the list": ("rows, _ = self.cell.unroll(x.shape[1], x)\nself.head(rows)", "LSTMCell(8)"),
}


@pytest.mark.parametrize(("body", "cell"), LEFT.values(), ids=LEFT.keys())
def test_what_is_no_step_of_foreach(body: str, cell: str) -> None:
    assert "foreach" not in _fixed(f"{body}\nreturn rows[0]", f"rnn.{cell}")
