"""Arrays in sparse storage give what MXNet gives: storage, elements, stored places, errors, and what is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime.core import storage_types
from tests.batches import batched
from tests.runtime.sparse.calls import CALLS, answer, fallbacks, names

ASKED = json.loads(Path(__file__).with_name("answers.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def run() -> tuple[list[Any], list[str]]:
    """What all calls give here, one after the other, and what was said."""
    import contextlib
    import io

    storage_types._told.clear()
    printed = io.StringIO()
    known = names(mx, np)
    with contextlib.redirect_stderr(printed):
        answers = [answer(mx, call, known) for call in CALLS]
    return answers, fallbacks(printed.getvalue())


@batched((pytest.param(n, c, id=f"{n} {c}") for n, c in enumerate(CALLS)), lambda *_: "all")
def test_gives_what_mxnet_gives(number: int, call: str, run: Any) -> None:
    found, asked = run[0][number], ASKED["answers"][f"{number} {call}"]
    assert found.keys() == asked.keys()
    for what, expected in asked.items():
        if what in {"csr", "row_sparse", "default"}:
            assert found[what][0] == expected[0]
            np.testing.assert_allclose(found[what][1], expected[1], rtol=1e-5)
        else:
            assert found[what] == expected


def test_says_where_it_falls_back_to_dense_arrays(run: Any) -> None:
    assert run[1] == ASKED["fallbacks"]
