"""Guards on the kind of array whose two sides compute from the values of different inputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.test_templates import rows
from tests.fixers.bodies import fixed

HEAD = """from mxnet import nd, sym
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x, y, mask=None):
"""

#: What eager runs bind a name to, and what the trace does.
DIFFERENT = {
    "a mask that one side reads": ("F.mean(F.broadcast_mul(x, y), axis=1)", "F.mean(x, axis=1)"),
    "lengths": ("F.SequenceMask(x, y, use_sequence_length=True)", "F.relu(x)"),
    "another input": ("F.softmax(x)", "F.softmax(y)"),
    "by methods": ("x.sum(axis=1) / y.sum(axis=1)", "x.sum(axis=1)"),
    "in a sum": ("F.sum(x * x) + y", "F.sum(x)"),
}
#: Those that may be the same.
ALIKE = {
    "the shape of an input": ("x.reshape(y.shape)", "F.reshape_like(x, y)"),
    "the device of an input": ("F.zeros((1,), ctx=y.context) + x", "F.zeros((1,)) + x"),
    "a tensor in its shape": ("F.broadcast_like(x, y)", "F.broadcast_to(x, shape=(2, 3))"),
    "an optional input": ("F.broadcast_mul(x, mask)", "F.relu(x)"),
    "a layer": ("self.fc(x, y)", "F.relu(x)"),
    "a helper": ("self.scale(F, x, y)", "F.relu(x)"),
}
TESTS = ["isinstance(x, nd.NDArray)", "F is nd", "not isinstance(x, sym.Symbol)", "type(x) is nd.NDArray"]


def _body(test: str, eager: str, traced: str) -> str:
    lines = [f"if {test}:", f"    z = {eager}", "else:", f"    z = {traced}", "return F.tanh(z)"]
    return "".join(f"        {line}\n" for line in lines)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(("eager", "traced"), DIFFERENT.values(), ids=DIFFERENT.keys())
def test_sides_of_different_inputs_differ(tmp_path: Path, test: str, eager: str, traced: str) -> None:
    assert "HYB406" in [code for code, _ in rows(tmp_path, HEAD + _body(test, eager, traced))]


@pytest.mark.parametrize(("eager", "traced"), ALIKE.values(), ids=ALIKE.keys())
def test_sides_that_may_be_the_same_are_left(tmp_path: Path, eager: str, traced: str) -> None:
    assert "HYB406" not in [code for code, _ in rows(tmp_path, HEAD + _body(TESTS[0], eager, traced))]


def test_the_eager_side_stays() -> None:
    before = """
    if isinstance(x, nd.NDArray):
        # what is padded does not count
        masked = F.broadcast_mul(x, y)
        mean = F.broadcast_div(F.sum(masked, axis=1), F.sum(y, axis=1))
    else:
        mean = F.mean(x, axis=1)
    return mean
    """
    after = """
    # what is padded does not count
    masked = F.broadcast_mul(x, y)
    mean = F.broadcast_div(F.sum(masked, axis=1), F.sum(y, axis=1))
    return mean
    """
    assert fixed(before).split("\n") == [line[4:] for line in after.strip("\n").split("\n")[:-1]]
