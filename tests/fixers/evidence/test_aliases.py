"""Aliases: whether an in-place change of a name shows under others too."""

from __future__ import annotations

import pytest

from hybridlint.fixers.evidence.aliases import changes_array, decides_alias, may_be_aliased, part_changes
from tests.fixers.bodies import fixed, fixed_text, lines, met, named

ALIASED = {
    "one of two, by a condition": "a = x * 2\nb = a if self.training else y\na += y\nreturn b",
    "in some runs": "a = x * 2\nif self.training:\n    b = a\na += y\nreturn a",
    "in a list": "a = x * 2\nb = [a]\na += y\nreturn b[0]",
    "in a list of the block": "a = x * 2\nself.kept.append(a)\na += y\nreturn a",
    "as a view": "a = x * 2\nb = a.reshape((-1,))\na += y\nreturn b",
    "on the device that it has": "a = x * 2\nb = a.as_in_context(mx.cpu())\na += y\nreturn b",
    "as a view of a view": "a = x * 2\nb = a.reshape((-1,)).detach()\na += y\nreturn b",
    "as a view by an argument": "a = x * 2\nb = a.flatten(inplace=True)\na += y\nreturn b",
    "bound anew beside another name of it": "a = x * 2\nb = a\nif self.on:\n    b = y * 2\na += y\nreturn a + b",
    "kept in each round before the change": (
        "for k in range(3):\n    a = F.relu(x)\n    kept.append(a)\n    a += y\nreturn kept[0]"
    ),
    "kept by an earlier round of an inner loop": (
        "a = F.relu(x)\nfor k in range(3):\n    a += y\n    kept.append(a)\nreturn kept[0]"
    ),
    "as a default": "a = x * 2\nb = lambda c=a: c\na += y\nreturn a",
}
OWN = {
    "alone": "a = x * 2\na += y\nreturn a",
    "under two names, which is known": "a = x * 2\nb = a\na += y\nreturn b",
    "as a copy": "a = x * 2\nb = a.copy()\na += y\nreturn b",
    "reshaped by an operator": "a = x * 2\nb = F.reshape(a, shape=(-1,))\na += y\nreturn b",
    "among arguments of an operator": "a = x * 2\nb = F.relu(a)\na += y\nreturn b",
    "bound in one branch and changed in the other": (
        "if self.on:\n    a = x * 2\nelse:\n    a = y * 2\n    a += y\nreturn a"
    ),
    "an argument, which the user of the file passes": "a = x\na += y\nreturn a",
}


@pytest.mark.parametrize("body", ALIASED.values(), ids=ALIASED.keys())
def test_arrays_that_others_may_hold(body: str) -> None:
    assert may_be_aliased(met(body), "a")


@pytest.mark.parametrize("body", OWN.values(), ids=OWN.keys())
def test_arrays_whose_names_are_known(body: str) -> None:
    assert not may_be_aliased(met(body), "a")


def test_an_in_place_change_of_an_alias_rebinds_all_names() -> None:
    before = """
        a = x * 2
        b = a
        a += 1
        return a + b
        """
    after = """
        a = x * 2
        b = a
        a = b = a + 1
        return a + b
        """
    assert fixed(before) == lines(after)


def test_an_array_of_this_round_is_not_that_of_an_earlier_one() -> None:
    before = """
        top, kept = y, []
        for k in range(self.rounds):
            a = F.relu(x)
            a += 1
            top = a
            kept.append(a)
        return top
        """
    assert fixed(before) == lines(before).replace("a += 1", "a = a + 1")


def test_an_in_place_change_that_others_may_see_is_left() -> None:
    body = "a = x * 2\nb = [a]\na += 1\nreturn F.stack(*b)"
    assert fixed(body) == body


@pytest.mark.parametrize(
    ("body", "changes"),
    [
        ("a = nd.ones((2,))\na[0] = 1\nreturn x + a", True),
        ("a = nd.ones((2,))\nb = a\nb[0] = 1\nreturn x + a", True),
        ("a = nd.ones((2,))\nb = a[0]\nreturn x + a", True),
        ("a = nd.ones((2,))\nreturn x + a", False),
    ],
)
def test_arrays_that_the_function_may_change(body: str, changes: bool) -> None:
    assert changes_array(met(body), "a") is changes


@pytest.mark.parametrize(
    ("last", "decides"), [("b += y\nreturn a", True), ("b[:] = y\nreturn a", True), ("b = b + y\nreturn a", False)]
)
def test_statements_that_decide_which_array_is_changed_later(last: str, decides: bool) -> None:
    frame = met(f"a = x * 2\nb = a\n{last}", "b = a")
    assert decides_alias(frame) is decides


@pytest.mark.parametrize(
    ("last", "changes"), [("b += y\nreturn a", True), ("a += y\nreturn b", True), ("return a + b", False)]
)
def test_views_whose_changes_show(last: str, changes: bool) -> None:
    frame = met(f"a = x * 2\nb = a.reshape((-1,))\n{last}", "b = a.reshape((-1,))")
    assert part_changes(frame, named(frame, "a.reshape((-1,))")) is changes


#: A block that another one of the file calls, which may read what it passed afterwards.
CALLED = """\
from mxnet.gluon import HybridBlock


class Layer(HybridBlock):
    def hybrid_forward(self, F, x):
        {body}


class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.layer = Layer()

    def hybrid_forward(self, F, x):
        x = F.exp(x)
        return self.layer(x) * x
"""


@pytest.mark.parametrize("bound", ["x = x + F.exp(x)", "x = F.relu(x)", "x = x.exp()", "x = x * 2\n        x += 1"])
def test_an_argument_that_was_bound_to_a_new_array_is_the_functions_own(bound: str) -> None:
    done = fixed_text(CALLED.format(body=f"{bound}\n        x -= 2\n        return x"))
    assert "x = x - 2" in done
    assert "+=" not in done


@pytest.mark.parametrize(
    "bound",
    [
        "y = F.exp(x)",
        "x = x.reshape((0, -1))",
        "x = F.exp(x) if self.on else x",
        "if self.on:\n            x = F.exp(x)",
        "x = F.exp(x, out=x)",
    ],
)
def test_an_argument_that_may_be_the_callers_array_is_left(bound: str) -> None:
    assert "x -= 2" in fixed_text(CALLED.format(body=f"{bound}\n        x -= 2\n        return x"))
