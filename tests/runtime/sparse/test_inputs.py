"""Random sparse arrays for tests, and batches of sparse rows from files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hybridlint.runtime import io, nd, test_utils
from hybridlint.runtime.base import MXNetError


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_random_arrays_store_the_share_that_is_asked_for(stype: str) -> None:
    array, parts = test_utils.rand_sparse_ndarray((40, 30), stype, density=0.5)
    array.check_format()
    assert len(parts) == (3 if stype == "csr" else 2)
    stored = array.data.shape[0] / (1200 if stype == "csr" else 40)
    assert 0.1 < stored < 0.9
    assert test_utils.rand_ndarray((4, 3), stype, 0.0).asnumpy().tolist() == np.zeros((4, 3)).tolist()
    assert test_utils.rand_ndarray((4, 3), stype, 0.5, dtype="float64").dtype is np.float64
    full = test_utils.create_sparse_array((4, 3), stype, data_init=2, density=1)
    assert full.asnumpy().tolist() == np.full((4, 3), 2).tolist()


def test_rows_are_chosen_and_changed() -> None:
    array = test_utils.create_sparse_array((4, 3), "row_sparse", data_init=3, rsp_indices=[1, 2])
    assert array.indices.asnumpy().tolist() == [1, 2]
    assert test_utils.create_sparse_array_zd((4, 3), "row_sparse", 0).indices.shape == (0,)
    changed = test_utils.rand_ndarray((4, 3), "row_sparse", 1, modifier_func=lambda _: 7)
    assert changed.asnumpy().tolist() == np.full((4, 3), 7).tolist()


def test_rows_of_a_power_law_double_until_all_elements_are_there() -> None:
    array, _ = test_utils.rand_sparse_ndarray((8, 16), "csr", density=0.5, distribution="powerlaw")
    assert np.diff(array.indptr.asnumpy()).tolist() == [2, 4, 8, 16, 16, 16, 1, 1]


def test_what_cannot_be_made_is_refused() -> None:
    for shape, stype, given in (
        ((6, 3), "foo", {"density": 0.5}),
        ((6, 3), "csr", {"density": 0.5, "distribution": "foo"}),
        ((6, 3), "row_sparse", {"density": 0.5, "distribution": "powerlaw"}),
    ):
        with pytest.raises(AssertionError):
            test_utils.rand_sparse_ndarray(shape, stype, **given)
    with pytest.raises(ValueError, match="density"):
        test_utils.rand_sparse_ndarray((6, 3), "csr", density=1.5)


def test_columns_are_shuffled_apart_from_their_values() -> None:
    array, _ = test_utils.rand_sparse_ndarray((5, 9), "csr", density=1, shuffle_csr_indices=True)
    assert sorted(array.indices.asnumpy()[:9].tolist()) == list(range(9))


def test_batches_of_sparse_rows_are_read_from_files(tmp_path: Path) -> None:
    data, labels = tmp_path / "data.svm", tmp_path / "labels.svm"
    data.write_text("1 0:0.5 2:1.25\n0 1:3\n1 3:2 0:1\n", encoding="utf-8")
    labels.write_text("0:1 1:2\n1:3\n0:4\n", encoding="utf-8")
    batches = io.LibSVMIter(data_libsvm=str(data), data_shape=(4,), batch_size=2)
    first, second = batches
    assert [b.data[0].stype for b in (first, second)] == ["csr", "csr"]
    assert first.data[0].asnumpy().tolist() == [[0.5, 0, 1.25, 0], [0, 3, 0, 0]]
    assert second.data[0].asnumpy().tolist() == [[1, 0, 0, 2], [0.5, 0, 1.25, 0]]
    assert first.label is not None
    assert second.label is not None
    assert (first.label[0].asnumpy().tolist(), second.label[0].asnumpy().tolist(), second.pad) == ([1, 0], [1, 1], 1)
    with_labels = io.LibSVMIter(
        data_libsvm=str(data), data_shape=(4,), label_libsvm=str(labels), label_shape=(2,), batch_size=2
    )
    assert with_labels.next().label[0].asnumpy().tolist() == [[1, 2], [0, 3]]  # type: ignore[index]
    for wrong in ("1 0:0.5 9:1\n", "1 a:b\n"):
        data.write_text(wrong, encoding="utf-8")
        with pytest.raises(MXNetError, match="line 1"):
            io.LibSVMIter(data_libsvm=str(data), data_shape=(4,), batch_size=2)
    with pytest.raises(MXNetError, match="cannot read"):
        io.LibSVMIter(data_libsvm=str(tmp_path / "none"), data_shape=(4,), batch_size=2)


def test_batches_of_csr_arrays_drop_what_is_left_over() -> None:
    array = nd.array([[0, 1], [2, 0], [3, 4]]).tostype("csr")
    with pytest.raises(NotImplementedError, match="discard"):
        io.NDArrayIter(array, batch_size=2)
    batches = list(io.NDArrayIter(array, batch_size=2, last_batch_handle="discard"))
    assert [b.data[0].asnumpy().tolist() for b in batches] == [[[0, 1], [2, 0]]]
