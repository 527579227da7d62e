"""Recurrent layers and cells with their states, as statements."""

from __future__ import annotations

import textwrap

import pytest

from tests.converting.bodies import converted, module_text

_START = """
self.cell = rnn.GRUCell(8, input_size=8)
self.gru = rnn.GRU(8, input_size=8)
self.lstm = rnn.LSTM(8, input_size=8)
self.stack = rnn.HybridSequentialRNNCell()
self.stack.add(rnn.LSTMCell(8, input_size=8))
"""

BODIES = {
    "a layer with states in a list": (
        "h, states = self.gru(x, y)\nreturn h, states",
        "h, state = self.gru(x, y[0])\nstates = [state]\nreturn h, states",
    ),
    "a layer with one state": (
        "h, [s] = self.gru(x, [y])\nreturn h, s",
        "h, s = self.gru(x, y)\nreturn h, s",
    ),
    "a layer whose states are returned at once": (
        "return self.gru(x, y)",
        "output, state = self.gru(x, y[0])\nreturn (output, [state])",
    ),
    "a layer of LSTM with states": ("return self.lstm(x, y)", "return self.lstm(x, tuple(y))"),
    "a cell of one state unrolled": (
        "h, states = self.cell.unroll(3, x, layout='NTC')\nreturn h[-1], states",
        "h, state = unroll(self.cell, x, merge=False)\nstates = [state]\nreturn h[-1], states",
    ),
    "a stack of cells": (
        "h, states = self.stack(x, y)\nh, _ = self.stack.unroll(3, x, states, 'TNC', True)\nreturn h",
        "h, states = self.stack(x, y)\nh, _ = unroll_stack(self.stack, x, states, dim=0)\nreturn h",
    ),
    "first states": (
        "return self.gru(x, self.gru.begin_state(batch_size=4))[0]",
        "output, state = self.gru(x, begin_state(self.gru, 4)[0])\nreturn (output, [state])[0]",
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_states(name: str) -> None:
    before, after = BODIES[name]
    text = converted(module_text(before, _START)).text
    assert text.endswith(f"    def forward(self, x, y):\n{textwrap.indent(after, '        ')}\n")


def test_a_layer_of_one_of_several_kinds() -> None:
    start = "if units:\n    self.rnn = rnn.GRU(8, input_size=8)\nelse:\n    self.rnn = rnn.LSTM(8, input_size=8)"
    text = converted(module_text("x, y = self.rnn(x, y)\nreturn self.rnn(x), y", start)).text
    assert "        x, y = run_recurrent(self.rnn, x, y)\n        return self.rnn(x)[0], y\n" in text


def test_first_states_by_arguments_of_the_caller() -> None:
    module = f"{module_text(start=_START)}\n    def begin_state(self, *args, **kwargs):\n"
    text = converted(f"{module}        return self.gru.begin_state(*args, **kwargs)\n").text
    assert "        return begin_state(self.gru, *args, **kwargs)\n" in text


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("return self.cell.unroll(3, x, valid_length=y)", "`unroll` with lengths"),
        ("return self.gru.begin_state(0)", "`begin_state` without the size of the batch"),
        ("return [self.gru(x, y) for _ in range(3)]", "`self.gru` with states in an expression: assign its results"),
    ],
)
def test_what_is_refused(body: str, reason: str) -> None:
    (problem,) = converted(module_text(body, _START)).problems
    assert problem.reason == reason
