"""``np.linalg``: what the real MXNet gave, and identities."""

from __future__ import annotations

from typing import Any

import numpy as onp
import pytest

from hybridlint.runtime import autograd, np, npx
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.gluon import HybridBlock
from tests.closeness import assert_same_numbers

MATRIX = onp.array([[4.0, 2.0], [2.0, 3.0]], "float32")


@pytest.fixture(autouse=True)
def numpy_mode() -> Any:
    npx.set_np()
    yield
    npx.reset_np()


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ({"ord": onp.inf}, 6),
        ({"ord": -onp.inf}, 5),
        ({"ord": onp.inf, "axis": (0, 1)}, 6),
        ({"ord": "inf"}, 4),
        ({"ord": 1}, 6),
        ({"ord": "nuc"}, 7),
    ],
)
def test_norms_of_a_matrix(given: dict[str, Any], value: float) -> None:
    found = np.linalg.norm(np.array(MATRIX), **given)
    assert found.shape == ()
    assert float(found) == pytest.approx(value)
    assert np.linalg.norm(np.array(MATRIX), ord=onp.inf, keepdims=True).shape == (1, 1)


def test_one_determinant_is_a_scalar() -> None:
    x = np.array(MATRIX)
    x.attach_grad()
    with autograd.record():
        y = np.linalg.det(x)
    y.backward()
    assert y.shape == ()
    assert float(y) == pytest.approx(8)
    assert_same_numbers(x.grad.asnumpy(), [[3, -2], [-2, 4]])
    assert [part.shape for part in np.linalg.slogdet(x)] == [(), ()]
    assert np.linalg.det(np.ones((3, 2, 2))).shape == (3,)


class Determinant(HybridBlock):
    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.np.linalg.det(x)


def test_a_determinant_is_a_scalar_in_a_graph_too() -> None:
    block = Determinant()
    block.hybridize()
    assert block(np.array(MATRIX)).shape == ()


def test_what_numpy_computes() -> None:
    x = np.array(MATRIX)
    values, vectors = np.linalg.eig(x)
    assert values.dtype == vectors.dtype == np.linalg.eigvals(x).dtype == onp.float32
    assert_same_numbers((vectors * values).asnumpy(), (x @ vectors).asnumpy())
    orthogonal, upper = np.linalg.qr(x)
    assert_same_numbers((orthogonal @ upper).asnumpy(), MATRIX)
    solution, _, rank, _ = np.linalg.lstsq(x, np.array([8, 7]), rcond=None)
    assert_same_numbers(solution.asnumpy(), [1.25, 1.5])
    assert int(rank) == int(np.linalg.matrix_rank(x)) == 2
    wide = np.eye(4).reshape(2, 2, 2, 2)
    assert np.linalg.tensorinv(wide).shape == (2, 2, 2, 2)
    assert np.linalg.tensorsolve(wide, np.ones((2, 2))).asnumpy().tolist() == [[1, 1], [1, 1]]
    assert np.linalg.multi_dot([x, x]).asnumpy().tolist() == [[20, 14], [14, 13]]


def test_complex_eigenvalues_are_refused() -> None:
    quarter_turn = np.array([[0, -1], [1, 0]])
    for function in (np.linalg.eig, np.linalg.eigvals):
        with pytest.raises(MXNetError, match="Complex eigvals is unsupported"):
            function(quarter_turn)
