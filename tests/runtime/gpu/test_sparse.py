"""Arrays in sparse storage on GPUs: stored in main memory, and beside dense arrays of their GPU."""

from __future__ import annotations

import numpy as np
import pytest

from hybridlint.runtime import autograd, cpu, gpu, nd

pytestmark = pytest.mark.usefixtures("two_gpus")


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_sparse_arrays_compute_beside_those_of_their_gpu(stype: str) -> None:
    dense = nd.array([[0, 1], [0, 0], [2, 3]])
    other = nd.ones((3, 2))
    results = []
    for ctx in (cpu(), gpu(1)):
        array, beside = dense.as_in_context(ctx).tostype(stype), other.as_in_context(ctx)
        found = [array * 2, array + 1, nd.exp(array), array + beside, nd.elemwise_mul(array, beside), array + array]
        assert all(x.context == ctx for x in (array, array.data, *found))
        results.append([x.asnumpy() for x in found])
    for expected, found in zip(*results, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_gradients_of_products_and_tables_stay_on_the_gpu() -> None:
    results = []
    for ctx in (cpu(), gpu(0)):
        data = nd.array([[0, 1], [0, 0], [2, 3]], ctx=ctx).tostype("csr")
        weight = nd.array([[1, 2], [3, 4]], ctx=ctx)
        weight.attach_grad(stype="row_sparse")
        with autograd.record():
            taken = nd.Embedding(nd.array([1], ctx=ctx), weight, input_dim=2, output_dim=2, sparse_grad=True)
            loss = (nd.dot(data, weight) ** 2).sum() + taken.sum()
        loss.backward()
        assert weight.grad.context == ctx
        results.append(weight.grad.asnumpy())
    np.testing.assert_allclose(results[1], results[0], rtol=1e-6)
