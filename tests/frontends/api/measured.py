"""Blocks that are proved where they are, by the bundled runtime and by the real MXNet 1.9.1, which must say the same.

    PYTHON_WITH_MXNET -m tests.frontends.api.measured

writes `reports.json` anew. Python 3.8.
"""

from __future__ import annotations

import importlib
import json
import linecache
from collections.abc import Iterator
from pathlib import Path
from typing import Any

REPORTS = Path(__file__).with_name("reports.json")


def cases(mx: Any) -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
    """Iterate over names, blocks and the inputs that they are called with."""
    nn, nd = mx.gluon.nn, mx.nd

    class Good(nn.HybridBlock):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.dense, self.norm = nn.Dense(4), nn.BatchNorm()

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return F.relu(self.norm(self.dense(x)))

    class Rows(nn.HybridBlock):  # type: ignore[misc, name-defined]
        def hybrid_forward(self, F: Any, x: Any, y: Any) -> Any:
            first = (x * 2)[0]
            return F.sin(first) + y

    class Shape(nn.HybridBlock):  # type: ignore[misc, name-defined]
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return x.reshape((x.shape[0], -1))

    class Frozen(nn.HybridBlock):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.scale = self.params.get("scale", shape=(1,), init="ones")

        def hybrid_forward(self, F: Any, x: Any, scale: Any) -> Any:
            return F.broadcast_add(x * float(self.scale.data().asnumpy()[0]), F.sum(scale) * 0)

    class Lists(nn.HybridBlock):  # type: ignore[misc, name-defined]
        def hybrid_forward(self, F: Any, x: Any, states: Any, mask: Any = None) -> Any:
            return F.concat(x, *states, dim=1), [state * 2 for state in states]

    class Table(nn.HybridBlock):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(7, 3)

        def hybrid_forward(self, F: Any, tokens: Any) -> Any:
            return self.embedding(tokens).sum(axis=1)

    class Picked(nn.HybridBlock):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.dense = nn.Dense(3, flatten=False)

        def hybrid_forward(self, F: Any, x: Any, places: Any) -> Any:
            return F.npx.pick(F.np.tanh(self.dense(x)), places[:, 0])

    class Forward(nn.HybridBlock):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return x * x.shape[0]

    x = nd.array([[0.25, -0.5, 1.0], [2.0, 0.125, -1.0]])
    yield "good", Good(), (x,)
    yield "rows", Rows(), (nd.ones((1, 3)), nd.ones((1, 3)))
    yield "shape", Shape(), (x,)
    yield "frozen", Frozen(), (x,)
    yield "lists", Lists(), (x, [x, x + 1], None)
    yield "table", Table(), (nd.array([[1, 6, 0], [2, 2, 5]]),)
    yield "sequential", _sequential(nn, Good()), (x,)
    yield "forward", Forward(), (x,)
    yield "plain", nn.Sequential(), (x,)
    yield "no array", Good(), (3,)
    yield "too few", Rows(), (x,)
    with mx.util.np_shape(True), mx.util.np_array(True):
        table = mx.np.array([[0, 1, 2], [2, 1, 0]], dtype="int32")
        yield "numpy mode", Picked(), (mx.np.array([[0.25, -0.5, 1.0], [2.0, 0.125, -1.0]]), table)


def _sequential(nn: Any, block: Any) -> Any:
    found = nn.HybridSequential()
    found.add(nn.Dense(3, activation="tanh"), block)
    return found


def summaries(mx: Any) -> dict[str, Any]:
    """Return what the reports say, without what depends on rounding or on messages of the library."""
    from hybridlint.frontends.api.proof import verify

    found = {}
    for name, block, inputs in cases(mx):
        mx.random.seed(1)
        report = verify(block, *inputs)
        found[name] = {
            "status": report.status.value,
            "reason": report.reason.split(": it fails:")[0].split(" eagerly: ")[0],
            "inputs": report.inputs,
            "call": report.call,
            "runs": report.runs,
            "difference": None if report.difference is None else report.difference.what,
            "operator": None if report.parting is None else report.parting.message,
            "line": None if report.row is None else linecache.getline(__file__, report.row).strip(),
        }
    return found


if __name__ == "__main__":
    REPORTS.write_text(json.dumps(summaries(importlib.import_module("mxnet")), indent=1) + "\n", encoding="utf-8")
