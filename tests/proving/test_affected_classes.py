"""Which classes are proved after a change."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.proving.affected_classes import affected_classes
from hybridlint.text.source import SourceFile

TEXT = """\
import mxnet as mx
LIMIT = 3
class Base:
    x = 1
class Child(Base):
    pass
class User:
    y = Child
class Other:
    z = 1
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("x = 1", "x = 2", {"Base", "Child", "User"}),
        ("z = 1", "z  =  1  # formatted", set()),
        ("z = 1", "z = 2", {"Other"}),
        ("LIMIT = 3", "LIMIT = 4", None),
        ("import mxnet as mx", "import mxnet as mx\nfrom mxnet import nd", set()),
    ],
)
def test_changed_classes_and_their_users(old: str, new: str, expected: set[str] | None) -> None:
    before = SourceFile(Path("x.py"), TEXT)
    assert affected_classes(before, SourceFile(Path("x.py"), TEXT.replace(old, new))) == expected
