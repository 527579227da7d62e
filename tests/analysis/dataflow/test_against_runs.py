"""Random functions are run: each value that a read sees was bound where the data flow says that it may be."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from hybridlint.analysis.dataflow.function_flow import flow_of

NAMES = ("x", "y", "z")
DEEPEST = 4
FUNCTIONS = 150
RUNS = 12


class RaisedError(Exception):
    """What the functions raise and catch."""


class Ended(BaseException):
    """The budget of a run is spent."""


class Token:
    """A value that knows the row of its binding."""

    def __init__(self, row: int, observe: Callable[[int, int], None]) -> None:
        self.row = row
        self.observe = observe

    def __iadd__(self, other: Token) -> Token:
        self.observe(other.row, self.row)
        return other


class Writer:
    """Writes a function of random statements, one a row, each of which reads or binds one name."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.rows = ["def f(x, y, z):"]

    def write(self, depth: int, *, in_loop: bool) -> None:
        for _ in range(self.random.randint(1, 3)):
            self._statement(depth, in_loop)

    def _row(self, depth: int, text: str) -> None:
        row = len(self.rows) + 1
        self.rows.append("  " * depth + text.format(name=self.random.choice(NAMES), row=row, next=row + 1))

    def _block(self, depth: int, head: str, *, in_loop: bool) -> None:
        self._row(depth, head)
        self.write(depth + 1, in_loop=in_loop)

    def _statement(self, depth: int, in_loop: bool) -> None:
        simple = [
            "{name} = v({row})",
            "read({row}, {name})",
            "read({row}, {name})",
            "{name} += v({row})",
            "may_raise()",
        ]
        simple += ["c() and ({name} := v({row}))", "[read({row}, {name}) for w in it({row})]", "del {name}", "return"]
        leaving = ["break", "continue"] if in_loop else []
        if depth > DEEPEST or self.random.random() < 0.5:
            self._row(depth, self.random.choice([*simple, *simple[:4], *leaving]))
            return
        match self.random.choice(["if", "for", "while", "try", "with", "match"]):
            case "if":
                self._block(depth, "if c():", in_loop=in_loop)
                if self.random.random() < 0.5:
                    self._block(depth, "else:", in_loop=in_loop)
            case "match":
                self._row(depth, "match [v({next}), c()]:")
                self._block(depth + 1, "case [{name}, _] if c():", in_loop=in_loop)
                self._block(depth + 1, "case [_, True]:", in_loop=in_loop)
            case "with":
                self._block(depth, "with suppress({row}) as {name}:", in_loop=in_loop)
            case "try":
                self._block(depth, "try:", in_loop=in_loop)
                handled = self.random.random() < 0.7
                if handled:
                    self._block(depth, "except RaisedError:", in_loop=in_loop)
                    if self.random.random() < 0.4:
                        self._block(depth, "else:", in_loop=in_loop)
                if not handled or self.random.random() < 0.4:
                    self._block(depth, "finally:", in_loop=False)
            case head:
                self._block(depth, "for {name} in it({row}):" if head == "for" else "while c():", in_loop=True)
                if self.random.random() < 0.3:
                    self._block(depth, "else:", in_loop=in_loop)


def observed(text: str, random: Random) -> set[tuple[int, int]]:
    """Return the pairs of rows of a read and of the binding that it saw, in one run of a function."""
    found: set[tuple[int, int]] = set()
    budget = iter(range(60))

    def observe(row: int, bound: int) -> None:
        if next(budget, None) is None:
            raise Ended
        found.add((row, bound))

    def may_raise() -> None:
        if random.random() < 0.5:
            raise RaisedError

    def choose() -> bool:
        if next(budget, None) is None:
            raise Ended
        return random.random() < 0.6

    @contextlib.contextmanager
    def suppress(row: int) -> Iterator[Token]:
        with contextlib.suppress(RaisedError):
            yield Token(row, observe)

    def read(row: int, value: object) -> None:
        if isinstance(value, Token):
            observe(row, value.row)

    given: dict[str, Any] = {
        "c": choose,
        "may_raise": may_raise,
        "suppress": suppress,
        "RaisedError": RaisedError,
        "read": read,
    }
    given["v"] = lambda row: Token(row, observe)
    given["it"] = lambda row: [Token(row, observe) for _ in range(random.randint(0, 2))]
    exec(compile(text, "f", "exec"), given)
    with contextlib.suppress(NameError, RaisedError, Ended):
        given["f"](*(Token(1, observe) for _ in NAMES))
    return found


@pytest.mark.parametrize("batch", range(5))
def test_what_reads_see_is_what_may_reach_them(batch: int) -> None:
    seen = 0
    for seed in range(batch * FUNCTIONS // 5, (batch + 1) * FUNCTIONS // 5):
        random = Random(seed)
        writer = Writer(random)
        writer.write(1, in_loop=False)
        text = "\n".join(writer.rows)
        function = ast.parse(text).body[0]
        assert isinstance(function, ast.FunctionDef)
        flow = flow_of(function)
        expected = {
            (read.lineno, getattr(binding.node, "lineno", 0))
            for name in NAMES
            for read in flow.reads_of(name)
            for binding in flow.reaching(read)
        }
        statements = {s.lineno: s for s in ast.walk(function) if isinstance(s, ast.Assign | ast.AugAssign)}
        for _ in range(RUNS):
            pairs = observed(text, random)
            assert pairs <= expected, (text, pairs - expected)
            for _, bound in pairs:
                for statement in [statements[bound]] if bound in statements else []:
                    target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
                    assert isinstance(target, ast.Name)
                    assert flow.live_after(statement, target.id), (text, bound)
            seen += len(pairs)
    assert seen > 300
