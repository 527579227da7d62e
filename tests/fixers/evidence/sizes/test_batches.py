"""Inputs that have the same batch."""

from __future__ import annotations

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import fix_source
from tests.fixers.bodies import fixed_text, module

NET = """from mxnet.gluon import HybridBlock, loss


class Overlap({base}):
    def hybrid_forward(self, F, pred, label):
        p = F.sigmoid(pred).reshape(({ahead}-1))
        t = label.reshape(({size}-1))
        return (p * t).sum(axis=1)
"""


@pytest.mark.parametrize(("base", "size"), [("loss.Loss", "0, "), ("HybridBlock", "pred.shape[0], ")])
def test_labels_of_a_loss_have_the_batch_of_its_predictions(base: str, size: str) -> None:
    text = NET.format(base=base, ahead="pred.shape[0], ", size="pred.shape[0], ")
    assert fixed_text(text, unsafe=True) == NET.format(base=base, ahead="0, ", size=size)
    assert "label.reshape((pred.shape[0], -1))" in fixed_text(text)


@pytest.mark.parametrize(("value", "kept"), [("x - y", True), ("F.relu(x) - y.expand_dims(1)", False)])
def test_operators_of_two_inputs_stay_where_something_else_is_repaired(value: str, *, kept: bool) -> None:
    source = module(f"n = F.random.normal(shape=x.shape)\nz = {value}\nreturn z.relu(), n")
    outcome = fix_source(source, analyze_file, unsafe=True, doubts=lambda now: analyze_file(now, possible=True))
    assert "normal_like(x)" in outcome.source.text
    assert (f"z = {value}\n" in outcome.source.text) is kept
