"""Arrays of the legacy interface where shapes follow numpy: empty ones, and those without dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import nd, sym

MAKERS: dict[str, Callable[[tuple[int, ...]], Any]] = {
    "zeros": nd.zeros,
    "ones": nd.ones,
    "full": lambda shape: nd.full(shape, 3.0),
    "uniform": lambda shape: nd.random.uniform(shape=shape),
}


@pytest.mark.parametrize("shape", [(), (0, 3), (2, 0)])
@pytest.mark.parametrize("maker", sorted(MAKERS))
def test_shapes_of_what_is_made(maker: str, shape: tuple[int, ...]) -> None:
    with mx.np_shape():
        assert MAKERS[maker](shape).shape == shape
    if maker == "full" and shape:
        # MXNet makes an empty array, and fills it with an assignment.
        assert MAKERS[maker](shape).shape == shape
        return
    with pytest.raises((mx.MXNetError, ValueError)):
        MAKERS[maker](shape)


@pytest.mark.parametrize("shape", [(), (0, 3)])
def test_shapes_of_a_graph_of_constants(shape: tuple[int, ...]) -> None:
    with mx.np_shape():
        assert sym.zeros(shape).eval()[0].shape == shape


def test_an_unknown_size_is_minus_one() -> None:
    with mx.np_shape():
        whole = sym.ones((2, -1)) + sym.ones((-1, 3))
        assert whole.eval()[0].shape == (2, 3)


def test_a_full_index_gives_a_scalar() -> None:
    x = nd.ones((2, 3))
    assert x[0, 1].shape == (1,)
    with mx.np_shape():
        assert x[0, 1].shape == ()


def test_empty_arrays_join() -> None:
    with mx.np_shape():
        assert nd.concat(nd.ones((0, 3)), nd.ones((2, 3)), dim=0).shape == (2, 3)
