"""What losses of other projects build on."""

from __future__ import annotations

import numpy as np

import hybridlint.runtime as mx
from hybridlint.runtime.gluon.loss import Loss, _apply_weighting, _reshape_like


class _Absolute(Loss):
    def hybrid_forward(self, F, pred, label, sample_weight=None):  # type: ignore[no-untyped-def]
        loss = F.abs(pred - _reshape_like(F, label, pred))
        return F.mean(_apply_weighting(F, loss, self._weight, sample_weight), axis=self._batch_axis, exclude=True)


def test_the_helpers_of_mxnets_losses_serve_those_of_projects() -> None:
    pred, label, weight = mx.nd.array([[1, 2], [3, 4]]), mx.nd.array([0, 0, 0, 0]), mx.nd.array([[1], [0]])
    for hybridized in (False, True):
        loss = _Absolute(0.5, 0)
        loss.hybridize(hybridized)
        np.testing.assert_allclose(loss(pred, label, weight).asnumpy(), [0.75, 0])
