"""Numbers that are computed from constants and the arguments of the constructor."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from hybridlint.analysis.interpret import module_events
from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.evidence.settings import is_setting, with_settings
from hybridlint.text.source import SourceFile
from tests.fixers.bodies import HEAD, lines, named

NET = """
class Net(HybridBlock):
    def __init__(self, rate=0.5):
        super().__init__()
        self.rate = rate

    def hybrid_forward(self, F, x):
"""


def _frame(*body: str) -> CodeContext:
    """Return the frame of a block that was interpreted to its end."""
    statements = "".join(f"        {line}\n" for line in body)
    source = SourceFile(Path("net.py"), f"{HEAD}{lines(NET)}\n{statements}        return x.asnumpy()\n")
    frame = [event.frame for event in module_events(source)][-1]
    assert isinstance(frame.function, ast.FunctionDef)
    return replace(frame, statement=frame.function.body[0])


@pytest.mark.parametrize(
    ("code", "setting"),
    [
        ("2.5", True),
        ("-self.rate", True),
        ("2 * self.rate + 1", True),
        ("x", False),
        ("x.shape[0]", False),
        ("self.rate * x", False),
        ("unheard_of()", False),
    ],
)
def test_settings(code: str, setting: bool) -> None:
    frame = _frame(f"z = {code}")
    assert is_setting(frame, named(frame, code)) is setting


@pytest.mark.parametrize(
    ("statement", "outer"),
    [
        ("z = drawn()", "drawn()"),
        ("z = 1 + self.rate * drawn()", "1 + self.rate * drawn()"),
        ("z = (drawn() - 0.5 < self.rate) * x", "drawn() - 0.5 < self.rate"),
        ("z = drawn() * x + 1", "drawn()"),
        ("z = F.relu(2 * drawn()) + 1", "2 * drawn()"),
    ],
)
def test_arithmetic_with_settings_beside_a_value(statement: str, outer: str) -> None:
    frame = _frame(statement)
    assert ast.unparse(with_settings(frame, named(frame, "drawn()"))) == outer
