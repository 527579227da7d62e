"""Lists that loops fill: made beside other values, reversed, counted, or put to another use."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

UNSAFE = {
    "made beside a state, and reversed": (
        """
        out, h = [], y  # first
        for r in F.reverse(x, axis=0):
            h = F.relu(r * h)
            out.append(h)
        out = out[::-1]
        return F.stack(*out, axis=1)
        """,
        """
        h = y  # first
        def step(r, h):
            h = F.relu(r * h)
            return h, h
        out, h = F.contrib.foreach(step, F.reverse(x, axis=0), h)
        out = F.reverse(out, axis=0)
        return F.swapaxes(out, 0, 1)
        """,
    ),
    "two that are made together": (
        """
        one, two = [], []
        for r in x:
            a = F.relu(r)
            # both
            one.append(a)  # as it is
            two.insert(0, a * 2)  # turned round
        return F.stack(*one), F.stack(*two, axis=1)
        """,
        """
        def step(r, states):
            a = F.relu(r)
            # both
            # as it is
            return [a, a * 2], states  # turned round
        (one, two), _ = F.contrib.foreach(step, x, [])
        two = F.reverse(two, axis=0)
        return one, F.swapaxes(two, 0, 1)
        """,
    ),
    "two that are made one after the other": (
        """
        one, z = [], y * 2
        two = []
        for r in x:
            one.append(F.relu(r))
            two.append(F.exp(r))
        return F.stack(*one) + F.stack(*two) + z
        """,
        """
        z = y * 2
        def step(r, states):
            return [F.relu(r), F.exp(r)], states
        (one, two), _ = F.contrib.foreach(step, x, [])
        return one + two + z
        """,
    ),
    "made beside two others": (
        """
        out, h, k = [], y, x
        for r in x:
            h = F.relu(r * h)
            out.append(h)
        out = list(reversed(out))
        return F.stack(*out) + k
        """,
        """
        h, k = y, x
        def step(r, h):
            h = F.relu(r * h)
            return h, h
        out, h = F.contrib.foreach(step, x, h)
        out = F.reverse(out, axis=0)
        return out + k
        """,
    ),
    "counted": (
        """
        out = []
        for r in x:
            out.append(F.sum(r))
        return F.add_n(*out) / len(out)
        """,
        """
        def step(r, states):
            return F.sum(r), states
        out, _ = F.contrib.foreach(step, x, [])
        return F.mean(out, axis=0)
        """,
    ),
    "an item of it": (
        """
        out = []
        for r in x:
            out.append(r * y)
        return out[-1] * 2
        """,
        """
        def step(r, states):
            return r * y, states
        out, _ = F.contrib.foreach(step, x, [])
        return F.squeeze(F.slice_axis(out, axis=0, begin=-1, end=None), axis=0) * 2
        """,
    ),
    "two of them side by side": (
        """
        there, back = [], []
        for r in x:
            y = F.relu(r * y)
            there.append(y)
            y = y + 1
            back.append(y * 2)
        return F.stack(*there, axis=1), sum(back)
        """,
        """
        there, back = [], []
        for r in x:
            y = F.relu(r * y)
            there.append(y)
            y = y + 1
            back.append(y * 2)
        return F.stack(*there, axis=1), sum(back)
        """,
    ),
    "filled before others of its step": (
        """
        there, back = [], []
        for r in x:
            z = F.relu(r * y)
            there.append(z)
            w = z + 1
            back.append(w * 2)
        return F.stack(*[a * b for a, b in zip(there, back)])
        """,
        """
        def step(r, states):
            z = F.relu(r * y)
            w = z + 1
            return [z, w * 2], states
        (there, back), _ = F.contrib.foreach(step, x, [])
        return F.contrib.foreach(lambda rows, states: (rows[0] * rows[1], states), [there, back], [])[0]
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_combined(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)


LEFT = {
    "reversed by another name": "out = []\nfor r in x:\n    out.append(r)\nback = out[::-1]\nreturn F.stack(*back)",
    "only counted": "out = []\nfor r in x:\n    out.append(r * 2)\nreturn y * len(out)",
    "an item that is not known": "out = []\nfor r in x:\n    out.append(r * 2)\nreturn out[self.k] + y",
    "handed on": "out = []\nfor r in x:\n    out.append(r * 2)\nreturn self.head(out)",
    "not empty": "out, h = [y], y\nfor r in x:\n    out.append(r * h)\nreturn F.stack(*out)",
}


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT.keys())
def test_left_alone(body: str) -> None:
    assert "foreach" not in fixed(body, unsafe=True)


def test_a_list_that_begins_with_a_row() -> None:
    body = """
    state = F.relu(y)
    rows = [state]
    for t in range(1, x.shape[1]):
        state = self.net(x[:, t] + state)
        rows.append(state)
    return F.stack(*rows, axis=1)
    """
    after = """
    state = F.relu(y)
    first_rows = F.expand_dims(state, axis=0)
    def step(row, state):
        state = self.net(row + state)
        return state, state
    rows, state = F.contrib.foreach(
        step, F.swapaxes(F.slice_axis(x, axis=1, begin=1, end=None), 0, 1), state
    )
    rows = F.concat(first_rows, rows, dim=0)
    return F.swapaxes(rows, 0, 1)
    """
    assert "".join(fixed(lines(body), unsafe=True).split()) == "".join(after.split())


@pytest.mark.parametrize("first", ["[0.0]", "[y, x]", "[*y]"])
def test_lists_that_begin_with_anything_else_stay_lists(first: str) -> None:
    body = f"rows = {first}\nfor r in x:\n    rows.append(r * 2)\nreturn F.stack(*rows)"
    assert "foreach" not in fixed(body, unsafe=True)


def test_what_combines_the_rows_may_have_the_name_of_the_list() -> None:
    body = "out = []\nfor r in x:\n    y = y * r\n    out.append(y)\nout = F.relu(F.stack(*out))\nreturn out + out[0]"
    after = fixed(body, unsafe=True)
    assert "out, y = F.contrib.foreach(step, x, y)\nout = F.relu(out)\nreturn" in after


def test_rows_that_are_combined_as_they_are_keep_their_name() -> None:
    body = "out = []\nfor r in x:\n    y = y * r\n    out.append(y)\nout = F.stack(*out)\nreturn out * 2"
    assert "out, y = F.contrib.foreach(step, x, y)\nreturn out * 2" in fixed(body, unsafe=True)
