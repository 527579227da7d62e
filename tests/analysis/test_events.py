"""What the interpreter tells: files in ``cases`` mark their lines with the events that stand there, and no others.

``# -> Subscript Concretize.len`` at the end of a line names them. Events that stand on nearly every line (calls and
arithmetic that are fine) are left out.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from hybridlint.analysis.interpret import module_events
from hybridlint.analysis.model import events
from hybridlint.text.source import SourceFile

CASES = sorted((Path(__file__).parent / "cases").glob("*.py"))
MARK = re.compile(r"# -> (.*)$")


def label(event: events.Event) -> str | None:  # noqa: PLR0911
    """Name an event as the marks do; None for what is not marked."""
    match event:
        case events.AttributeRead(name=name):
            return f"AttributeRead.{name}"
        case events.Branch(kind=kind) | events.SideEffect(kind=kind):
            return f"{type(event).__name__}.{kind}"
        case events.Concretize(how=how):
            return f"Concretize.{how}"
        case events.GuardEvent(differs=differs):
            return "GuardEvent.differs" if differs else None
        case events.ScopeEvent(name=name):
            return f"ScopeEvent.{name}"
        case events.Binary(failure=failure) | events.OpCall(failure=failure):
            return None if failure is None else f"{type(event).__name__}.failure"
        case events.Return(inputs=inputs):
            return "Return.input" if inputs else None
        case events.ChildDef(container=container):
            return f"ChildDef.{container or 'attribute'}"
        case (
            events.Subscript()
            | events.TensorStore()
            | events.InPlace()
            | events.ForeignCall()
            | events.TraceConstant()
            | events.AttributeStore()
        ):
            return type(event).__name__
        case _:
            return None


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_marked_lines_and_no_others_tell(path: Path) -> None:
    source = SourceFile.read(path)
    marks = ((row, MARK.search(line)) for row, line in enumerate(source.text.splitlines(), 1))
    expected = {row: set(mark.group(1).split()) for row, mark in marks if mark}
    told: dict[int, set[str]] = defaultdict(set)
    for event in module_events(source):
        name = label(event)
        if name is not None:
            told[event.node.lineno].add(name)  # type: ignore[attr-defined]
    assert dict(told) == expected


def test_a_name_that_holds_the_same_array_is_told_with_an_in_place_change() -> None:
    source = SourceFile(
        Path("net.py"),
        "from mxnet.gluon import HybridBlock\n"
        "class Net(HybridBlock):\n"
        "    def hybrid_forward(self, F, x):\n"
        "        w = x\n"
        "        x += 1\n"
        "        return w * 2\n",
    )
    change = next(e for e in module_events(source) if isinstance(e, events.InPlace))
    assert change.frame.aliases == {"w", "x"}
    assert change.frame.functions == "F"
