"""The expression that the caller of a function is at."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from hybridlint.runtime.strict.bytecode import evaluated_expression

LINES = {
    "return ask(1) * ask(2).shape": ["ask(1)", "ask(2)", "ask(1) * ask(2).shape"],
    "return ask(ask(1), ask(2))": ["ask(1)", "ask(2)", "ask(ask(1), ask(2))"],
    "return thing.ask(thing.ask(1)).ask(2)": [
        "thing.ask(1)",
        "thing.ask(thing.ask(1))",
        "thing.ask(thing.ask(1)).ask(2)",
    ],
    "return ask(\n        1).ask(\n        ask(2),\n    )": ["ask(1)", "ask(2)", "ask(1).ask(ask(2))"],
    "return [ask(n) for n in (1, 2)], (lambda: ask(3))()": ["ask(n)", "ask(n)", "ask(3)"],
    "return ask(1) if ask(2) else ask(3)": ["ask(2)", "ask(1)"],
    "return ask(1, *[ask(2)], key=ask(3))": ["ask(2)", "ask(3)", "ask(1, *[ask(2)], key=ask(3))"],
    "return thing + ask(1)": ["ask(1)", "thing + ask(1)"],
    "return thing[0] * 2": ["thing[0]", "thing[0] * 2"],
    "return thing.size": ["thing.size"],
}


class Asking:
    """Notes the expression that it is asked in, and gives itself."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def ask(self, *_values: Any, **_others: Any) -> Asking:
        frame = sys._getframe(1)
        node = evaluated_expression(frame.f_code, frame.f_lasti)
        self.seen.append("unknown" if node is None else ast.unparse(node))
        return self

    shape = property(lambda self: self)
    size = property(ask)
    __add__ = __getitem__ = __mul__ = ask


@pytest.mark.parametrize(("line", "expressions"), LINES.items(), ids=[ascii(line) for line in LINES])
def test_the_expression_that_is_evaluated(line: str, expressions: list[str], tmp_path: Path) -> None:
    path = tmp_path / "asked.py"
    path.write_text(f"def run(ask, thing):\n    {line}\n")
    spec = importlib.util.spec_from_file_location("asked", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    asking = Asking()
    module.run(asking.ask, asking)
    assert asking.seen == expressions
