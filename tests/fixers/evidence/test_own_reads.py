"""Reads of attributes in classes that share no object with another class."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.evidence.own_reads import of_other_objects

TEXT = """
class Base:
    def read(self):
        return self.base


class Left(Base):
    def read(self):
        return self.left


class Right(mixins.Base):
    def read(self):
        return self.right


class Low(Left):
    def read(self):
        return self.low


class Alone:
    def read(self, other):
        return self.alone, other.handed
"""


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("Left", {"right", "alone"}),
        ("Base", {"alone"}),
        ("Low", {"right", "alone"}),
        ("Alone", {"base", "left", "right", "low"}),
    ],
)
def test_reads_of_classes_without_common_objects(name: str, names: set[str]) -> None:
    tree = ast.parse(TEXT)
    found = of_other_objects(tree, name)
    reads = {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and id(n) in found}
    assert reads == names
