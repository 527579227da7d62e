"""Which names a loop carries from one step to the next."""

from __future__ import annotations

import ast

import pytest

from hybridlint.analysis.dataflow.loop_carried import carried_names

LOOPS = {
    "for k in r:\n    y = k\n    z = y": set(),
    "for k in r:\n    x = f(x)": {"f", "x"},
    "for k in r:\n    x += k": {"x"},
    "for k in r:\n    x, y = y, k": {"y"},
    "for k in r:\n    a[k] = k": {"a"},
    "for k in r:\n    if c:\n        y = 1\n    z = y": {"c", "y"},
    "for k in r:\n    if c:\n        y = 1\n    else:\n        y = 2\n    z = y": {"c"},
    "for k in r:\n    for j in s:\n        y = j\n    z = y, j": {"s", "y", "j"},
    "for k in r:\n    with w as v:\n        y = v\n    z = y": {"w"},
    "for k in r:\n    try:\n        y = k\n    except E:\n        y = z\n    w = y": {"E", "z"},
    "for k in r:\n    try:\n        y = k\n    except E:\n        pass\n    z = y": {"E", "y"},
    "for k in r:\n    z = [y for y in k]": set(),
    "while (k := f()):\n    z = k": {"f"},
    "for (j, *k) in r:\n    y = j, k": set(),
    "while x:\n    x = f(y)\n    y = 1": {"x", "f", "y"},
}


@pytest.mark.parametrize("text", LOOPS)
def test_names_that_a_step_reads_before_it_binds_them_are_carried(text: str) -> None:
    loop = ast.parse(text).body[0]
    assert isinstance(loop, ast.For | ast.While)
    assert carried_names(loop) == LOOPS[text]
