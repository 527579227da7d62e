"""Outside of numpy mode shapes () and sizes of 0 mean unknown ones: what MXNet refuses is refused."""

from __future__ import annotations

import json

import pytest

import hybridlint.runtime as mx
from tests.batches import batched

from .legacy_shapes import ANSWERS, answer, asked

MEASURED = json.loads(ANSWERS.read_text(encoding="utf-8"))


@batched((pytest.param(array, use, id=f"{array} | {use}") for array, use in asked()), lambda array, _: array or "none")
def test_shapes_that_the_legacy_interface_does_not_know(array: str, use: str) -> None:
    assert answer(mx, array, use) == MEASURED[f"{array} | {use}"]


def test_a_shape_without_dimensions_is_known_in_numpy_mode() -> None:
    with mx.util.np_shape(True):
        assert (mx.nd.array(3.0) + 1).shape == ()
