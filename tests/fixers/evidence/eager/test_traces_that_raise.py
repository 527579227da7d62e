"""Whether a trace that comes to an event raises there, whatever the block is given."""

from __future__ import annotations

import ast

import pytest

from hybridlint.analysis.interpret import module_events
from hybridlint.analysis.model.events import Event
from hybridlint.fixers.evidence.eager.traces_that_raise import raises_at
from tests.fixers.bodies import module


def _at(body: str, text: str, kind: str) -> Event:
    """Return the event of this kind at an expression or statement of a body."""
    events = (event for event in module_events(module(body)) if type(event).__name__ == kind)
    return next(event for event in events if ast.unparse(event.node) == text)


#: Bodies -> the text and the kind of the event.
RAISING = {
    "a size of an argument": ("return y * x.shape[0]", "x.shape", "AttributeRead"),
    "a size of an argument that is bound anew": (
        "n = x.shape[0]\nx = x * 2\nreturn x * x.shape[1] * n",
        "x.shape",
        "AttributeRead",
    ),
    "the data of a tensor": ("return y * F.sum(x).asscalar()", "F.sum(x).asscalar()", "MethodCall"),
    "rows of what an operator gives": ("return [row for row in F.relu(x)]", "F.relu(x)", "Concretize"),
    "a comparison with what an operator gives": (
        "while F.sum(x) > y:\n    x = x * 2\nreturn x",
        "while F.sum(x) > y:\n    x = x * 2",
        "Branch",
    ),
    "an array beside a tensor": ("return F.relu(x) + nd.array([1, 5])", "F.relu(x) + nd.array([1, 5])", "Binary"),
    "a metric": (
        "mx.metric.MAE().update(labels=[F.relu(x)], preds=[y])\nreturn x",
        "mx.metric.MAE().update(labels=[F.relu(x)], preds=[y])",
        "ForeignCall",
    ),
    "no tensor": ("return {'x': x}", "return {'x': x}", "Return"),
}


@pytest.mark.parametrize(("body", "text", "kind"), RAISING.values(), ids=RAISING.keys())
def test_each_trace_raises(body: str, text: str, kind: str) -> None:
    assert raises_at(_at(body, text, kind))


PERHAPS = {
    "rows of an argument, which may be a list": ("return [F.relu(row) for row in x]", "x", "Concretize"),
    "a branch on an argument, which may be a flag": (
        "if y:\n    return x\nreturn F.relu(x)",
        "if y:\n    return x",
        "Branch",
    ),
    "a branch on a number that is counted": (
        "while y > 0:\n    y = y - 1\nreturn F.relu(x)",
        "while y > 0:\n    y = y - 1",
        "Branch",
    ),
    "an array beside an argument, which may be a number": (
        "return nd.array([1, 5]) + y",
        "nd.array([1, 5]) + y",
        "Binary",
    ),
}


@pytest.mark.parametrize(("body", "text", "kind"), PERHAPS.values(), ids=PERHAPS.keys())
def test_some_trace_may_get_past(body: str, text: str, kind: str) -> None:
    assert not raises_at(_at(body, text, kind))
