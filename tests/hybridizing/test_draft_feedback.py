"""Drafts that are made again because a proof has shown what the analysis could not know."""

from __future__ import annotations

from pathlib import Path

from hybridlint.hybridizing.files import Converted, Hybridizing
from hybridlint.hybridizing.outcome import ConversionStatus
from hybridlint.text.source import SourceFile
from tests.hybridizing.pipeline import PIPELINE


def _converted(folder: Path, text: str, *, unsafe: bool = False) -> Converted:
    path = folder / "model.py"
    path.write_text(text, encoding="utf-8")
    [done] = Hybridizing(PIPELINE, unsafe=unsafe).of_files([SourceFile.read(path)], {})
    return done


MEMORY = """\
import numpy as np
from mxnet import nd
from mxnet.gluon import Block, nn


class Memory(Block):
    def __init__(self, vocab, units, **kwargs):
        super().__init__(**kwargs)
        self.hops = []
        for hop in range(2):
            self.hops.append(nn.Embedding(vocab, units))
            self.register_child(self.hops[-1], f"hop{hop}")
        self.weights = nd.array(np.ones((5, units), dtype="float32"))

    def forward(self, story):
        # story: (batch, sentence, 5)
        found = 0
        for hop in range(2):
            found = found + (self.hops[hop](story) * self.weights).sum(axis=2)
        return found
"""


def test_operands_that_a_proof_saw_to_be_unequal_broadcast(tmp_path: Path) -> None:
    """Nothing is known of a child that a list gives: only the proof tells that its output has more axes."""
    done = _converted(tmp_path, MEMORY)
    [memory] = done.outcomes
    assert memory.status is ConversionStatus.PROVED, memory
    assert "F.broadcast_mul(self.hops[hop](story), weights).sum(axis=2)" in done.text.after
    assert "found = found + " in done.text.after


ROUTING = """\
from mxnet import nd
from mxnet.gluon import Block


class Routing(Block):
    def __init__(self, batch, capsules, **kwargs):
        super().__init__(**kwargs)
        self.batch = batch
        self.weight = self.params.get("weight", shape=(1, 3, capsules, 4, 2))

    def forward(self, x):
        x = x.expand_dims(2).expand_dims(4)
        x = nd.tile(x, reps=(1, 1, self.weight.shape[2], 1, 1))
        votes = nd.linalg_gemm2(nd.tile(self.weight.data(), reps=(self.batch, 1, 1, 1, 1)), x)
        shares = nd.softmax(nd.zeros((self.batch, 3, 2, 1, 1)), axis=2)
        return (shares * votes).sum(axis=1)
"""


def test_the_operator_is_named_where_inputs_fit_by_chance_too(tmp_path: Path) -> None:
    done = _converted(tmp_path, ROUTING, unsafe=True)
    assert "F.broadcast_mul(shares, votes).sum(axis=1)" in done.text.after, done.outcomes


MIXED = """\
from mxnet import nd
from mxnet.gluon import Block


class Base(Block):
    def start(self, x):
        raise NotImplementedError

    def forward(self, x):
        raise NotImplementedError


class Plain(Base):
    def forward(self, x):
        return nd.exp(x)


class Late(Base):
    def forward(self, x, reader):
        return nd.exp(reader.read(x))
"""


def test_what_was_proved_stays_a_block_with_its_base(tmp_path: Path) -> None:
    """`Late` cannot be run, so its base stays a Block, and `Plain` with it, which was proved before."""
    done = _converted(tmp_path, MIXED)
    outcomes = {outcome.block: outcome for outcome in done.outcomes}
    assert not done.text.changed
    assert outcomes["Late"].status is ConversionStatus.UNPROVED
    assert outcomes["Plain"].status is ConversionStatus.IMPOSSIBLE
    assert str(outcomes["Plain"].reasons[0]).startswith("its base `Base` stays a Block")
