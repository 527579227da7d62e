"""Ask the real MXNet 1.9.1 how it writes loops and branches, and what the graphs give; keep the answers beside this.

    PYTHON_WITH_MXNET tests/goldens/loops.py

This file runs in both interpreters, so it stays within Python 3.8.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ANSWERS = Path(__file__).parent / "loops.json"


def _every(mx: Any, body: Any, data: Any, states: Any) -> Any:
    outputs, after = mx.sym.contrib.foreach(body, data, states)
    return mx.sym.Group([*_flat(outputs, mx), *_flat(after, mx)])


def _repeated(mx: Any, condition: Any, step: Any, *variables: Any) -> Any:
    outputs, after = mx.sym.contrib.while_loop(condition, step, variables, max_iterations=4)
    return mx.sym.Group([*_flat(outputs, mx), *_flat(after, mx)])


def _flat(value: Any, mx: Any) -> list[Any]:
    return [value] if isinstance(value, mx.sym.Symbol) else [s for part in value for s in _flat(part, mx)]


def graphs(mx: Any) -> dict[str, Any]:
    """Return graphs by name, over variables x (4, 3), s (3,), w (3,), i (1,) and what layers make of their own."""
    f = mx.sym
    x, s, w, i = (f.var(name) for name in "xswi")
    parts = f.split(x, num_outputs=2, axis=0)

    def nested(row: Any, state: Any) -> Any:
        inner, _ = f.contrib.foreach(lambda d, t: (d * t, t + d), f.expand_dims(row, 1), i)
        return inner, state + row

    return {
        "accumulate": _every(mx, lambda d, t: (f.broadcast_add(w, d * 2) + t, t + d), x, s),
        "passed on": _every(mx, lambda d, t: (d[0] + d[1] + t[0], [t[1], t[0]]), [parts[0], parts[1]], [s, w]),
        "around": _every(mx, lambda d, t: (f.broadcast_mul(w, d), t + d), f.sin(x), f.exp(s)),
        "layer": _every(mx, lambda d, t: (f.FullyConnected(f.expand_dims(d, 0), num_hidden=2, name="fc"), t + 1), x, s),
        "nested": _every(mx, nested, x, s),
        "doubling": _repeated(mx, lambda k, y: f.exp(i) * 9 > k, lambda k, y: (y, [k + i, y * 2]), i, s),
        "swapped": _repeated(mx, lambda k, y: y.sum() < 9, lambda k, y: ([k, y], [y + 1, k]), s, w),
        "branch": f.Group(f.contrib.cond(s.sum() < w.sum(), lambda: [s * w, f.exp(s)], lambda: [s - w, f.exp(w)])),
        "branch on a variable": f.contrib.cond(i, lambda: i * 2, lambda: s + 1),
    }


def exported(mx: Any) -> Any:
    """Return a hybridized block around a loop, not initialized; its input is (4, 2, 3)."""

    class Net(mx.gluon.HybridBlock):  # type: ignore
        def __init__(self) -> None:
            super().__init__(prefix="net_")
            with self.name_scope():
                self.step = mx.gluon.nn.Dense(3, in_units=3)

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            outputs, state = F.contrib.foreach(lambda d, t: (self.step(d) + t, t + d), x, F.zeros((2, 3)))
            return F.contrib.cond(state.sum() > 0, lambda: outputs, lambda: -outputs)

    net = Net()
    net.hybridize()
    return net


SHAPES = {"x": (4, 3), "s": (3,), "w": (3,), "i": (1,), "fc_weight": (2, 3), "fc_bias": (2,)}


def values_for(mx: Any, name: str, shape: Any) -> Any:
    """Return fixed values for a variable."""
    count = 1
    for size in shape:
        count *= size
    return (mx.nd.arange(count).reshape(shape) * 0.25 + len(name) * 0.1) / (1 + ord(name[0]) % 3)


def run(mx: Any, graph: Any) -> list[Any]:
    """Return the outputs of a graph as lists."""
    arguments = {name: values_for(mx, name, SHAPES[name]) for name in graph.list_arguments()}
    return [output.asnumpy().tolist() for output in graph.bind(mx.cpu(), arguments, grad_req="null").forward()]


def differentiated(mx: Any, graph: Any) -> list[Any] | None:
    """Return the gradients of a graph's variables as lists; None where MXNet finds no storage types for them."""
    arguments = {name: values_for(mx, name, SHAPES[name]) for name in graph.list_arguments()}
    gradients = {name: mx.nd.zeros(SHAPES[name]) for name in arguments}
    try:
        bound = graph.bind(mx.cpu(), arguments, gradients)
        outputs = bound.forward(is_train=True)
        bound.backward([mx.nd.ones(output.shape) for output in outputs])
        return [array.asnumpy().tolist() for array in gradients.values()]
    except mx.MXNetError:
        return None


def counted(text: str) -> str:
    """Return symbol JSON with the numbers of subgraphs left out: they count what a process traced before."""
    return re.sub(r'("__subgraph_name__": "[^"]*")', lambda found: re.sub(r"\d+", "", found[0]), text)


def main() -> None:
    """Write the answers file anew."""
    import mxnet as mx  # type: ignore

    with mx.name.NameManager():
        made = graphs(mx)
    answers = {
        name: {"json": graph.tojson(), "values": run(mx, graph), "gradients": differentiated(mx, graph)}
        for name, graph in made.items()
    }
    with mx.name.NameManager():
        net = exported(mx)
        net.initialize(mx.init.One())
        data = values_for(mx, "data", (4, 2, 3))
        output = net(data)
        answers["exported"] = {"json": net._cached_graph[1].tojson(), "values": [output.asnumpy().tolist()]}
    ANSWERS.write_text(json.dumps(answers, indent=1) + "\n")


if __name__ == "__main__":
    main()
