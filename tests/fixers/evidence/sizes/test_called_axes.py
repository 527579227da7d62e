"""Axes of what layers and operators return."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hybridlint.analysis.interpret import module_events
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from hybridlint.text.source import SourceFile
from tests.fixers.bodies import met, named

HEAD = "from mxnet.gluon import HybridBlock, nn\n\n\n"


def test_a_layer_keeps_the_axes_that_its_rule_keeps() -> None:
    text = (
        f"{HEAD}class Net(HybridBlock):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Dense(12, flatten=False)\n        self.own = Own()\n\n"
        "    def hybrid_forward(self, F, x):\n        b, t, c = x.shape\n"
        "        return self.fc(x).reshape((b, t, 3, -1)) + self.own(x).reshape((b, t, 3, -1))\n"
    )
    source = SourceFile(Path("net.py"), text)
    frame = next(e.frame for e in module_events(source) if isinstance(e.frame.function, ast.FunctionDef))
    axes = SizeInference(frame).axes(named(frame, "self.fc(x)"))
    assert axes is not None
    assert [size.factors for size in axes.sizes] == [("x[0]",), ("x[1]",), ("2", "2", "3")]
    assert SizeInference(frame).axes(named(frame, "self.own(x)")) is None
    guessed = SizeInference(frame, guess=True).axes(named(frame, "self.own(x)"))
    assert guessed is not None
    assert len(guessed.sizes) == 1


LEADING = {
    "of each rank, as of one alone": ("return self.fc(x)", "self.fc(x)", []),
    "of ranks from three on": ("return self.fc(x) * x.shape[2]", "self.fc(x)", [("x[0]",), ("x[1]",)]),
    "of the only rank": ("return self.conv(x)", "self.conv(x)", [("x[0]",), ("2", "2")]),
}


@pytest.mark.parametrize(("body", "text", "sizes"), LEADING.values(), ids=LEADING.keys())
def test_axes_that_a_layer_keeps_in_every_rank(body: str, text: str, sizes: list[tuple[str, ...]]) -> None:
    layers = "self.fc = nn.Dense(3, flatten=False)\n        self.conv = nn.Conv2D(4, 3, padding=1)"
    init = f"    def __init__(self):\n        super().__init__()\n        {layers}\n\n"
    net = f"class Net(HybridBlock):\n{init}    def hybrid_forward(self, F, x):\n        {body}\n"
    frames = [event.frame for event in module_events(SourceFile(Path("net.py"), HEAD + net))]
    frame = next(f for f in frames if isinstance(f.function, ast.FunctionDef) and f.function.name == "hybrid_forward")
    axes = SizeInference(frame).axes(named(frame, text))
    assert axes is not None
    assert [size.factors for size in axes.sizes[: len(sizes)]] == sizes
    assert axes.whole or len(axes.sizes) == len(sizes)


def test_a_function_of_nd_has_the_axes_that_one_of_f_has() -> None:
    frame = met("b, c = x.shape\nb, d = y.shape\nreturn nd.stack(x, y, axis=1) + mx.nd.stack(x, y, axis=1)")
    for text in ("nd.stack(x, y, axis=1)", "mx.nd.stack(x, y, axis=1)"):
        axes = SizeInference(frame).axes(named(frame, text))
        assert axes is not None
        assert [size.factors for size in axes.sizes] == [("x[0]",), ("2",), ("x[1]",)]
