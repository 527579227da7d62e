"""Safe fixes repair a statement whole: its operators that may have to broadcast do so too."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import fix_source
from hybridlint.rule import Finding
from hybridlint.text.source import SourceFile

TEXT = """\
from mxnet.gluon import HybridBlock, nn


class Dueling(HybridBlock):
    def __init__(self, actions):
        super().__init__()
        self.value = nn.HybridSequential()
        self.value.add(nn.Dense(8), nn.Dense(1))
        self.advantage = nn.HybridSequential()
        self.advantage.add(nn.Dense(8), nn.Dense(actions))

    def hybrid_forward(self, F, x):
        v, a = self.value(x), self.advantage(x)
        z = a * v
        return v + a - F.mean(a, axis=1, keepdims=True), z
"""


#: The same without what safe fixes leave as it is.
ALONE = TEXT.replace("        z = a * v\n", "").replace(", z\n", "\n")


def _fixed(text: str, *, unsafe: bool) -> str:
    def doubts(source: SourceFile) -> Sequence[Finding]:
        return analyze_file(source, possible=True)

    return fix_source(SourceFile(Path("net.py"), text), analyze_file, unsafe=unsafe, doubts=doubts).source.text


WHOLE = "F.broadcast_sub(F.broadcast_add(v, a), F.mean(a, axis=1, keepdims=True))"


def test_safe_fixes_broadcast_in_the_statements_that_they_change() -> None:
    assert WHOLE in _fixed(ALONE, unsafe=False)


def test_safe_fixes_broadcast_nothing_for_a_block_that_is_left_unfinished() -> None:
    fixed = _fixed(TEXT, unsafe=False)
    assert "F.broadcast_sub(v + a, F.mean(a, axis=1, keepdims=True))" in fixed
    assert "z = a * v" in fixed


def test_unsafe_fixes_broadcast_in_the_whole_class() -> None:
    fixed = _fixed(TEXT, unsafe=True)
    assert WHOLE in fixed
    assert "z = F.broadcast_mul(a, v)" in fixed


ALIKE = """\
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x, y):
        y = F.broadcast_sub(y, y.mean(axis=1, keepdims=True))
        return {}
"""


def test_what_is_derived_alike_does_not_broadcast() -> None:
    for body in ("x.sum(axis=1) / y.sum(axis=1)", "F.reshape(x, (-1, self.n)) * F.reshape(y, (-1, self.m))"):
        assert body in _fixed(ALIKE.format("x.T, " + body), unsafe=True)
