"""Which names are live after a statement or an expression."""

from __future__ import annotations

import ast

import pytest

from hybridlint.analysis.dataflow.function_flow import flow_of
from hybridlint.analysis.dataflow.liveness import live_before_block


def live(body: str) -> bool:
    """Return whether `x` is live behind the part of a body that ends with ``here``, or is its call."""
    function = ast.parse(f"def f(x, a):\n{body}").body[0]
    assert isinstance(function, ast.FunctionDef)
    found = flow_of(function)
    for statement in ast.walk(function):
        if isinstance(statement, ast.stmt) and ast.unparse(statement).splitlines()[0].rstrip(":").endswith("here"):
            return found.live_after(statement, "x")
    calls = (n for n in ast.walk(function) if isinstance(n, ast.Call))
    call = next(n for n in calls if isinstance(n.func, ast.Name) and n.func.id == "here")
    return found.live_after(call, "x")


LIVE = {
    "a later read": ("  y = here\n  return x", True),
    "nothing": ("  y = x + here\n  return y", False),
    "bound anew": ("  y = here\n  x = 1\n  return x", False),
    "bound anew in a branch": ("  y = here\n  if a:\n    x = 1\n  return x", True),
    "increased": ("  y = here\n  x += 1", True),
    "deleted": ("  y = here\n  del x", True),
    "stored into": ("  y = here\n  x[0] = 1", True),
    "read in the next round": ("  for i in a:\n    g(x)\n    y = here", True),
    "bound first in the next round": ("  for i in a:\n    x = i\n    g(x)\n    y = here", False),
    "read in the other branch": ("  if a:\n    y = here\n  else:\n    g(x)", False),
    "behind a return": ("  y = here\n  return\n  g(x)", False),
    "read by a handler": ("  try:\n    y = here\n    x = g()\n  except E:\n    g(x)", True),
    "read in a finally": ("  try:\n    y = here\n    return\n  finally:\n    g(x)", True),
    "read by a function": ("  def g(): return x\n  y = here\n  return g", True),
    "a comprehension of its own": ("  y = here\n  return [x for x in a]", False),
    "a compound statement": ("  if here:\n    x = g(x)\n  return x", True),
    "a compound statement with the last read": ("  if here:\n    g(x)\n  return a", False),
    "an argument behind": ("  return g(here(), x)", True),
    "an argument before": ("  return g(x, here())", False),
    "the expression itself": ("  return g(here(x))", False),
    "the statement behind": ("  g(here(x))\n  g(x)", True),
    "its own target": ("  x = g(here(x))\n  g(x)", False),
}


@pytest.mark.parametrize("case", LIVE)
def test_live_after(case: str) -> None:
    body, expected = LIVE[case]
    assert live(body) is expected


BLOCKS = {
    "a = b\nfor r in a:\n    c = r\nc": "b c",
    "if a:\n    b = 1\nelse:\n    b = 2\nc = b": "a",
    "try:\n    b = a()\nexcept E:\n    b = c\nd = b": "E a c",
    "for i in a:\n    if i:\n        break\n    b = i\nb": "a b",
    "b = [a for a in c]\nd = lambda a: a + e": "c e",
    "if a:\n    continue\nb": "a b",
}


@pytest.mark.parametrize("block", BLOCKS)
def test_names_that_a_block_reads_before_it_surely_binds_them(block: str) -> None:
    assert " ".join(sorted(live_before_block(ast.parse(block).body))) == BLOCKS[block]


def test_names_that_are_live_behind_a_block_are_live_before_it_if_it_may_not_bind_them() -> None:
    block = ast.parse("a = 1\nif a:\n    b = 2").body
    assert live_before_block(block, frozenset("abc")) == {"b", "c"}


def test_names_that_outlive_the_scope_are_live() -> None:
    module = ast.parse("x = 1\ndef f():\n  global x\n  x = 2\n  y = 3")
    function = module.body[1]
    assert isinstance(function, ast.FunctionDef)
    assert flow_of(module).live_after(module.body[0], "x")
    assert flow_of(function).live_after(function.body[1], "x")
    assert not flow_of(function).live_after(function.body[2], "y")


def test_statements_that_may_run_after_another() -> None:
    function = ast.parse(
        "def f(a):\n  x = 1\n  for i in a:\n    y = 2\n    z = 3\n  if a:\n    u = 1\n  else:\n    v = 2"
    )
    assert isinstance(function.body[0], ast.FunctionDef)
    found = flow_of(function.body[0])
    (x, loop, branch) = function.body[0].body
    assert isinstance(loop, ast.For)
    assert isinstance(branch, ast.If)
    y, z = loop.body
    (u,), (v,) = branch.body, branch.orelse
    after = [(x, y), (y, z), (z, y), (y, y), (loop, branch), (z, v)]
    never = [(y, x), (x, x), (u, v), (v, u), (branch, loop), (branch, u)]
    assert [found.may_run_after(*pair) for pair in (*after, *never)] == [True] * 6 + [False] * 6
