"""Constructor arguments as expressions: what they make in the module of the class, and what cannot be written."""

from __future__ import annotations

import enum
import functools
import math
import sys
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.recording.child.constructions import RecordedConstructions
from hybridlint.proving.recording.child.expressions import ExpressionWriter, UnwritableError, spell_placeholders
from hybridlint.runtime import gluon, nd
from hybridlint.runtime.gluon import nn

HOME = sys.modules[__name__]


class Colour(enum.IntEnum):
    RED = 1


class Pair(NamedTuple):
    left: int
    right: Any


def function() -> None:
    """A function of a module."""


def _refuse(_block: Any) -> str:
    raise UnwritableError("a block that nobody saw")


def _text(value: Any, home: ModuleType = HOME, *, data: bool = False) -> str:
    return spell_placeholders(ExpressionWriter(mx, _refuse, data=data).write(value), home, mx)


def _again(value: Any, *, data: bool = False) -> Any:
    return LoadedModule(mx, HOME).evaluate(_text(value, data=data))


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, 3, -2.5, math.inf, "it's", b"x", ..., (), (1,), [1, (2, "a")], {1, 2}, frozenset({3}), range(3)),
        *({"a": [None]}, slice(1, None), Pair(1, [2]), np.float32(0.5), np.int64(3), np.dtype("int32"), np.float32),
        *(function, nn.BatchNorm, gluon.rnn.LSTM, len, sum, Colour, gluon.loss.L2Loss),
    ],
)
def test_a_value_is_made_anew(value: Any) -> None:
    assert _again(value) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Colour.RED, "1"),
        (nn.Dense, "nn.Dense"),
        (gluon.loss.L2Loss, "gluon.loss.L2Loss"),
        (gluon.rnn.LSTM, "gluon.rnn.LSTM"),
        (mx.gpu(1), "mx.cpu()"),
        (function, "function"),
        (Pair(1, 2), "Pair(1, 2)"),
        (np.float32(2), "2.0"),
        (mx.init.Zero(), "mx.initializer.create('[\"zero\", {}]')"),
    ],
)
def test_texts(value: Any, text: str) -> None:
    assert _text(value) == text


def test_names_of_other_modules() -> None:
    elsewhere = ModuleType("elsewhere")
    assert _text(function, elsewhere) == f'__import__("{__name__}", fromlist=["_"]).function'
    vars(elsewhere).update(nn="something else", np="too")
    assert _text(nn.Dense, elsewhere) == f'__import__("{nn.Dense.__module__}", fromlist=["_"]).Dense'
    assert _text(np.float32, elsewhere) == '__import__("numpy", fromlist=["_"]).float32'


def test_a_partial_function() -> None:
    made = _again(functools.partial(max, 3, key=abs))
    assert made(-5) == -5


def test_arrays_are_others_of_their_range() -> None:
    made = _again(nd.array([[1.5, 2.5], [1.75, 2.0]]))
    assert (made.shape, made.dtype) == ((2, 2), np.float32)
    assert 1.5 <= made.asnumpy().min() <= made.asnumpy().max() <= 2.5
    whole = _again(np.array([3, 5], "int8"))
    assert (whole.dtype, whole.shape) == (np.int8, (2,))
    assert set(whole) <= {3, 4, 5}


def test_arrays_themselves_where_data_may_be() -> None:
    np.testing.assert_array_equal(_again(np.array([[1.5], [2]]), data=True), [[1.5], [2]])


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (lambda: 0, "the local function <lambda>"),
        ([object()], "a object"),
        (np.array(["a"]), "an array of str32"),
        ("x" * 30_000, "too long"),
    ],
)
def test_what_cannot_be_written_says_what_it_is(value: Any, reason: str) -> None:
    with pytest.raises(UnwritableError) as found:
        _text(value)
    assert str(found.value) == reason


class Outer(nn.HybridBlock):
    def __init__(self, units: int, part: Any = None, **kwargs: Any) -> None:
        kwargs.pop("name", None)
        super().__init__(**kwargs)
        self.part = part if part is not None else nn.Dense(units)


def test_blocks_are_built_as_they_were() -> None:
    seen = RecordedConstructions(mx)
    with seen.installed():
        inner = nn.HybridSequential(prefix="in_")
        inner.add(nn.Dense(3), nn.Dropout(0.5))
        outer = Outer(2, part=inner, name="x", params=None)
        inner.add(nn.Dense(4))
    unseen = Outer(2)
    text = spell_placeholders(seen.expression(outer), HOME, mx)
    built = "(lambda block: block.add(nn.Dense(3), nn.Dropout(0.5)) or block)(nn.HybridSequential(prefix='in_'))"
    assert text == f"Outer(2, part={built}, name='x', params=None)"
    assert repr(LoadedModule(mx, HOME).evaluate(text)).count("Dense") == 1
    with pytest.raises(UnwritableError, match="built before anybody watched"):
        seen.expression(unseen)


def test_nothing_of_the_watch_stays() -> None:
    before = dict(vars(gluon.Block)), nn.Dense.__init__
    with RecordedConstructions(mx).installed():
        assert nn.Dense.__init__ is not before[1]
    assert (dict(vars(gluon.Block)), nn.Dense.__init__) == before
