"""Outcomes that follow from those of other classes say which, and leave the reason to its own line."""

from __future__ import annotations

from pathlib import Path

from hybridlint.hybridizing.files import Hybridizing
from hybridlint.text.source import SourceFile
from tests.hybridizing.pipeline import PIPELINE

DECODERS = """\
from mxnet import nd
from mxnet.gluon import Block


class Decoder(Block):
    def forward(self, x):
        raise NotImplementedError


class Plain(Decoder):
    def forward(self, x):
        return nd.exp(x)


class Asking(Decoder):
    def forward(self, x, reader):
        return nd.exp(reader.read(x))
"""


def test_a_base_names_the_heir_that_is_not_proved(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(DECODERS, encoding="utf-8")
    [done] = Hybridizing(PIPELINE).of_files([SourceFile.read(path)], {})
    reasons = {outcome.block: str(outcome.reasons[0]) for outcome in done.outcomes}
    assert reasons["Decoder"] == "`Asking`, derived from it, is not proved (line 5)"
    assert reasons["Plain"] == (
        "its base `Decoder` stays a Block: `Asking`, derived from it, is not proved (line 5) (line 10)"
    )
    assert reasons["Asking"].startswith("the proof cannot run: no inputs were found")
