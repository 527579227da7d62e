"""Texts become values, whichever threads ask."""

from __future__ import annotations

import ast
import gc
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from hybridlint.runtime.core.literals import expression, literal, module


@pytest.mark.parametrize(
    ("text", "value"),
    [("(5, 5)", (5, 5)), (" [1]", [1]), ("-0.5", -0.5), ("True", True), ("'relu'", "relu"), ("None", None)],
)
def test_a_literal_is_its_value(text: str, value: Any) -> None:
    assert literal(text) == value


@pytest.mark.parametrize("text", ["relu", "f(1)", "(1", ""])
def test_what_is_no_literal_is_refused(text: str) -> None:
    with pytest.raises((ValueError, SyntaxError)):
        literal(text)


def test_texts_and_bytes_have_trees() -> None:
    assert ast.unparse(expression(b"a+1")) == "a + 1"
    assert len(module("a = 1\nb = 2").body) == 2


class _Collected:
    """A thing that only the collector frees, and whose end runs Python code, at which threads switch."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        for _ in range(50):
            pass


def test_threads_may_read_literals_while_rubbish_is_collected() -> None:
    def read(_: int) -> set[Any]:
        found = set()
        for _ in range(2000):
            _Collected()
            found.add(literal("(6, (1, 2), -3)"))
        return found

    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(20, 2, 2)
    try:
        with ThreadPoolExecutor(6) as threads:
            assert set().union(*threads.map(read, range(6))) == {(6, (1, 2), -3)}
    finally:
        sys.setswitchinterval(interval)
        gc.set_threshold(*thresholds)
