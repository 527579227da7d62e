"""Which overrides of ``forward`` have each mode of autograd traced anew."""

from __future__ import annotations

import ast

import pytest

from hybridlint.analysis.mxnet.blocks.retracing import retraced_by


def told(body: str, name: str = "forward") -> set[str]:
    (node,) = ast.parse(f"class Net(HybridBlock):\n    def {name}(self, *args):\n        {body}\n").body
    assert isinstance(node, ast.ClassDef)
    return set(retraced_by(node))


@pytest.mark.parametrize("name", ["forward", "__call__"])
def test_the_mode_that_is_compared(name: str) -> None:
    assert told("self._clear_cached_op() if self.mode != autograd.is_training() else None", name) == {"is_training"}


def test_an_imported_name() -> None:
    assert told("if self.mode != is_recording(): self._clear_cached_op()") == {"is_recording"}


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("return self.training if autograd.is_training() else None", "forward"),
        ("self._clear_cached_op()", "forward"),
        ("self._clear_cached_op() if autograd.is_training() else None", "reset"),
    ],
    ids=["keeps the graph", "asks for no mode", "not on the way of a call"],
)
def test_no_mode_is_traced_anew(body: str, name: str) -> None:
    assert told(body, name) == set()
