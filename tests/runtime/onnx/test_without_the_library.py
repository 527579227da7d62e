"""Without the extra, reading and writing ONNX files says what to install; everything else works."""

from __future__ import annotations

import sys

import pytest

from hybridlint import runtime as mx
from hybridlint.runtime import sym


def test_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'hybridlint\[onnx\]'"):
        mx.onnx.export_model(sym.var("x") + 1, {}, [(2,)])


def test_the_list_of_operators_needs_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    assert "Convolution" in mx.onnx.get_operator_support()
    assert mx.contrib.onnx.export_model is mx.onnx.export_model
