"""State that other code changes although a graph keeps it: each way of `state_ways` is seen, and nothing else is.

`python -m tests.proving.state_ways` asks a real MXNet whether the hybridized block differs after each change.
"""

from __future__ import annotations

import sys
import warnings
from functools import cache
from textwrap import dedent
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.proving.child.changes.array_methods import (
    changing_array_methods,
    copying_array_methods,
    gives_view,
)
from hybridlint.proving.child.changes.mutability import leaves_alone, mutators
from hybridlint.proving.child.changes.outside_changes import outside_changes
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.child.runs.variants import BlockVersion

from .indirect_state_ways import INDIRECT, UNTOUCHED
from .state_ways import CHANGED, HEAD, UNCHANGED, StateWay


@cache
def _imported() -> dict[str, object]:
    """Return what the ways import, in place of MXNet this runtime; their texts need no imports then."""
    namespace: dict[str, object] = {}
    head = HEAD.replace("from mxnet", "from hybridlint.runtime").replace("import mxnet", "import hybridlint.runtime")
    exec(compile(head, "head.py", "exec"), namespace)
    return {name: value for name, value in namespace.items() if not name.startswith("__")}


def _changes(code: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    module = ModuleType("state_of_a_way")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    vars(module).update(_imported())
    exec(compile(code, "state_of_a_way.py", "exec"), vars(module))
    block = vars(module).get("make_0", vars(module)["Net_0"])()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        block.initialize()
    side = BlockVersion("", LoadedModule(mx, module), type(block), code)
    return outside_changes(side, block, lambda: block(mx.nd.ones((2, 2))))


@pytest.mark.parametrize("ways", [CHANGED, INDIRECT], ids=["plain", "indirect"])
def test_what_other_code_changes_is_seen(ways: dict[str, StateWay], monkeypatch: pytest.MonkeyPatch) -> None:
    assert [name for name, way in ways.items() if not _changes(way.code(0), monkeypatch)] == []


@pytest.mark.parametrize("ways", [UNCHANGED, UNTOUCHED], ids=["plain", "indirect"])
def test_what_nothing_changes_is_not_doubted(ways: dict[str, StateWay], monkeypatch: pytest.MonkeyPatch) -> None:
    doubted = {name: _changes(way.code(0), monkeypatch) for name, way in ways.items()}
    assert {name: names for name, names in doubted.items() if names} == {}


@pytest.mark.parametrize(
    ("way", "names"),
    [
        ("list append", ["self.items_0"]),
        ("dict item", ["self.table_0['a']"]),
        ("nested list", ["self.rows_0[1]"]),
        ("object list", ["self.options_0.rates"]),
        ("alias in a tuple", ["self.first_0"]),
        ("list of a child block", ["Child_0.rates_0"]),
        ("global number", ["RATE_0"]),
        ("closure nonlocal", ["rate"]),
        ("default shared by two functions", ["default table of rate_0()"]),
        ("function attribute", ["rate_0.value"]),
    ],
)
def test_state_is_named_as_the_user_knows_it(way: str, names: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert _changes(CHANGED[way].code(0), monkeypatch) == names


def test_what_the_calls_themselves_set_is_no_change_by_other_code(monkeypatch: pytest.MonkeyPatch) -> None:
    code = """
    class Net_0(nn.HybridBlock):
        def forward(self, x):
            self.axes = len(x.shape)
            return super().forward(x)

        def hybrid_forward(self, F, x):
            return F.softmax(x, axis=self.axes - 1)
    """
    assert _changes(dedent(code), monkeypatch) == []


def test_names_that_are_assigned_what_is_made_of_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    code = """
    class Net_0(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.rows_0 = [[1.0], [2.0]]

        def hybrid_forward(self, F, x):
            rows = self.rows_0
            for row in rows:
                rows, row = rows[:1], rows
                rows = [rows for rows in rows]
                x = x * rows[0][0]
            return x

    def change_0(net):
        net.rows_0[0][0] = 3.0
    """
    assert _changes(dedent(code), monkeypatch) == ["self.rows_0[0]", "self.rows_0"]


def test_numpy_says_which_methods_change_an_array_and_which_give_a_view() -> None:
    changing = {"byteswap", "fill", "partition", "put", "resize", "setfield", "setflags", "sort"}
    assert changing_array_methods() - {"itemset"} == changing
    assert {"copy", "astype", "flatten", "sum", "tolist"} <= copying_array_methods()
    assert not {"T", "flat", "ravel", "reshape", "view"} & copying_array_methods()
    views = [function for function in (np.asarray, np.ravel, np.array, np.sort, np.clip) if gives_view(function)]
    assert views == [np.asarray, np.ravel]


def test_methods_that_leave_their_object_alone_are_known_and_all_others_change_it() -> None:
    assert {"extendleft", "popitem", "symmetric_difference_update", "fill", "move_to_end", "subtract"} <= mutators()
    assert not {"index", "get", "items", "union", "most_common", "argmax", "copy", "astype"} & mutators()

    class Values(list):  # type: ignore[type-arg]
        def total(self) -> float:
            return sum(self)

        def push(self, value: float) -> None:
            self.append(value)

    kept = {name for name in ("total", "push", "index", "pop") if leaves_alone(Values(), name)}
    assert kept == {"total", "index"}
    assert leaves_alone("text", "upper")
    assert not leaves_alone(SimpleNamespace(), "__setattr__")
