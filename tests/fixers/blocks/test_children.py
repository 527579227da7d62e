"""The fixers of children that a list holds: a HybridSequential in its place."""

from __future__ import annotations

import textwrap

import pytest

from tests.fixers.bodies import fixed_text, lines

HEAD = """
from mxnet.gluon import HybridBlock, nn


class Net(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
""".lstrip()
USE = """

    def hybrid_forward(self, F, x):
        for layer in self.layers:
            x = layer(x)
        return x
"""


def fixed(body: str, use: str = USE) -> str:
    """Return the end of the block's `__init__` after all fixes."""
    text = fixed_text(f"{HEAD}{textwrap.indent(lines(body), ' ' * 8)}{use}", unsafe=True)
    return textwrap.dedent(text.removeprefix(HEAD).removesuffix(use)).strip("\n")


UNSAFE = {
    "two lists that grow": (
        """
        self.layers, self.heads = [], []  # stages
        for _ in range(3):
            self.layers.append(nn.Dense(4))
            self.heads.append(nn.Dense(2))
        """,
        """
        self.layers, self.heads = nn.HybridSequential(), nn.HybridSequential()  # stages
        for _ in range(3):
            self.layers.add(nn.Dense(4))
            self.heads.add(nn.Dense(2))
        """,
    ),
    "a list": (
        "self.layers = [nn.Dense(4), nn.Dense(2)]",
        "self.layers = nn.HybridSequential()\nself.layers.add(nn.Dense(4), nn.Dense(2))",
    ),
    "a list with comments": (
        """
        self.layers = [
            nn.Dense(4),  # wide
            # then
            nn.Dense(2),
        ]  # two
        """,
        """
        self.layers = nn.HybridSequential()
        self.layers.add(
            nn.Dense(4),  # wide
            # then
            nn.Dense(2),
        )  # two
        """,
    ),
    "a list that ends with a comment": (
        """
        self.layers = [
            nn.Dense(4),
            nn.Dense(2)  # last
        ]
        """,
        """
        self.layers = nn.HybridSequential()
        self.layers.add(
            nn.Dense(4),
            nn.Dense(2)  # last
        )
        """,
    ),
    "a comprehension": (
        """
        self.layers = [
            nn.Dense(size)  # one each
            for size in (4, 2)
        ]
        """,
        """
        self.layers = nn.HybridSequential()
        self.layers.add(*[
            nn.Dense(size)  # one each
            for size in (4, 2)
        ])
        """,
    ),
    "a list that grows": (
        """
        self.layers = []
        for size in (4, 2):
            self.layers.append(nn.Dense(size))  # one each
        """,
        """
        self.layers = nn.HybridSequential()
        for size in (4, 2):
            self.layers.add(nn.Dense(size))  # one each
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_unsafe(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


def test_what_shares_its_line_stays() -> None:
    body = "self.layers = []; self.size = 4\nself.layers.append(nn.Dense(4))"
    assert fixed(body) == body


def test_slices_are_for_lists() -> None:
    body = "self.layers = [nn.Dense(4)]"
    assert fixed(body, USE.replace("return x", "return x + self.layers[1:][0](x)")) == body


TASKS = """

    def hybrid_forward(self, F, x):
        return [self.heads[name](x) for name in sorted(self.heads)]
"""
REGISTERED = """\
for child in self.heads.values():
    self.register_child(child)
"""
DICTS = {
    "a display": 'self.heads = {"a": nn.Dense(2), "b": nn.Dense(3)}  # tasks\n',
    "a comprehension": "self.heads = {name: nn.Dense(2) for name in ('a', 'b')}\n",
    "one that grows": "self.heads = {}\nfor name in ('a', 'b'):\n    self.heads[name] = nn.Dense(2)\n",
}


@pytest.mark.parametrize("body", DICTS.values(), ids=DICTS.keys())
def test_the_blocks_of_a_dict_are_registered(body: str) -> None:
    assert fixed(body, TASKS) == f"{body}{REGISTERED}".strip("\n")


def test_a_dict_in_a_scope() -> None:
    body = 'with self.name_scope():\n    self.heads = {"a": nn.Dense(2)}\n'
    assert fixed(body, TASKS) == (body + textwrap.indent(REGISTERED, "    ")).strip("\n")


LEFT_ALONE = {
    "bound by another method": TASKS + "\n    def reset(self):\n        self.heads = {}\n",
    "initialized by the class": TASKS
    + "\n    def initialize(self, *args):\n        super().initialize(*args)\n"
    + "        for head in self.heads.values():\n            head.initialize(*args)\n",
}


@pytest.mark.parametrize("use", LEFT_ALONE.values(), ids=LEFT_ALONE.keys())
def test_a_dict_that_the_class_looks_after(use: str) -> None:
    body = 'self.heads = {"a": nn.Dense(2)}'
    assert fixed(body, use) == body
