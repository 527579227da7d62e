"""Methods that a project gives to the class of Symbols: what events are about them is its own affair."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

TAKE = "def take(self, index):\n    return mx.sym.take(self, mx.sym.full(val=index, shape=(1,)), 0)\n\n\n"
NET = """

class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        return F.shape_array(x)[2]
"""
HEAD = "import mxnet as mx\nfrom mxnet.gluon import HybridBlock\nfrom mxnet.symbol import Symbol\n\n\n"

PATCHES = {
    "the class": "mx.sym.Symbol.__getitem__ = take",
    "its name": "Symbol.__getitem__ = take",
    "setattr": 'setattr(mx.sym.Symbol, "__getitem__", take)',
    "in a function": "def install():\n    mx.sym.Symbol.__getitem__ = take",
}
OTHERS = {
    "another method": "mx.sym.Symbol.take_entry = take",
    "another class": "mx.nd.NDArray.__getitem__ = take",
    "a read": "get = mx.sym.Symbol.__getitem__",
}


def codes(folder: Path, text: str) -> list[str]:
    (folder / "net.py").write_text(text, encoding="utf-8")
    source = SourceFile.read(folder / "net.py")
    return [finding.rule.code for finding in analyze_file(source)]


@pytest.mark.parametrize("patch", PATCHES.values(), ids=PATCHES.keys())
def test_a_replaced_method_of_symbols_is_not_reported(tmp_path: Path, patch: str) -> None:
    assert codes(tmp_path, HEAD + TAKE + patch + "\n" + NET) == []


@pytest.mark.parametrize("patch", OTHERS.values(), ids=OTHERS.keys())
def test_other_stores_replace_nothing(tmp_path: Path, patch: str) -> None:
    assert codes(tmp_path, HEAD + TAKE + patch + "\n" + NET) == ["HYB202"]


def test_an_imported_file_replaces_it(tmp_path: Path) -> None:
    (tmp_path / "patches.py").write_text("import mxnet as mx\n\n\n" + TAKE + PATCHES["the class"] + "\n")
    assert codes(tmp_path, f"import patches\n{HEAD}{NET}") == []
