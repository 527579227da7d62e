"""Steps of recurrent cells, whose first states have no batch size."""

from __future__ import annotations

from pathlib import Path

from hybridlint.analysis.interpret import module_events
from hybridlint.checking.findings import analyze_file
from hybridlint.fixers.evidence.begin_states import is_step
from hybridlint.text.source import SourceFile

TEXT = """\
from mxnet.gluon import HybridBlock, nn, rnn

class Cell({base}):
    def __init__(self, units):
        super().__init__()
        self.near, self.far = nn.HybridSequential(), nn.HybridSequential()
        self.near.add(nn.Dense(8), nn.Dense(1))
        self.far.add(nn.Dense(8), nn.Dense(units))
{more}
    def hybrid_forward(self, F, x, states):
        y = self.near(x) + self.far(states[0])
        return y, [y]
"""
INFO = "    def state_info(self, batch_size=0):\n        return [{'shape': (batch_size, 4)}]\n"


def _file(base: str, more: str = "") -> SourceFile:
    return SourceFile(Path("net.py"), TEXT.format(base=base, more=more))


def _is_step(source: SourceFile) -> bool:
    frames = [event.frame for event in module_events(source)]
    return any(is_step(frame) for frame in frames)


def test_a_class_that_tells_the_shapes_of_its_states() -> None:
    assert _is_step(_file("rnn.HybridRecurrentCell", INFO))
    assert not _is_step(_file("HybridBlock"))


def test_what_may_broadcast_there_is_left_as_it_is() -> None:
    (plain,) = (f for f in analyze_file(_file("HybridBlock"), possible=True) if f.rule.code == "HYB301")
    (step,) = (
        f for f in analyze_file(_file("rnn.HybridRecurrentCell", INFO), possible=True) if f.rule.code == "HYB301"
    )
    assert plain.fix is not None
    assert step.fix is None
