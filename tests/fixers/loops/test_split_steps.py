"""Splits into as many parts as an axis is long: the rows of the tensor take the place of the list."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, fixed_text

LOOP = "h = F.zeros_like(steps[0])\nfor row in steps[1:]:\n    h = F.tanh(h + row)\nreturn h"


def test_the_steps_of_a_sequence() -> None:
    after = fixed(f"steps = F.split(x, num_outputs=x.shape[1], axis=1, squeeze_axis=True)\n{LOOP}", unsafe=True)
    assert after.startswith("steps = F.swapaxes(x, 0, 1)\n")
    assert "F.contrib.foreach(step, F.slice_axis(steps, axis=0, begin=1, end=None), h)" in after


def test_the_first_axis_is_where_it_is() -> None:
    after = fixed(f"n = x.shape[0]\nsteps = F.SliceChannel(x, n, axis=0, squeeze_axis=True)\n{LOOP}", unsafe=True)
    assert after.startswith("steps = x\n")


def test_helpers_may_go_through_the_list() -> None:
    text = f"""\
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def last(self, F, steps):
{"".join(f"        {line}{chr(10)}" for line in LOOP.splitlines())}
    def hybrid_forward(self, F, x):
        steps = F.split(x, num_outputs=x.shape[1], axis=1, squeeze_axis=True)
        return self.last(F, steps)
"""
    after = fixed_text(text, unsafe=True)
    assert "steps = F.swapaxes(x, 0, 1)" in after
    assert "foreach" in after


SPLIT = "steps = F.split(x, num_outputs=x.shape[1], axis=1, squeeze_axis=True)"
LEFT = {
    "axes are kept": SPLIT.replace(", squeeze_axis=True", "") + f"\n{LOOP}",
    "another axis": SPLIT.replace("axis=1", "axis=2") + f"\n{LOOP}",
    "changed": f"{SPLIT}\nsteps[0] = y\n{LOOP}",
    "extended": f"{SPLIT}\nsteps.append(y)\n{LOOP}",
    "added to a list": f"{SPLIT}\nsteps = [y] + steps\n{LOOP}",
    "a function of the file": f"steps = split(x, num_outputs=x.shape[1], axis=1, squeeze_axis=True)\n{LOOP}",
    "handed on": f"{SPLIT}\nh = self.net(steps)\n{LOOP}",
    "returned": f"{SPLIT}\nh = y\nfor row in steps:\n    h = h + row\nreturn steps",
}


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT.keys())
def test_left_alone(body: str) -> None:
    assert "swapaxes" not in fixed(body, unsafe=True)
