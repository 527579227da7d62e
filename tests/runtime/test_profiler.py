"""Profiles hold operators with their times, and what programs mark, as the real MXNet writes them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import nd, operator, profiler


@pytest.fixture(autouse=True)
def trace_file(tmp_path: Path) -> Iterator[Path]:
    """Run the profiler with a file of its own, and begin with empty statistics."""
    file = tmp_path / "trace.json"
    profiler.set_config(profile_all=True, aggregate_stats=True, filename=str(file))
    profiler.dumps(reset=True)
    profiler.set_state("run")
    yield file
    profiler.set_state("stop")


def _counts() -> dict[str, dict[str, int]]:
    found = json.loads(profiler.dumps(format="json"))
    return {category: {n: one["Count"] for n, one in rows.items()} for category, rows in found["Time"].items()}


def test_operators_are_counted_whether_eager_or_compiled() -> None:
    x = nd.ones((2, 3))
    x.attach_grad()
    with mx.autograd.record():
        y = nd.sqrt(x + 1) * 2
    y.backward()
    layer = mx.gluon.nn.Dense(2, in_units=3)
    layer.initialize(mx.init.One())
    layer.hybridize()
    layer(x)
    found = _counts()["operator"]
    assert {"_plus_scalar", "sqrt", "_mul_scalar", "_backward_sqrt", "FullyConnected"} <= found.keys()
    assert found["sqrt"] == 1


def test_nothing_is_recorded_in_a_pause() -> None:
    profiler.pause()
    nd.exp(nd.ones((2,)))
    profiler.resume()
    nd.sin(nd.ones((2,)))
    found = _counts()["operator"]
    assert "exp" not in found
    assert "sin" in found


def test_what_programs_mark_is_in_categories_of_their_domains() -> None:
    domain = profiler.Domain("work")
    for timed in (domain.new_task("task"), domain.new_frame("frame"), profiler.Event("event")):
        timed.start()
        timed.stop()
    counter = domain.new_counter("counter", 5)
    counter += 2
    counter -= 1
    counter.set_value(10)
    domain.new_marker("marker").mark("process")
    found = json.loads(profiler.dumps(format="json"))["Time"]
    assert _counts() == {
        "event": {"event": 1},
        "work": {"counter": 4, "task": 1},
        "work,frame": {"frame": 1},
        "work,instant_marker": {},
    }
    assert found["work"]["counter"] == {"Count": 4, "Total": 0.01, "Min": 0.005, "Max": 0.01, "Avg": 0.0025}


@operator.register("profiled_add")
class Add(operator.CustomOpProp):
    """Adds one by an operator of its own."""

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> operator.CustomOp:
        return AddOp()


class AddOp(operator.CustomOp):
    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        self.assign(out_data[0], req[0], in_data[0] + 1)

    def backward(  # noqa: PLR0917  (MXNet's own signature)
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        self.assign(in_grad[0], req[0], out_grad[0])


def test_custom_operators_are_told_apart_from_what_they_call() -> None:
    x = nd.ones((2,))
    x.attach_grad()
    with mx.autograd.record():
        y = nd.Custom(x, op_type="profiled_add")
    y.backward()
    assert _counts()["Custom Operator"] == {
        "profiled_add::pure_python": 1,
        "profiled_add::_plus_scalar": 1,
        "_backward_profiled_add::pure_python": 1,
    }


@pytest.mark.parametrize(("order", "shown"), [("total", "Total"), ("min", "Min"), ("count", "Count"), ("avg", "Avg")])
@pytest.mark.parametrize("ascending", [False, True])
def test_statistics_are_in_the_order_asked_for(order: str, shown: str, ascending: bool) -> None:
    for _ in range(3):
        nd.dot(nd.ones((30, 30)), nd.ones((30, 30))).asnumpy()
    found = json.loads(profiler.dumps(format="json", sort_by=order, ascending=ascending))
    values = [one[shown] for one in found["Time"]["operator"].values()]
    assert values == sorted(values, reverse=not ascending)


def test_the_trace_is_written_for_chrome(trace_file: Path) -> None:
    nd.relu(nd.ones((2,)))
    profiler.dump()
    written = json.loads(trace_file.read_text())
    phases = [event["ph"] for event in written["traceEvents"] if event["name"] == "relu"]
    assert written["displayTimeUnit"] == "ms"
    assert phases == ["B", "E"]
    nd.relu(nd.ones((2,)))
    assert _counts()["operator"]["relu"] == 1


def test_the_table_has_a_line_for_each_operator() -> None:
    np.testing.assert_array_equal(nd.ones((2,)).asnumpy(), [1, 1])
    text = profiler.dumps()
    assert "Profile Statistics:" in text
    assert [line.split()[:2] for line in text.splitlines() if line.startswith("_ones")] == [["_ones", "1"]]


def test_wrong_values_are_refused() -> None:
    with pytest.raises(KeyError):
        profiler.set_state("walk")
    with pytest.raises(mx.MXNetError, match="colour"):
        profiler.set_config(colour="red")
    with pytest.raises(AssertionError, match="sort_by"):
        profiler.dumps(sort_by="name")
    with pytest.raises(mx.MXNetError, match="kvstore"):
        profiler.set_state("run", "server")
