"""Rules that are used where they are selected by their own code or name alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hybridlint.checking.checker import Job, check
from hybridlint.project.settings.config import Config
from hybridlint.rule import default_rules, find_rule

PLAIN = b"""\
from mxnet import nd
from mxnet.gluon import Block


class Net(Block):
    def forward(self, x):
        return nd.relu(x)


class Reads(Block):
    def forward(self, x):
        return x.asnumpy().sum()
"""


CREATING = b"""\
import mxnet as mx
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        a = F.ones((1, 3))
        b = F.arange(3).reshape((1, 3)) + F.zeros((1, 3), ctx=mx.cpu()) + F.full((1, 3), 2)
        return F.broadcast_add(x, b * a) + F.zeros_like(x)
"""


def _codes(config: Config, text: bytes = PLAIN) -> list[tuple[str, int]]:
    result = check(Job(Path("net.py"), text, config))
    return [(found.code, found.location.row) for found in result.diagnostics]


def test_plain_blocks_are_named_where_that_is_selected() -> None:
    assert find_rule("plain-block") not in default_rules()
    plain = Config(root=Path())
    assert _codes(plain) == _codes(replace(plain, select=("HYB8",))) == []
    assert _codes(replace(plain, extend_select=("HYB811",))) == [("HYB811", 5)]
    assert _codes(replace(plain, select=("plain-block",))) == [("HYB811", 5)]


def test_arrays_on_one_device_are_named_where_that_is_selected() -> None:
    plain = Config(root=Path())
    assert "HYB518" not in {code for code, _ in _codes(plain, CREATING)}
    assert _codes(replace(plain, select=("fixed-context",)), CREATING) == [("HYB518", 8)]


def test_a_context_decides_where_it_is_compared_by_whatever_name() -> None:
    body = b"ctx = mx.current_context()\n        y = F.zeros((1, 3), ctx=ctx)\n        if ctx == mx.gpu(1):\n"
    text = (
        CREATING.partition(b"        a = ")[0]
        + b"        "
        + body
        + b"            y = y + 1\n        return F.relu(x) + y\n"
    )
    assert _codes(Config(root=Path()), text) == [("HYB612", 7), ("HYB301", 11)]
