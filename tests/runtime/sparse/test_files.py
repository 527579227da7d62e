"""Arrays in sparse storage in files and pickles."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

from hybridlint.runtime import nd
from hybridlint.runtime.ndarray.sparse import CSRNDArray, RowSparseNDArray

WRITTEN = Path(__file__).parents[2] / "goldens" / "files" / "sparse.nd"


def test_mxnets_file_is_read_and_written_alike(tmp_path: Path) -> None:
    matrix, rows = nd.load(str(WRITTEN))
    assert isinstance(matrix, CSRNDArray)
    assert isinstance(rows, RowSparseNDArray)
    np.testing.assert_array_equal(matrix.asnumpy(), rows.asnumpy())
    matrix.check_format()
    rows.check_format()
    nd.save(str(tmp_path / "again.nd"), [matrix, rows])
    assert (tmp_path / "again.nd").read_bytes() == WRITTEN.read_bytes()


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_named_arrays_and_pickles_keep_their_storage(stype: str, tmp_path: Path) -> None:
    array = nd.array([[0, 1], [0, 0], [2, 3]]).tostype(stype)
    nd.save(str(tmp_path / "named.nd"), {"a": array, "b": nd.ones((2,))})
    named = nd.load(str(tmp_path / "named.nd"))
    assert isinstance(named, dict)
    for back in (named["a"], pickle.loads(pickle.dumps(array)), copy.copy(array), copy.deepcopy(array)):
        assert type(back) is type(array)
        assert back.asnumpy().tolist() == [[0, 1], [0, 0], [2, 3]]
    assert named["b"].stype == "default"
