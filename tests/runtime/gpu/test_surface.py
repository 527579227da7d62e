"""The array module of these tests has what CuPy has and no more, and its arrays are as strict as CuPy's."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from tests.runtime.gpu import surface
from tests.runtime.gpu.arrays import on_device
from tests.runtime.gpu.fake import MODULE as XP
from tests.runtime.gpu.fake import FakePlatform, Generator

ROOT = Path(__file__).parents[3]
X = XP.asarray(np.array([1.0, 2.0, 3.0]))


@pytest.mark.skipif(find_spec("cupy") is None, reason="CuPy is not installed")
def test_what_is_kept_is_what_the_installed_cupy_has() -> None:
    # In a process of its own: CuPy imports modules whose names folders of these tests have.
    asked = "from tests.runtime.gpu import surface; print(surface.text(surface.read()), end='')"
    done = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)["version"]
    if found != surface.kept()["version"]:
        pytest.skip(f"CuPy is {found}, kept is what {surface.kept()['version']} has")
    assert done.stdout == surface.KEPT.read_text()


@pytest.mark.parametrize(
    ("refused", "error"),
    [
        (lambda: np.asarray(X), TypeError),
        (lambda: np.sum(X), TypeError),
        (lambda: X + np.ones(3), TypeError),
        (lambda: np.ones(3) + X, TypeError),
        (lambda: XP.add(X, np.ones(3)), TypeError),
        (lambda: XP.concatenate([X, np.ones(3)]), TypeError),
        (lambda: XP.sum([1, 2]), TypeError),
        (lambda: XP.insert(X, 1, 2), AttributeError),
        (lambda: XP.sum(X, where=X > 1), TypeError),
        (lambda: XP.add(X, X, where=X > 1), TypeError),
        (lambda: X.sum(initial=1), TypeError),
        (lambda: XP.asarray(np.array(["text"])), ValueError),
        (lambda: XP.logaddexp.reduce(X), NotImplementedError),
        (lambda: XP.add.at(XP.zeros(3, "int64"), XP.asarray([1]), 1), TypeError),
        (lambda: range(X[0]), TypeError),
        (lambda: Generator(1).negative_binomial(1, 0.5), AttributeError),
        (lambda: X + FakePlatform(1).from_host(np.ones(3)), ValueError),
    ],
)
def test_what_cupy_refuses_is_refused(refused: Callable[[], object], error: type[Exception]) -> None:
    with pytest.raises(error):
        refused()


def test_elements_are_arrays_and_results_stay_on_the_device() -> None:
    assert type(X[0]) is type(X.sum()) is type(XP.exp(X)) is type(X)
    assert X[0].shape == ()
    assert float(X[1]) == 2
    assert bool(X[0] == 1)
    with on_device(1):
        assert XP.zeros(2).device_id == 1


def test_views_know_their_base_and_copies_have_none() -> None:
    assert X[1:].base is X
    assert X.reshape(3, 1).base is X
    assert X.base is None
    assert (X + 1).base is None
    assert XP.may_share_memory(X, X[1:])


def test_results_have_the_dtypes_of_cupys_loops() -> None:
    whole = XP.asarray(np.array([1, 2], "int8"))
    assert XP.sqrt(whole).dtype == np.float16
    assert (whole + 1).dtype == np.int8
    assert XP.hypot(XP.ones(2, "float32"), 1.0).dtype == np.float32
