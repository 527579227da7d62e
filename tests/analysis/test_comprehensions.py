"""Comprehensions: what each step makes is known where the steps are known and few."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.analysis.interpret import module_events
from hybridlint.analysis.model.events import Return, Subscript
from hybridlint.analysis.model.values import ContainerValue, StaticValue, Tensor, Value
from hybridlint.text.source import SourceFile

HEAD = "from mxnet.gluon import HybridBlock\n\n\nclass Net(HybridBlock):\n    def hybrid_forward(self, F, x, n):\n"


def _returned(code: str) -> Value:
    events = module_events(SourceFile(Path("net.py"), f"{HEAD}        return {code}\n"))
    return next(event.value for event in events if isinstance(event, Return))


@pytest.mark.parametrize(
    ("code", "items"),
    [
        ("[i - 1 for i in range(3)]", (-1, 0, 1)),
        ("[w * 2 for i, w in enumerate((1, 2))]", (2, 4)),
        ("list(i for i in (0, -1))", (0, -1)),
        ("[[j for j in range(i)] for i in range(2)][1]", (0,)),
        ("[letter for letter in 'ab']", ("a", "b")),
    ],
)
def test_known_steps(code: str, items: tuple[object, ...]) -> None:
    value = _returned(code)
    assert isinstance(value, ContainerValue)
    assert value.items == tuple(StaticValue(item) for item in items)


def test_a_dict_has_its_keys() -> None:
    value = _returned("{i: x * i for i in range(2)}")
    assert isinstance(value, ContainerValue)
    assert value.keys == (0, 1)
    assert all(isinstance(item, Tensor) for item in value.items or ())


@pytest.mark.parametrize("code", ["[i for i in range(99)]", "[i for i in range(3) if i]", "[i for i in range(len(n))]"])
def test_other_steps_are_taken_together(code: str) -> None:
    value = _returned(code)
    assert isinstance(value, ContainerValue)
    assert all(not isinstance(item, StaticValue) or not isinstance(item.value, int) for item in value.items or ())


def test_every_step_is_told() -> None:
    events = module_events(SourceFile(Path("net.py"), f"{HEAD}        return [x[i] for i in (0, 2)]\n"))
    told = [event.key_values for event in events if isinstance(event, Subscript) and event.frame.unrolled]
    assert told == [(StaticValue(0),), (StaticValue(2),)]


def test_names_of_a_comprehension_end_with_it() -> None:
    value = _returned("(lambda i: [i for i in range(2)] + [i])(7)")
    assert isinstance(value, ContainerValue)
    assert value.items == (StaticValue(0), StaticValue(1), StaticValue(7))
