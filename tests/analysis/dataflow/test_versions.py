"""Which version of a name a read sees."""

from __future__ import annotations

import ast

import pytest

from hybridlint.analysis.dataflow.function_flow import flow_of
from hybridlint.analysis.dataflow.versions import NameVersion


def version(body: str) -> NameVersion | None:
    """Return the version of `x` that the last ``use(x)`` reads."""
    function = ast.parse(f"def f(x, a):\n{body}").body[0]
    assert isinstance(function, ast.FunctionDef)
    calls = [n for n in ast.walk(function) if isinstance(n, ast.Call) and ast.unparse(n.func) == "use"]
    read = max(calls, key=lambda call: (call.lineno, call.col_offset)).args[0]
    assert isinstance(read, ast.Name)
    return flow_of(function).version(read)


VERSIONS = {
    "an argument": ("  use(x)", "given"),
    "the last of two": ("  x = 1\n  x = 2\n  use(x)", "3"),
    "one that reads it": ("  x = 1\n  x = use(x)", "2"),
    "a branch before": ("  if a:\n    x = 1\n  use(x)", "several"),
    "in the branch": ("  if a:\n    x = 1\n    use(x)", "3"),
    "before the other branch": ("  x = 1\n  if a:\n    x = 2\n  else:\n    use(x)", "2"),
    "a loop's own": ("  for x in a:\n    use(x)", "2"),
    "earlier in the round": ("  for i in a:\n    x = i\n    use(x)", "3"),
    "a round before": ("  for i in a:\n    use(x)\n    x = i", "by round"),
    "the loop's own, after which the round binds it": ("  for x in a:\n    use(x)\n    x = 1", "2"),
    "a loop that does not bind it": ("  for i in a:\n    for j in a:\n      use(x)", "given"),
    "an inner loop that does not bind it": ("  for i in a:\n    x = i\n    for j in a:\n      use(x)", "3"),
    "in a handler": ("  try:\n    x = 1\n  except ValueError:\n    use(x)", "several"),
    "in a scope": ("  x = 1\n  with a:\n    use(x)", "2"),
    "in a comprehension": ("  [use(x) for x in a]", "none"),
    "in a function": ("  def g(): use(x)", "none"),
    "bound by a function": ("  def g():\n    nonlocal x\n    x = 1\n  use(x)", "none"),
}


@pytest.mark.parametrize("case", VERSIONS)
def test_the_version_that_a_read_sees(case: str) -> None:
    body, expected = VERSIONS[case]
    match version(body):
        case None:
            found = "none"
        case NameVersion(by_round=True):
            found = "by round"
        case known if known.is_given:
            found = "given"
        case known:
            found = "several" if known.binding is None else str(known.binding.row)
    assert found == expected


def test_reads_behind_a_branch_see_one_version_and_those_before_it_another() -> None:
    function = ast.parse("def f(x, a):\n  use(x)\n  if a:\n    x = 1\n  use(x)\n  if a:\n    use(x)").body[0]
    assert isinstance(function, ast.FunctionDef)
    flow = flow_of(function)
    first, second, third = (flow.version(read) for read in sorted(flow.reads_of("x"), key=lambda n: n.lineno))
    assert first != second == third


def test_a_name_that_is_not_in_the_code_has_the_version_of_its_position() -> None:
    function = ast.parse("def f(x, a):\n  x = 1\n  b = a\n  x = 2").body[0]
    assert isinstance(function, ast.FunctionDef)
    made = ast.copy_location(ast.Name("x", ast.Load()), function.body[1])
    found = flow_of(function).version(made)
    assert found is not None
    assert found.label == "2"
