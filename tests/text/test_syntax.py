"""Tests of walks through syntax trees."""

from __future__ import annotations

import ast

from hybridlint.text.syntax import holds, walk

TEXT = '''
@decorated(
    1
)
def f(a=2):
    return f"""
    {a +
    3}"""


def g(b):
    return 4
'''


def test_a_node_holds_itself_and_what_stands_below_it() -> None:
    nodes = list(walk(ast.parse(TEXT)))
    for outer in nodes:
        below = set(ast.walk(outer))
        assert [holds(outer, node) for node in nodes] == [node in below for node in nodes]
