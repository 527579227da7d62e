"""Sizes that are partly unknown: what is proved of them holds for every size that they can be."""

from __future__ import annotations

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime.facts.dims import Dim, DimLike, differ, in_order, put_back, rename_sizes, same

N = Dim.named("N")


@pytest.mark.parametrize(("left", "right"), [(N + 1, N), (2 * N, 1), (N * N + 3, 3), (2, 3), (N // 2 + 4, 3)])
def test_sizes_are_proved_different(left: DimLike, right: DimLike) -> None:
    assert differ(left, right)
    assert differ(right, left)


@pytest.mark.parametrize(("left", "right"), [(N, 1), (2 * N, N + 1), (N // 2 + 1, 1), ((N // 2) * N, 0)])
def test_sizes_that_may_be_equal_are_not(left: DimLike, right: DimLike) -> None:
    assert not differ(left, right)
    assert not differ(right, left)


def test_a_window_that_just_fits_leaves_one_place() -> None:
    features = mx.sym.Convolution(mx.sym.var("x"), kernel=(1, 1), num_filter=4, name="convolution")
    pooled = mx.sym.Pooling(features, kernel=(7, 7), stride=(7, 7), pool_type="avg")
    dense = mx.sym.FullyConnected(pooled, mx.sym.var("weight", shape=(10, 4)), num_hidden=10, no_bias=True)
    assert dense.infer_type(x="float32")[1] == [np.float32]
    assert dense.infer_shape(x=(2, 3, 7, 7))[1] == [(2, 10)]


def test_quotients_of_different_unknown_sizes_are_different_sizes() -> None:
    one, other = Dim.fresh(), Dim.fresh()
    assert same((one + 1) // 2, (one + 1) // 2)
    assert not same((one + 1) // 2, (other + 1) // 2)
    assert not same(N // one, N // other)
    assert str((one + 1) // 2) == "(? + 1)//2"


def test_unknown_sizes_within_quotients_are_renamed_too() -> None:
    one, other = Dim.fresh(), Dim.fresh()
    names = {one.terms[0][0][0]: other.terms[0][0][0]}
    assert rename_sizes((one + 1) // 2, lambda name: names.get(name, name)) == (other + 1) // 2


def test_shapes_that_differ_in_names_of_unknown_sizes_alone_are_one_in_order() -> None:
    first = (Dim.named("?90"), 3, Dim.named("?91") // 2, Dim.named("?91"), Dim.named("N"))
    second = (Dim.named("?17"), 3, Dim.named("?35") // 2, Dim.named("?35"), Dim.named("N"))
    other = (Dim.named("?17"), 3, Dim.named("?17") // 2, Dim.named("?35"), Dim.named("N"))
    plain, same_plain, other_plain = map(in_order, (first, second, other))
    assert plain is not None
    assert same_plain is not None
    assert other_plain is not None
    assert plain[0] == same_plain[0] != other_plain[0]


def test_what_is_computed_in_order_is_what_the_names_give() -> None:
    batch, width = Dim.named("?9"), Dim.named("?10")
    plain = in_order((width, batch))
    assert plain is not None
    (wide, many), names = plain
    assert put_back((many * wide - 2) // 4 + many, names) == (batch * width - 2) // 4 + batch
    assert put_back((wide + 1) * many, names) == (width + 1) * batch


def test_a_shape_with_many_unknown_sizes_is_left_as_it_is() -> None:
    assert in_order([Dim.fresh() for _ in range(11)]) is None
