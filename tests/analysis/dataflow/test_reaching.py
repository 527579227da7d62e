"""Which bindings reach which reads: tables of small functions, and programs that are run."""

from __future__ import annotations

import ast
import textwrap

import pytest

from hybridlint.analysis.dataflow.bindings import BindingKind
from hybridlint.analysis.dataflow.function_flow import FunctionFlow, flow_of


def flow(text: str) -> FunctionFlow:
    """Return the data flow of the first function of a text."""
    function = ast.parse(textwrap.dedent(text)).body[0]
    assert isinstance(function, ast.FunctionDef)
    return flow_of(function)


def reaching(text: str) -> str:
    """Return the rows of the bindings that reach the read of `x` in the last ``use(x)``, 0 for a parameter."""
    found = flow(text)
    uses = [
        node.args[0]
        for node in ast.walk(found.scope)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "use"
    ]
    read = max((read for read in uses if isinstance(read, ast.Name)), key=lambda read: (read.lineno, read.col_offset))
    rows = [getattr(b.node, "lineno", 0) if b.kind is not BindingKind.PARAMETER else 0 for b in found.reaching(read)]
    return " ".join(map(str, sorted(rows)))


FLOWS = {
    "an argument": ("def f(x):\n  use(x)", "0"),
    "a later assignment": ("def f(x):\n  x = 1\n  x = 2\n  use(x)\n  x = 3", "3"),
    "a branch": ("def f(x, a):\n  if a:\n    x = 1\n  use(x)", "0 3"),
    "both branches": ("def f(x, a):\n  if a:\n    x = 1\n  else:\n    x = 2\n  use(x)", "3 5"),
    "a chain of branches": ("def f(x, a):\n  if a:\n    x = 1\n  elif a.b:\n    x = 2\n  use(x)", "0 3 5"),
    "a branch that returns": ("def f(x, a):\n  if a:\n    x = 1\n    return x\n  use(x)", "0"),
    "a branch that raises": ("def f(x, a):\n  if a:\n    x = 1\n    raise a\n  use(x)", "0"),
    "in a branch": ("def f(x, a):\n  x = 1\n  if a:\n    use(x)\n  x = 2", "2"),
    "the round before": ("def f(x, a):\n  for i in a:\n    use(x)\n    x = i", "0 4"),
    "the same round": ("def f(x, a):\n  for i in a:\n    x = i\n    use(x)", "3"),
    "the target of a loop": ("def f(x, a):\n  for x in a:\n    use(x)", "2"),
    "behind a loop": ("def f(x, a):\n  for x in a:\n    pass\n  use(x)", "0 2"),
    "behind a break": ("def f(x, a):\n  while a:\n    x = 1\n    if a.b:\n      break\n    x = 2\n  use(x)", "0 3 6"),
    "behind an endless loop": ("def f(x, a):\n  while True:\n    x = 1\n    if a:\n      break\n  use(x)", "3"),
    "behind continue": ("def f(x, a):\n  for i in a:\n    x = 1\n    continue\n    x = 2\n  use(x)", "0 3"),
    "the else of a loop": ("def f(x, a):\n  for i in a:\n    break\n  else:\n    x = 1\n  use(x)", "0 5"),
    "a handler": ("def f(x):\n  try:\n    x = g()\n    x = g()\n  except E:\n    use(x)", "0 3 4"),
    "behind a handler": ("def f(x):\n  try:\n    x = g()\n  except E:\n    pass\n  use(x)", "0 3"),
    "behind a handler that leaves": ("def f(x):\n  try:\n    x = g()\n  except E:\n    return\n  use(x)", "3"),
    "the name of an exception": ("def f(x):\n  try:\n    g()\n  except E as x:\n    use(x)", "4"),
    "finally": ("def f(x):\n  try:\n    x = g()\n  finally:\n    use(x)", "0 3"),
    "behind finally": ("def f(x):\n  try:\n    g()\n  finally:\n    x = 1\n  use(x)", "5"),
    "finally on the way out": (
        "def f(x, a):\n  for i in a:\n    try:\n      x = 1\n      break\n    finally:\n      x = 2\n  use(x)",
        "0 7",
    ),
    "the else of a try": ("def f(x):\n  try:\n    x = g()\n  except E:\n    return\n  else:\n    use(x)", "3"),
    "with": ("def f(x):\n  with g() as x:\n    use(x)", "2"),
    "behind with": ("def f(x):\n  with g():\n    x = 1\n  use(x)", "3"),
    "behind what swallows exceptions": ("def f(x):\n  with suppress(E):\n    x = 1\n  use(x)", "0 3"),
    "augmented": ("def f(x):\n  x += 1\n  use(x)", "2"),
    "annotated": ("def f(x):\n  x: int = 1\n  use(x)", "2"),
    "only annotated": ("def f(x):\n  x: int\n  use(x)", "0"),
    "a walrus": ("def f(x, a):\n  if (x := a):\n    use(x)", "2"),
    "a walrus that may be skipped": ("def f(x, a):\n  if a and (x := a):\n    pass\n  use(x)", "0 2"),
    "a walrus before": ("def f(x, a):\n  g((x := a), use(x))", "2"),
    "a walrus behind": ("def f(x, a):\n  g(use(x), (x := a))", "0"),
    "a walrus in a comprehension": ("def f(x, a):\n  [x := i for i in a]\n  use(x)", "0 2"),
    "unpacking": ("def f(x, a):\n  (y, [*x]), z = a\n  use(x)", "2"),
    "its own value": ("def f(x):\n  x = use(x)", "0"),
    "several targets": ("def f(x, a):\n  y = x = a\n  use(x)", "2"),
    "an import": ("def f():\n  import x.y\n  use(x)", "2"),
    "a definition": ("def f():\n  def x(): pass\n  use(x)", "2"),
    "a class": ("def f():\n  class x: pass\n  use(x)", "2"),
    "a name from around": ("def f():\n  use(x)", ""),
    "a deletion": ("def f(x, a):\n  if a:\n    del x\n  use(x)", "0 3"),
    "a comprehension": ("def f(x, a):\n  [use(x) for x in a]", "2"),
    "around a comprehension": ("def f(x, a):\n  x = 1\n  [use(x) for y in a]\n  x = 2", "2"),
    "the iterable of a comprehension": ("def f(x, a):\n  [x for x in use(x)]", "0"),
    "a generator that is kept": ("def f(x, a):\n  g = (use(x) for y in a)\n  x = 2", "0 3"),
    "a generator that runs at once": ("def f(x, a):\n  g = sum(use(x) for y in a)\n  x = 2", "0"),
    "a function": ("def f(x):\n  x = 1\n  def g():\n    use(x)\n  x = 2", "2 5"),
    "a function of its own": ("def f(x):\n  def g(x):\n    use(x)", ""),
    "a lambda": ("def f(x):\n  x = 1\n  return lambda: use(x)", "2"),
    "a lambda in a loop": ("def f(x, a):\n  for i in a:\n    g(lambda: use(x))\n    x = i", "0 4"),
    "a lambda in a comprehension": ("def f(x, a):\n  return [lambda: use(x) for x in a]", "2"),
    "a default": ("def f(x):\n  x = 1\n  def g(y=use(x)): pass\n  x = 2", "2"),
    "a method of a class within": ("def f(x):\n  class A:\n    x = 1\n    def g(self):\n      use(x)\n  x = 2", "0 6"),
    "a function that rebinds": ("def f(x):\n  def g():\n    nonlocal x\n    x = 1\n  x = 2\n  use(x)", "4 5"),
    "a match": ("def f(x, a):\n  match a:\n    case [x, y]:\n      use(x)", "3"),
    "behind a match": ("def f(x, a):\n  match a:\n    case [x, y]: pass\n    case {'k': x}: pass\n  use(x)", "0 3 4"),
    "a match without a way around": ("def f(x, a):\n  match a:\n    case 1: x = 1\n    case _: x = 2\n  use(x)", "3 4"),
    "a guard": ("def f(x, a):\n  match a:\n    case x if x: return\n    case _: use(x)", "3"),
    "code that is not reached": ("def f(x):\n  return\n  use(x)", ""),
}


@pytest.mark.parametrize("case", FLOWS)
def test_what_reaches_a_read(case: str) -> None:
    text, rows = FLOWS[case]
    assert reaching(text) == rows


VALUES = {
    "a plain assignment": ("y = a", "ASSIGNMENT", "a", None),
    "one of two values": ("z, y = a, b", "UNPACKING", "b", "(a, b)"),
    "a part of a value": ("z, y = a", "UNPACKING", None, "a"),
    "what a star takes": ("*y, z = a, b, c", "UNPACKING", None, "(a, b, c)"),
    "a part of one of two values": ("(y, z), w = a, b", "UNPACKING", None, "a"),
    "an augmented assignment": ("y += a", "AUGMENTED", None, "a"),
    "an element of an iterable": ("for y, z in a: pass", "LOOP", None, "a"),
    "a context manager": ("with a as y: pass", "WITH", None, "a"),
    "a subject of a match": ("match a:\n    case y: pass", "PATTERN", "a", "a"),
    "a part of a subject": ("match a:\n    case (y, z): pass", "PATTERN", None, "a"),
}


@pytest.mark.parametrize("case", VALUES)
def test_what_a_binding_holds(case: str) -> None:
    statement, kind, value, source = VALUES[case]
    found = flow(f"def f(a, b, c):\n  {statement}")
    (binding,) = found.bindings_of("y")
    assert binding.kind.name == kind
    for node, text in ((binding.value, value), (binding.source, source)):
        assert (None if node is None else ast.unparse(node)) == text


def test_uses_are_the_reads_that_a_binding_reaches() -> None:
    found = flow("def f(x, a):\n  if a:\n    x = 1\n  g(x)\n  x += 1\n  return lambda: x")
    argument, assigned, increased = found.bindings_of("x")
    assert [[read.lineno for read in found.uses(b)] for b in (argument, assigned, increased)] == [[4, 5], [4, 5], [6]]
    assert [read.lineno for read in found.reads_of("x")] == [4, 5, 6]
    assert found.is_captured("x")
    assert not found.is_captured("a")


def test_a_long_chain_of_branches_and_a_deep_expression_need_no_deep_recursion() -> None:
    branches = "".join(f"  elif a == {k}:\n    x = {k}\n" for k in range(2000))
    terms = " + ".join(["x"] * 900)
    found = flow(f"def f(a):\n  if a:\n    x = 1\n{branches}  else:\n    x = 2\n  return x")
    assert len(found.reaching(found.reads_of("x")[0])) == 2002
    assert len(flow(f"def f(x):\n  return {terms}").reads_of("x")) == 900


ITEMS = {
    "the first": ("a, x = y", 1),
    "behind a star": ("*_, x, _ = y", -2),
    "before a star": ("x, *_ = y", 0),
    "the star": ("a, *x, b, c = y", (1, -2)),
    "a star at the end": ("a, *x = y", (1, None)),
    "paired": ("a, x = y, z", None),
    "within an item": ("a, (b, x) = y", None),
    "a whole value": ("x = y", None),
    "of what a loop goes over": ("for a, x in y: pass", None),
}


@pytest.mark.parametrize(("text", "item"), ITEMS.values(), ids=ITEMS.keys())
def test_the_item_that_an_unpacking_binds(text: str, item: object) -> None:
    bindings = flow(f"def f(y, z):\n  {text}").bindings_of("x")
    assert [binding.item for binding in bindings] == [item]
