"""Fixers of calls declare the functions that they rewrite, under any name of an operator."""

from __future__ import annotations

import ast

from hybridlint.fixers.shapes.sized_call_rules import SizeRead, declared_fixer, rewrites
from hybridlint.text.edits import Fix


@rewrites("broadcast_axis")
def _spread(event: SizeRead, call: ast.Call, namespace: bool) -> Fix | None:
    return None


@rewrites("zeros", "begin_state", methods=False)
def _made(event: SizeRead, call: ast.Call, namespace: bool) -> Fix | None:
    return None


def test_an_operator_is_known_by_each_of_its_names() -> None:
    for name in ("broadcast_axis", "broadcast_axes"):
        assert declared_fixer((_made, _spread), name, namespace=True) is _spread.rewrite
    assert declared_fixer((_made, _spread), "broadcast_to", namespace=True) is None


def test_methods_of_the_same_name_may_be_others() -> None:
    assert declared_fixer((_made,), "zeros", namespace=True) is _made.rewrite
    assert declared_fixer((_made,), "zeros", namespace=False) is None
    assert declared_fixer((_spread,), "broadcast_axes", namespace=False) is _spread.rewrite
