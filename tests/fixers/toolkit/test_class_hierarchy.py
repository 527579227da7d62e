"""The classes of a file by their bases."""

from __future__ import annotations

import ast

from hybridlint.fixers.toolkit import class_hierarchy

CODE = """
class A:
    def a(self): pass

class B(A):
    b = 1

class C(nn.B, D):
    def c(self): pass
"""


def _classes() -> tuple[ast.Module, list[ast.ClassDef]]:
    tree = ast.parse(CODE)
    return tree, [node for node in tree.body if isinstance(node, ast.ClassDef)]


def test_a_class_derives_from_its_bases_alone() -> None:
    _, (a, _, c) = _classes()
    assert [class_hierarchy.derives_from(c, name) for name in ("B", "D", "A")] == [True, True, False]
    assert not class_hierarchy.derives_from(a, "A")


def test_a_lineage_holds_the_classes_above_and_heirs_are_those_below() -> None:
    _, classes = _classes()
    a, b, c = classes
    assert class_hierarchy.lineage_of(c, classes) == [c, b, a]
    assert class_hierarchy.heirs_of(a, classes) == [a, b, c]


def test_the_methods_of_a_class_are_those_of_the_classes_above_it_too() -> None:
    tree, classes = _classes()
    assert class_hierarchy.methods_of(tree, classes[-1]) == {"a", "c"}


def test_methods_by_the_name_of_a_class_are_its_own_alone() -> None:
    tree, (a, _, c) = _classes()
    assert class_hierarchy.methods_in(tree, "A") == {"a": a.body[0]}
    assert class_hierarchy.methods_in(tree, "C") == {"c": c.body[0]}
    assert class_hierarchy.methods_in(tree, "E") == {}
    assert class_hierarchy.methods_in(tree, None) == {}


def test_a_class_without_init_has_no_constructor_of_its_own() -> None:
    (owner,) = ast.parse("class A:\n    def __init__(self): pass").body
    assert isinstance(owner, ast.ClassDef)
    assert class_hierarchy.constructor_of(owner) is owner.body[0]
    assert class_hierarchy.constructor_of(_classes()[1][0]) is None
