"""The fixers of loops of statements over the rows of tensors."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, fixed_text, lines

UNSAFE = {
    "rows in a list": (
        """
        out = []
        for r in x:
            h = F.relu(r)  # ramp
            out.append(h * 2)  # twice
        return F.stack(*out)
        """,
        """
        def step(r, states):
            h = F.relu(r)  # ramp
            return h * 2, states  # twice
        out, _ = F.contrib.foreach(step, x, [])
        return out
        """,
    ),
    "with a counter": (
        """
        for t, r in enumerate(x):
            y = F.tanh(r) + 0.5 * y / (t + 1)
        return y
        """,
        """
        def step(rows, y):
            r, t = rows
            y = F.tanh(r) + F.broadcast_div(0.5 * y, t + 1)
            return y, y
        _, y = F.contrib.foreach(step, [x, F.contrib.arange_like(x, axis=0)], y)
        return y
        """,
    ),
    "a row that is bound anew": (
        """
        out = []
        for r in x:
            r = F.relu(r)
            out.append(r * 2)
        return F.stack(*out)
        """,
        """
        def step(r, states):
            r = F.relu(r)
            return r * 2, states
        out, _ = F.contrib.foreach(step, x, [])
        return out
        """,
    ),
    "from the last row on": (
        """
        out = []
        for t in reversed(range(x.shape[1])):
            y = F.tanh(x[:, t]) + 0.5 * y
            out.append(y)
        out = out[::-1]
        return F.stack(*out, axis=1)
        """,
        """
        def step(row, y):
            y = F.tanh(row) + 0.5 * y
            return y, y
        out, y = F.contrib.foreach(step, F.reverse(F.swapaxes(x, 0, 1), axis=0), y)
        out = F.reverse(out, axis=0)
        return F.swapaxes(out, 0, 1)
        """,
    ),
    "from the last row on, put in front of all": (
        """
        out = []
        for t in range(x.shape[0] - 1, -1, -1):
            y = x[t] + 0.5 * y
            out.insert(0, y * 2)
        return F.stack(*out)
        """,
        """
        def step(row, y):
            y = row + 0.5 * y
            return y * 2, y
        out, y = F.contrib.foreach(step, F.reverse(x, axis=0), y)
        out = F.reverse(out, axis=0)
        return out
        """,
    ),
    "a sum over the steps, beside a state": (
        """
        total = 0
        for r in x:
            y = self.net(r, y)
            total = total + y * r
        return total, y
        """,
        """
        def step(r, y):
            y = self.net(r, y)
            total_t = y * r
            return total_t, y
        all_total, y = F.contrib.foreach(step, x, y)
        total = F.sum(all_total, axis=0)
        return total, y
        """,
    ),
    "a sum that begins with a number": (
        """
        total = 1.5
        for t in range(x.shape[1]):
            total = F.exp(x[:, t]) + total
        return total
        """,
        """
        def step(row, states):
            total_t = F.exp(row)
            return total_t, states
        all_total, _ = F.contrib.foreach(step, F.swapaxes(x, 0, 1), [])
        total = F.sum(all_total, axis=0) + 1.5
        return total
        """,
    ),
    "states in a list": (
        """
        out = []
        for r in x:
            h, [y] = self.cell(r, [y])
            out.append(h)
        return F.stack(*out)
        """,
        """
        def step(r, y):
            h, [y] = self.cell(r, [y])
            return h, y
        out, y = F.contrib.foreach(step, x, y)
        return out
        """,
    ),
    "comments": (
        """
        out = []  # rows
        # go
        for r in x:  # each
            # first
            h = F.relu(r)

            # then
            out.append(
                h * 2,  # twice
            )
        return F.stack(*out)
        """,
        """
        # rows
        # go
        # each
        # twice
        def step(r, states):
            # first
            h = F.relu(r)

            # then
            return h * 2, states
        out, _ = F.contrib.foreach(step, x, [])
        return out
        """,
    ),
    "lines in brackets": (
        """
        out = []
        for i in range(x.shape[1]):
            h = F.relu(
                x[:, i],  # column
            )
            out.append(h * x[:, i])
        return F.stack(*out, axis=1)
        """,
        """
        def step(row, states):
            h = F.relu(
                row,  # column
            )
            return h * row, states
        out, _ = F.contrib.foreach(step, F.swapaxes(x, 0, 1), [])
        return F.swapaxes(out, 0, 1)
        """,
    ),
    "a tensor from outside that is added": (
        """
        out = []
        h = F.relu(y)
        for r in x:
            h = r + h + y
            out.append(h)
        return F.stack(*out)
        """,
        """
        h = F.relu(y)
        def step(r, states):
            h, y = states
            h = r + h + y
            return h, [h, y]
        out, (h, y) = F.contrib.foreach(step, x, [h, y])
        return out
        """,
    ),
    "rows of several tensors": (
        """
        out = []
        for t in range(x.shape[1]):
            out.append(x[:, t] * y[:, t])
        return F.stack(*out)
        """,
        """
        def step(rows, states):
            x_t, y_t = rows
            return x_t * y_t, states
        out, _ = F.contrib.foreach(step, [F.swapaxes(x, 0, 1), F.swapaxes(y, 0, 1)], [])
        return out
        """,
    ),
    "one loop behind another": (
        """
        out = []
        for r in x:
            out.append(r * 2)
        more = []
        for r in y:
            more.append(r * 3)
        return F.stack(*out) + F.stack(*more)
        """,
        """
        def step(r, states):
            return r * 2, states
        out, _ = F.contrib.foreach(step, x, [])
        def step(r, states):
            return r * 3, states
        more, _ = F.contrib.foreach(step, y, [])
        return out + more
        """,
    ),
    "a state": (
        """
        h = y
        for r in x:
            h = F.tanh(h) * r
        return h
        """,
        """
        h = y
        def step(r, h):
            h = F.tanh(h) * r
            return h, h
        _, h = F.contrib.foreach(step, x, h)
        return h
        """,
    ),
    "several rows and states": (
        """
        h = y
        c = y * 2
        for a, b in zip(x, y):
            h = h * a
            c = c * b
        return h + c
        """,
        """
        h = y
        c = y * 2
        def step(rows, states):
            a, b = rows
            h, c = states
            h = h * a
            c = c * b
            return h, [h, c]
        _, (h, c) = F.contrib.foreach(step, [x, y], [h, c])
        return h + c
        """,
    ),
    "the last one": (
        """
        for r in x:
            h = F.relu(r)
        return h
        """,
        """
        def step(r, states):
            h = F.relu(r)
            return h, states
        all_h, _ = F.contrib.foreach(step, x, [])
        h = F.squeeze(F.slice_axis(all_h, axis=0, begin=-1, end=None), axis=0)
        return h
        """,
    ),
    "a list that is read twice": (
        """
        out = []
        for r in x:
            out.append(r * 2)
        return F.stack(*out) * 2, F.concat(*out, dim=1)
        """,
        """
        def step(r, states):
            return r * 2, states
        out, _ = F.contrib.foreach(step, x, [])
        return out * 2, F.reshape(F.swapaxes(out, 0, 1), shape=(0, -3, -2))
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_unsafe(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)
    assert fixed(before) == lines(before)


UNTOUCHED = {
    "a list that is returned": """
        out = []
        for r in x:
            out.append(r * 2)
        return out
        """,
    "one line": """
        h = y
        for r in x: h = h * r
        return h
        """,
}


@pytest.mark.parametrize("body", UNTOUCHED.values(), ids=UNTOUCHED.keys())
def test_untouched(body: str) -> None:
    assert fixed(body, unsafe=True) == lines(body)


def test_a_number_to_which_each_step_adds_becomes_a_tensor() -> None:
    body = "total = 0.0\nfor r in x:\n    total = total + F.sum(self.net(r))\nreturn total"
    after = """
    total = F.zeros((1,))
    def step(r, total):
        total = total + F.sum(self.net(r))
        return total, total
    _, total = F.contrib.foreach(step, x, total)
    return total
    """
    assert fixed(body, unsafe=True) == lines(after)


@pytest.mark.parametrize("first", ["total = 0.0", "total, count = 0, 0", "total, count = [-1.0, 0]"])
def test_a_number_that_is_not_added_to_stays(first: str) -> None:
    body = f"{first}\nfor r in x:\n    total = total * r + 1\nreturn total"
    assert fixed(body, unsafe=True) == body


def test_steps_that_are_cut_out() -> None:
    body = """
    rows = []
    for t in range(x.shape[1]):
        step = F.squeeze(F.slice_axis(x, axis=1, begin=t, end=t + 1), axis=1)
        y = self.net(step + y)
        rows.append(y)
    return F.stack(*rows, axis=1)
    """
    after = """
    def step_(row, y):
        step = row
        y = self.net(step + y)
        return y, y
    rows, y = F.contrib.foreach(step_, F.swapaxes(x, 0, 1), y)
    return F.swapaxes(rows, 0, 1)
    """
    assert fixed(body, unsafe=True) == lines(after)


CUTS = [
    "F.slice_axis(x, axis=1, begin=t, end=t + 1)",
    "x.slice_axis(1, t, t + 1)",
    "F.slice(x, begin=(None, t), end=(None, t + 1))",
    "x.slice(begin=(None, t, None), end=(None, t + 1, None))",
]


@pytest.mark.parametrize("cut", CUTS)
def test_steps_that_are_cut_out_and_keep_their_axis(cut: str) -> None:
    body = f"""
    for t in range(1, x.shape[1]):
        y = self.net(F.concat({cut}, y, dim=1))
    return y
    """
    after = """
    def step(row, y):
        y = self.net(F.concat(row.expand_dims(1), y, dim=1))
        return y, y
    _, y = F.contrib.foreach(step, F.swapaxes(F.slice_axis(x, axis=1, begin=1, end=None), 0, 1), y)
    return y
    """
    assert fixed(body, unsafe=True) == lines(after)


@pytest.mark.parametrize(
    "cut",
    [
        "F.slice_axis(x, axis=1, begin=t, end=t + 2)",
        "F.slice_axis(x, axis=1, begin=0, end=t + 1)",
        "F.slice_axis(x, axis=2, begin=t, end=t + 1)",
        "F.slice(x, begin=(None, t), end=(None, t + 2))",
        "F.slice(x, begin=(0, t), end=(None, t + 1))",
        "F.slice(x, begin=(t, None), end=(t + 1, None))",
    ],
)
def test_cuts_of_other_parts_keep_no_axis(cut: str) -> None:
    body = f"""
    for t in range(1, x.shape[1]):
        y = self.net(F.concat({cut}, y, dim=1))
    return y
    """
    assert "foreach" not in fixed(body, unsafe=True)


@pytest.mark.parametrize("cut", ["begin=t, end=t + 2), axis=1", "begin=0, end=t + 1), axis=1"])
def test_other_cuts_are_no_steps(cut: str) -> None:
    body = f"""
    rows = []
    for t in range(x.shape[1]):
        y = self.net(F.squeeze(F.slice_axis(x, axis=1, {cut}) + y)
        rows.append(y)
    return F.stack(*rows, axis=1)
    """
    assert "foreach" not in fixed(body, unsafe=True)


def test_no_recurrent_layer_makes_its_states_in_a_step() -> None:
    text = """
from mxnet.gluon import HybridBlock, rnn


class Net(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.words = rnn.GRU(4)

    def hybrid_forward(self, F, x):
        out = []
        for r in x:
            h = self.words(r)
            out.append(h)
        return F.stack(*out)
"""
    assert "foreach" not in fixed_text(text, unsafe=True)


LAYERS = """
import mxnet as mx
from mxnet.gluon import HybridBlock, nn


class Net(HybridBlock):
    def __init__(self, units, layers):
        super().__init__()
        self.units = units
        self.cells = nn.HybridSequential()
        for _ in range(layers):
            self.cells.add(nn.Dense(units))

    def hybrid_forward(self, F, x):
        states = [F.zeros((x.shape[0], self.units)) for _ in self.cells]
        out = []
        for t in range(x.shape[1]):
            h = x[:, t]
            {body}
            out.append(h)
        return F.stack(*out, axis=1), states[-1]
"""
NEW_LIST = """new = []
            for cell, state in zip(self.cells, states):
                h = F.tanh(cell(h) + state)
                new.append(h)
            states = new"""
ITEMS = """for k, cell in enumerate(self.cells):
                h = F.tanh(cell(h) + states[k])
                states[k] = h"""


@pytest.mark.parametrize("body", [NEW_LIST, ITEMS], ids=["a new list", "items"])
def test_a_step_through_layers_with_a_list_of_states(body: str) -> None:
    after = fixed_text(LAYERS.replace("{body}", body), unsafe=True)
    assert "def step(row, states):" in after
    assert "return h, states\n" in after
    assert "out, states = F.contrib.foreach(step, F.swapaxes(x, 0, 1), states)" in after
    assert "hybridize" not in after


def test_states_that_begin_without_tensors_are_no_states_of_foreach() -> None:
    text = LAYERS.replace("{body}", ITEMS).replace(
        "[F.zeros((x.shape[0], self.units)) for _ in self.cells]", "[None] * 2"
    )
    assert "foreach" not in fixed_text(text, unsafe=True)


def test_a_list_that_grows_from_step_to_step_is_no_state_of_foreach() -> None:
    text = LAYERS.replace("{body}", "states.append(h)\n            h = h * states[-1]")
    assert "foreach" not in fixed_text(text, unsafe=True)
