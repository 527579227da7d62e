"""Inputs that have the same batch."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed_text

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
