"""Rules that are used where they are selected by their own code or name alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hybridlint.checking.checker import Job, check
from hybridlint.rule import default_rules, find_rule
from hybridlint.settings.config import Config

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


def test_arrays_on_the_current_context_are_named_where_that_is_selected() -> None:
    plain = Config(root=Path())
    assert "HYB518" not in {code for code, _ in _codes(plain, CREATING)}
    assert _codes(replace(plain, select=("default-context",)), CREATING) == [("HYB518", row) for row in (7, 8, 8)]
