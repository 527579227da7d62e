"""Recorded graphs keep what the steps of recurrent layers have made: gradients are those that compute it again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hybridlint.runtime import autograd, nd, sym
from hybridlint.runtime.compiled.cached_op import CachedOp
from hybridlint.runtime.compiled.engines.jit.llvm import is_installed

CASES: dict[str, dict[str, Any]] = {
    "tanh": {"mode": "rnn_tanh"},
    "relu, two layers": {"mode": "rnn_relu", "num_layers": 2},
    "lstm": {"mode": "lstm", "state_outputs": True},
    "lstm, both ways, two layers": {"mode": "lstm", "bidirectional": True, "num_layers": 2},
    "lstm, projected": {"mode": "lstm", "projection_size": 3, "state_outputs": True},
    "gru, both ways": {"mode": "gru", "bidirectional": True},
    "one step": {"mode": "lstm", "time": 1},
}
ENGINES = [
    "numpy",
    pytest.param("jit", marks=pytest.mark.skipif(not is_installed(), reason="llvmlite is not installed")),
]


@pytest.mark.parametrize("backend", ENGINES)
@pytest.mark.parametrize("name", CASES)
def test_gradients_are_those_of_eager_runs(name: str, backend: str) -> None:
    known = {"num_layers": 1, **CASES[name]}
    time, names = known.pop("time", 4), ["x", "p", "h", *(["c"] if known["mode"] == "lstm" else [])]
    symbol = sym.RNN(*map(sym.var, names), state_size=5, **known)
    made = symbol[0] * 2 if known.get("state_outputs") else symbol * 2
    shapes, _, _ = made.infer_shape(x=(time, 3, 2))
    generator = np.random.default_rng(0)
    drawn = [generator.normal(scale=0.5, size=shape) for shape in shapes]

    def gradients(call: Any) -> list[Any]:
        given = [nd.array(raw) for raw in drawn]
        for array in given:
            array.attach_grad()
        with autograd.record():
            output = call(*given)
        output.backward()
        return [output.asnumpy(), *(array.grad.asnumpy() for array in given)]

    def eager(*given: Any) -> Any:
        outputs = nd.RNN(*given, state_size=5, **known)
        return (outputs[0] if isinstance(outputs, list) else outputs) * 2

    compiled = CachedOp(made, {"static_alloc": True, "backend": backend})
    for found, expected in zip(gradients(compiled), gradients(eager), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    (forward, *_) = (graph.executor for graph in compiled.compiled_graphs())
    assert any(node.op.name == "_hl_rnn_kept" for node in forward.plan.graph.nodes)
