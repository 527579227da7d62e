"""Modules run statement by statement: where they end, and what is defined all the same."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from hybridlint.proving.child.build.module_statements import (
    ACTIONS,
    SkippedStatements,
    StatementRunner,
    is_import,
    is_statement_key,
    statement_key,
)
from hybridlint.proving.child.stages import Stage


def ran(text: str, skipped: dict[str, str] | None = None) -> tuple[StatementRunner, dict[str, Any], list[Stage]]:
    """Return the runner of a module's text, what the module holds afterwards, and the stages that were reported."""
    stages: list[Stage] = []
    runner = StatementRunner("script.py", stages.append, SkippedStatements(skipped or {}), limit=20.0)
    namespace: dict[str, Any] = {"__name__": "script"}
    runner.run(ast.parse(text), namespace, lambda error: error.name == "not_installed")
    return runner, {name: value for name, value in namespace.items() if not name.startswith("__")}, stages


def names(text: str, skipped: dict[str, str] | None = None) -> tuple[int | None, set[str]]:
    """Return the row at which a module ends, None if it does not, and the names that it holds afterwards."""
    runner, held, _ = ran(text, skipped)
    return runner.end.row if runner.end else None, set(held)


@pytest.mark.parametrize(
    ("text", "row", "held"),
    [
        ("a = 1\nb = a + 1\n", None, {"a", "b"}),
        ("a = 1\nraise SystemExit(2)\nb = 2\n", 2, {"a", "b"}),
        ("open('/no/such/file')\nfor k in range(3):\n    b = k\n", 1, set()),
        ("assert False\nclass A:\n    pass\ndef f():\n    pass\nimport os\n", 1, {"A", "f", "os"}),
        ("rows = open('/no/such/file')\ncount = len(rows)\nLAST = 3\n", 1, {"LAST"}),
        ("import sys\n1 / 0\nsys.intern('a')\nprint(b := 3)\n", 2, {"sys"}),
        ("1 / 0\ntry:\n    import json\nexcept ImportError:\n    json = None\n", 1, {"json"}),
        ("1 / 0\nif True:\n    a = 1\n    print(a)\n", 1, set()),
        ("if __name__ == '__main__':\n    raise ValueError\na = 1\n", None, {"a"}),
        ("from mxnet.no_such_part import name\na = 1\n", 1, {"a"}),
    ],
)
def test_what_follows_a_failure_is_defined(text: str, row: int | None, held: set[str]) -> None:
    assert names(text) == (row, held)


def test_the_first_failure_is_where_the_module_ends() -> None:
    runner, _, _ = ran("x = 1 / 0\ny = x + 1\n")
    assert isinstance(runner.error, ZeroDivisionError)


def test_a_module_that_may_be_absent_is_no_end() -> None:
    with pytest.raises(ModuleNotFoundError):
        ran("import not_installed\n")


def test_a_module_is_read_as_a_whole_first() -> None:
    with pytest.raises(SyntaxError):
        ran("a = 1\nreturn a\n")


def test_docstrings_and_future_imports_hold_for_the_module() -> None:
    _, held, _ = ran('"""Doc."""\nfrom __future__ import annotations\n"text"\ndef f(x: Missing): ...\n')
    assert held["f"].__annotations__ == {"x": "Missing"}
    runner = StatementRunner("script.py", lambda _stage: None, SkippedStatements({}), limit=20.0)
    namespace: dict[str, Any] = {}
    runner.run(ast.parse('"""Doc."""\na = 1\n"text"\n'), namespace, lambda _error: False)
    assert namespace["__doc__"] == "Doc."


def test_a_statement_that_ended_the_process_is_left_out() -> None:
    skipped = {statement_key(2, fixed=False): "it took longer than 5 s"}
    text = "a = 1\nwhile True:\n    pass\nb = 2\nprint(c := 3)\n"
    runner, held, _ = ran(text, skipped)
    assert (runner.end and runner.end.reason, set(held)) == ("it took longer than 5 s", {"a", "b"})


def test_a_statement_left_out_before_the_fix_is_left_out_after_it() -> None:
    skipped = SkippedStatements({statement_key(1, fixed=False): "it took longer than 5 s"})
    loop = "while True:\n    pass\n"
    for fixed, text in ((False, loop), (True, f"a = 1\n{loop}")):
        runner = StatementRunner("script.py", lambda _stage: None, skipped, limit=20.0, fixed=fixed)
        runner.run(ast.parse(text), {}, lambda _error: False)
        assert runner.end is not None


def test_after_two_endings_nothing_more_is_called() -> None:
    skipped = {statement_key(row, fixed=False): "it crashed" for row in (1, 2)}
    assert names("f()\na = g()\nb = len('abc')\nc = 3\n", skipped) == (1, {"c"})


def test_a_definition_is_never_left_out() -> None:
    assert names("class A:\n    pass\na = 1\n", {statement_key(1, fixed=False): "it crashed"}) == (None, {"A", "a"})


def test_without_actions_a_module_has_what_it_defines() -> None:
    text = "import os\na = 1\nb = len('abc')\nprint(a)\nclass A:\n    pass\nos.getcwd()\nc = [a]\n"
    assert names(text, {ACTIONS: "it crashed"}) == (3, {"os", "a", "A", "c"})


def test_keys_of_statements() -> None:
    keys = (statement_key(3, fixed=False), statement_key(3, fixed=True), "line x", "lines 3", "line 3 of it", ACTIONS)
    assert [is_statement_key(key) for key in keys] == [True, True, False, False, False, False]
    text = "a = 1\nimport os\n"
    assert [is_import(f"line {k}", text, None) for k in (1, 2, 3)] == [False, True, False]
    assert is_import("line 1 of the fixed module", text, "import os\n")
    assert not is_import("line 1", "print 1", None)


def test_only_what_may_take_long_has_a_limit_of_its_own() -> None:
    _, _, stages = ran("import os\nclass A:\n    pass\na = 1\n")
    assert [(stage.optional, (stage.within or 0) > 10) for stage in stages] == [("line 1", True), ("line 4", False)]
