"""Objects that a block holds: the code of the block that asks one for what its methods change is named."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hybridlint.analysis.interpret import module_events
from hybridlint.analysis.model.events import SideEffect
from hybridlint.fixers.evidence.held_objects import asked_of_object
from hybridlint.text.source import SourceFile

NET = """
from mxnet.gluon import HybridBlock

class Ramp:
    def __init__(self):
        self.t = 0

    @property
    def value(self):
        return self._part() * 2

    def _part(self):
        return self.t / 10

    def fixed(self):
        return 3

    def step(self):
        self.t += 1

    def moved(self):
        self._move()
        return self.t

    def _move(self):
        self.t += 1

    def __call__(self):
        self.t += 1
        return self.t

class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.ramp, self.other, self.n = Ramp(), Ramp(), 0

    def hybrid_forward(self, F, x):
        BODY
"""


def asked(body: str) -> list[str | None]:
    """Return the places that are named for each change of state in a method of a block that holds two objects."""
    source = SourceFile(Path("net.py"), NET.replace("BODY", body))
    events = [event for event in module_events(source) if isinstance(event, SideEffect)]
    return [None if (place := asked_of_object(event)) is None else ast.unparse(place) for event in events]


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ("self.ramp.step(); return x * self.ramp.value", "self.ramp.value"),
        ("return x * self.ramp.moved()", "self.ramp.moved()"),
        ("return x * self.ramp()", "self.ramp()"),
        ("ramp = self.ramp; ramp.step(); return x * ramp.value", "ramp.value"),
    ],
)
def test_the_read_of_what_a_method_changes(body: str, place: str) -> None:
    assert asked(body) == [place]


@pytest.mark.parametrize(
    "body",
    [
        "self.ramp.step(); return x * self.ramp.fixed()",
        "self.ramp.step(); return x * self.other.value",
        "self.n += 1; return x * self.n",
    ],
)
def test_nothing_where_no_other_object_is_asked_for_it(body: str) -> None:
    assert asked(body) == [None]
