"""Classes across files: what other modules of the project say of bases, children and helpers."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.analysis.interpret import module_events
from hybridlint.analysis.model.events import BlockDef, ChildDef, Event, Subscript
from hybridlint.text.source import SourceFile

BASE = """
from mxnet import gluon

class Base(gluon.HybridBlock):
    pass

class Pair(Base):
    def hybrid_forward(self, F, x):
        return [x * 2, x * 3]
"""


def events_of(folder: Path, text: str, *, base: str = BASE) -> list[Event]:
    package = folder / "package"
    (package / "parts").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "parts" / "__init__.py").write_text("from .base import *\n")
    (package / "parts" / "base.py").write_text(base)
    net = package / "net.py"
    net.write_text(text)
    return list(module_events(SourceFile.read(net)))


@pytest.mark.parametrize(
    "imported",
    [
        "from .parts.base import Base, Pair",
        "from package.parts.base import Base, Pair",
        "from .parts import Base, Pair",
    ],
)
def test_a_class_of_another_file_tells_bases_and_what_children_return(tmp_path: Path, imported: str) -> None:
    told = events_of(
        tmp_path,
        f"{imported}\n"
        "class Net(Base):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.pair = Pair()\n"
        "    def hybrid_forward(self, F, x):\n"
        "        return self.pair(x)[0] + x[1]\n",
    )
    assert [e.bases for e in told if isinstance(e, BlockDef)] == [("Base",)]
    assert [e.child.hybrid for e in told if isinstance(e, ChildDef)] == [True]  # type: ignore[union-attr]
    assert [e.value.origin for e in told if isinstance(e, Subscript)] == ["argument"]  # type: ignore[union-attr]


def test_a_module_is_reached_by_its_name(tmp_path: Path) -> None:
    told = events_of(
        tmp_path,
        "from .parts import base\nclass Net(base.Base):\n    def hybrid_forward(self, F, x):\n        return x[1]\n",
    )
    assert [type(e) for e in told if isinstance(e, Subscript)] == [Subscript]


def test_a_base_that_cannot_be_read_leaves_hybrid_forward_hybrid(tmp_path: Path) -> None:
    text = "from elsewhere import Base\nclass Net(Base):\n    def hybrid_forward(self, F, x):\n        return x[1]\n"
    assert any(isinstance(e, BlockDef) for e in events_of(tmp_path, text))


def test_a_file_that_does_not_parse_is_unknown(tmp_path: Path) -> None:
    text = (
        "from mxnet import gluon\n"
        "from .parts.base import Pair\n"
        "class Net(gluon.HybridBlock):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.pair = Pair()\n"
        "    def hybrid_forward(self, F, x):\n"
        "        return self.pair(x)[1]\n"
    )
    assert not any(isinstance(e, Subscript) for e in events_of(tmp_path, text, base="class Pair(:\n"))


def test_a_plain_class_is_not_analyzed(tmp_path: Path) -> None:
    text = "class Kernel:\n    def apply(self, F, x):\n        self.x = x\n        return x[1]\n"
    assert events_of(tmp_path, text) == []
