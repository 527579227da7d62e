"""Which functions of a file need F if one of them gets it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hybridlint.fixers.evidence.helpers import helpers_in, is_private, takes_last
from hybridlint.text.source import SourceFile
from hybridlint.text.syntax import walk

MIXIN = """
class Centering:
    def centered(self, x):
        return x - x.mean(axis=1, keepdims=True)

class Net(Centering):
    def hybrid_forward(self, F, x):
        return self.centered(x)
"""
OTHER = "\nclass Other:\n    def centered(self, x):\n        return self.centered(x + 1)\n"
OVERRIDING = "\n    def centered(self, x):\n        return 2 * super().centered(x)\n"


def reached(text: str) -> list[int] | None:
    """Return the rows of the functions that need F if the first one of the text gets it."""
    source = SourceFile(Path("net.py"), text)
    first = next(node for node in walk(source.tree) if isinstance(node, ast.FunctionDef) and node.name == "centered")
    found = helpers_in(source).reached(first)
    return None if found is None else sorted(function.lineno for function in found)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        pytest.param("def centered(x): return x\ndef f(F, x): return centered(x)\n", [1], id="function"),
        pytest.param("def centered(x): return x\ndef f(x): return centered(x)\n\ndef g(F, x): return f(x)\n", [1, 2],
                     id="caller without F"),
        pytest.param(MIXIN, [3], id="method of a base"),
        pytest.param(MIXIN + OVERRIDING, [3, 10], id="overriding method"),
        pytest.param(MIXIN + OTHER, [3], id="method of another class"),
        pytest.param(MIXIN + OVERRIDING.replace("(self, x)", "(self, *x)"), None, id="F at another place there"),
        pytest.param(MIXIN + "\nprint(Net().centered(1))\n", None, id="called on another object"),
        pytest.param(MIXIN.replace("    def centered", "    @property\n    def centered"), None, id="property"),
    ],
)  # fmt: skip
def test_functions_reached(text: str, rows: list[int] | None) -> None:
    assert reached(text) == rows


@pytest.mark.parametrize(("head", "last"), [("f(x)", True), ("f(x, *more)", False), ("_f(x)", False)])
def test_public_functions_take_f_last(head: str, *, last: bool) -> None:
    (function,) = ast.parse(f"def {head}: pass").body
    assert isinstance(function, ast.FunctionDef)
    assert takes_last(function) is last
    assert is_private(function) is head.startswith("_")
