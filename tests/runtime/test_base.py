"""``mx.base``: values in C, errors by name, where downloads go. Expected values are MXNet's."""

from __future__ import annotations

import array
import ctypes

import pytest

from hybridlint.runtime import base


def test_values_in_c() -> None:
    assert list(base.c_array(ctypes.c_int, [1, 2])) == [1, 2]
    assert list(base.c_array_buf(ctypes.c_int, array.array("i", [3, 4]))) == [3, 4]
    assert list(base.c_str_array(["a", "b"])) == [b"a", b"b"]
    assert base.c_str("text").value == b"text"


def test_bytes_are_copied_from_pointers_to_bytes_alone() -> None:
    memory = ctypes.create_string_buffer(b"abc")
    assert base.ctypes2buffer(ctypes.cast(memory, ctypes.POINTER(ctypes.c_char)), 3) == b"abc"
    with pytest.raises(TypeError, match="expected char pointer"):
        base.ctypes2buffer(memory, 3)


def test_floats_are_shared() -> None:
    memory = (ctypes.c_float * 4)(1, 2, 3, 4)
    shared = base.ctypes2numpy_shared(ctypes.cast(memory, base.mx_float_p), (2, 2))
    shared[1, 1] = 7
    assert list(memory) == [1, 2, 3, 7]


def test_downloads_go_to_the_folder_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MXNET_HOME", "/elsewhere")
    assert base.data_dir() == "/elsewhere"
    monkeypatch.delenv("MXNET_HOME")
    assert base.data_dir() == base.data_dir_default()


def test_a_parameter_is_described_once() -> None:
    described = base.build_param_doc(["a", "a", "num_args"], ["int", "string", "int"], ["the a", "", "how many"])
    assert described == "Parameters\n----------\na : int\n    the a\n"


def test_errors_are_registered_under_their_name_or_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "error_types", dict(base.error_types))
    plain = base.register_error(type("Plain", (base.MXNetError,), {}))
    other = base.register_error("Other")(type("Named", (base.MXNetError,), {}))
    assert (base.error_types["Plain"], base.error_types["Other"]) == (plain, other)


def test_what_sparse_arrays_lack_says_so() -> None:
    assert str(base.NotSupportedForSparseNDArray(len, "al", 1)) == (
        "Function len (namely operator \"al\") with arguments (<class 'int'>) is not supported for SparseNDArray and "
        "only available in NDArray."
    )


def test_another_answer_than_0_is_an_error() -> None:
    base.check_call(0)
    with pytest.raises(base.MXNetError):
        base.check_call(-1)
