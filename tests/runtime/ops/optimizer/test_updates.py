"""Updates of optimizers as ``mx.nd`` has them: results into ``out``, states in place, lists of weights."""

from __future__ import annotations

import numpy as np
import pytest

import hybridlint.runtime as mx

nd = mx.nd


def test_state_changes_in_place_and_weight_where_asked() -> None:
    weight, grad, mom = nd.array([1.0, 2.0]), nd.array([0.1, 0.2]), nd.ones((2,))
    new = nd.sgd_mom_update(weight, grad, mom, lr=0.1, momentum=0.9)
    np.testing.assert_allclose(mom.asnumpy(), [0.89, 0.88], rtol=1e-6)
    np.testing.assert_allclose(new.asnumpy(), [1.89, 2.88], rtol=1e-6)
    assert weight.asnumpy().tolist() == [1.0, 2.0]
    nd.sgd_update(weight, grad, lr=0.1, out=weight)
    np.testing.assert_allclose(weight.asnumpy(), [0.99, 1.98], rtol=1e-6)


def test_arrays_are_reset() -> None:
    arrays = [nd.ones((2,)), nd.ones((3,))]
    assert nd.reset_arrays(*arrays, num_arrays=2) == []
    assert all(array.asnumpy().sum() == 0 for array in arrays)


def test_updates_have_no_gradient() -> None:
    weight = nd.ones((2,))
    weight.attach_grad()
    with mx.autograd.record():
        new = nd.sgd_update(weight, nd.ones((2,)), lr=0.1)
    with pytest.raises(mx.MXNetError, match="non-differentiable"):
        new.backward()


def test_lists_of_weights() -> None:
    def zeros() -> list[mx.nd.NDArray]:
        return [nd.zeros((2,)), nd.zeros((3,))]

    weights = [nd.ones((2,)), nd.ones((3,))]
    nd.contrib.multi_lamb_update(
        weights, weights, zeros(), zeros(), step_count=[1, 1], lrs=[0.1, 0.1], wds=[0, 0], out=weights, num_tensors=2
    )
    np.testing.assert_allclose(weights[1].asnumpy(), [0.9] * 3, rtol=1e-5)
    nd.contrib.multi_adamw_update(
        weights, weights, zeros(), zeros(), 1.0, lrs=[0.1, 0.1], wds=[0, 0], etas=[1, 1], out=weights, size=2
    )
    np.testing.assert_allclose(weights[0].asnumpy(), [0.58376586] * 2, rtol=1e-5)


def test_scale_is_a_number_or_an_array() -> None:
    for scale in (1.0, nd.ones((1,))):
        weight = nd.array([0.58376586])
        new = nd.contrib.adamw_update(weight, weight.copy(), nd.zeros((1,)), nd.zeros((1,)), scale, 0.1, 1.0)
        np.testing.assert_allclose(new.asnumpy(), [0.26753616], rtol=1e-4)
