"""Template methods: what a class of another file calls in its ``hybrid_forward``, and a class of this one defines."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.screening import may_be_hybrid
from hybridlint.text.source import SourceFile

BASE = """\
from mxnet.gluon import HybridBlock, nn

class Base(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.dense = nn.Dense(4)

    def encode(self, F, x):
        raise NotImplementedError

    def decode(self, F, x):
        return x

    def hybrid_forward(self, F, x):
        return self.step(F, self.encode(F, self.dense(x)))

    def step(self, F, h):
        return self.decode(F, h)

class Deep(Base):
    def encode(self, F, x):
        return x
"""


def rows(folder: Path, text: str) -> list[tuple[str, int]]:
    (folder / "base.py").write_text(BASE, encoding="utf-8")
    path = folder / "net.py"
    path.write_text(text, encoding="utf-8")
    return [(f.rule.code, f.node.lineno) for f in analyze_file(SourceFile.read(path))]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "text",
    [
        "from base import Base\nclass Net(Base):\n    def encode(self, F, x):\n        return x * x.shape[0]\n",
        "from base import Deep\nclass Net(Deep):\n    def decode(self, F, x):\n        return x * x.shape[0]\n",
        "from base import Deep\nclass Net(Deep):\n    def step(self, F, h):\n        return h * h.shape[0]\n",
        "from base import Base\nclass Net(Base):\n    def encode(self, F, x): \n        return self.more(x)\n"
        "    def more(self, x): return x * x.shape[0]\n",
    ],
)
def test_a_method_that_the_base_calls_is_checked_where_it_stands(tmp_path: Path, text: str) -> None:
    row = next(number for number, line in enumerate(text.splitlines(), 1) if "shape" in line)
    assert rows(tmp_path, text) == [("HYB101", row)]


def test_a_method_of_a_mixin_is_what_the_base_calls(tmp_path: Path) -> None:
    text = (
        "from base import Base\nclass Mixin:\n    def encode(self, F, x):\n        return x * x.shape[0]\n"
        "class Net(Mixin, Base):\n    pass\n"
    )
    assert rows(tmp_path, text) == [("HYB101", 4)]


def test_a_method_that_nobody_calls_is_not_checked(tmp_path: Path) -> None:
    text = "from base import Base\nclass Net(Base):\n    def other(self, F, x):\n        return x * x.shape[0]\n"
    assert rows(tmp_path, text) == []


def test_a_class_that_is_no_block_is_checked_where_the_file_is_about_mxnet(tmp_path: Path) -> None:
    text = "class Base: pass\nclass Net(Base):\n    def encode(self, F, x):\n        return x * x.shape[0]\n"
    assert rows(tmp_path, text) == []
    assert rows(tmp_path, f"import mxnet\n{text}") == [("HYB101", 5)]


def test_a_file_without_hybrid_words_is_read_where_a_method_gets_f() -> None:
    assert may_be_hybrid("class Net(Base):\n    def encode(self, F, x): pass\n")
    assert not may_be_hybrid("import torch.nn.functional as F\nclass Net(Base):\n    def forward(self, x): pass\n")
