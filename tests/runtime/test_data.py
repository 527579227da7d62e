"""gluon.data, mx.image, mx.recordio, mx.io, mx.contrib.text, mx.viz and the model zoo give what MXNet gives."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx

_SCRIPT = Path(__file__).parents[1] / "goldens" / "data.py"
_SPEC = importlib.util.spec_from_file_location("tests_goldens_data", _SCRIPT)
assert _SPEC is not None
assert _SPEC.loader is not None
goldens: Any = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(goldens)
ANSWERS: dict[str, Any] = json.loads(goldens.ANSWERS.read_text(encoding="utf-8"))


def test_every_case_was_asked() -> None:
    assert list(ANSWERS) == goldens.CASES


@pytest.mark.parametrize("expression", goldens.CASES)
def test_it_is_what_mxnet_gives(expression: str) -> None:
    _compare(goldens.answer(mx, expression), ANSWERS[expression])


def _compare(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, dict) and "values" in theirs:
        assert (ours["dtype"], ours["shape"]) == (theirs["dtype"], theirs["shape"])
        # OpenCV resizes bytes in whole numbers, which are rounded more than once.
        tolerance = {"rtol": 0, "atol": 1} if theirs["dtype"] == "uint8" else {"rtol": 1e-4, "atol": 2e-3}
        np.testing.assert_allclose(ours["values"], theirs["values"], **tolerance)
    elif isinstance(theirs, dict):
        assert list(ours) == list(theirs)
        for key in theirs:
            _compare(ours[key], theirs[key])
    elif isinstance(theirs, list):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            _compare(one, other)
    elif isinstance(theirs, float):
        assert ours == pytest.approx(theirs, rel=1e-5)
    else:
        assert ours == theirs


def test_iterators_of_files_give_one_array(tmp_path: Path) -> None:
    data, label = tmp_path / "data.csv", tmp_path / "label.csv"
    data.write_text("1,2\n3,4\n5,6\n")
    label.write_text("1\n2\n3\n")
    batches = mx.io.CSVIter(data_csv=str(data), data_shape=(2,), label_csv=str(label), batch_size=2)
    assert batches.iter_next()
    assert batches.getdata().asnumpy().tolist() == [[1, 2], [3, 4]]
    assert batches.getlabel().asnumpy().tolist() == [1, 2]
    assert [x.shape for x in batches.next().data] == [(2, 2)]


def test_an_iterator_of_another_size_has_the_parts_of_its_batch() -> None:
    batches = mx.io.ResizeIter(mx.io.NDArrayIter(np.ones((3, 2)), np.ones(3), 2), 5)
    batches.iter_next()
    batches.iter_next()
    assert ([x.shape for x in batches.getdata()], [x.shape for x in batches.getlabel()]) == ([(2, 2)], [(2,)])
    assert batches.getpad() == 1


def test_each_epoch_shuffles_the_rows_of_the_one_before() -> None:
    np.random.seed(1)
    numbers, rows = np.arange(10), np.arange(10.0)
    wanted = []
    for _ in range(3):
        np.random.shuffle(numbers)
        rows = rows[numbers]
        wanted.append(rows.tolist())
    np.random.seed(1)
    batches = mx.io.NDArrayIter(np.arange(10.0), np.arange(10.0), 5, shuffle=True)
    found = []
    for _ in range(3):
        epoch = list(batches)
        found.append(np.concatenate([batch.data[0].asnumpy() for batch in epoch]).tolist())
        assert np.concatenate([batch.label[0].asnumpy() for batch in epoch]).tolist() == found[-1]
        batches.reset()
    assert found == wanted


@pytest.mark.parametrize("shuffle", [False, True])
def test_rows_that_roll_over_are_those_of_the_epoch_before(shuffle: bool) -> None:
    batches = mx.io.NDArrayIter(np.arange(10.0), None, 4, shuffle=shuffle, last_batch_handle="roll_over")
    first = [batch.data[0].asnumpy().tolist() for batch in batches]
    left = set(range(10)) - {row for batch in first for row in batch}
    batches.reset()
    assert set(next(batches).data[0].asnumpy()[:2].tolist()) == left
