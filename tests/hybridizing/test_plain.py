"""Ordinary plain blocks and what becomes of them: the text, and MXNet's own word on it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from hybridlint.analysis.interpret import new_project
from hybridlint.hybridizing.draft import draft
from hybridlint.text.source import SourceFile
from tests.hybridizing.cases import CASES
from tests.hybridizing.measure import ANSWERS, digest
from tests.hybridizing.pipeline import PIPELINE

HERE = Path(__file__).parent
#: Blocks that a proof finds to fail once hybridized, until what may be the cause is rewritten.
DOUBTED = {"SpatialAttention"}


@pytest.mark.parametrize("name", CASES)
def test_conversion(name: str) -> None:
    """What the steps and the fix loop write is kept in `converted/`; ``BLESS=1`` writes it anew."""
    source = SourceFile.read(HERE / "plain" / f"{name}.py")
    project = new_project()
    made = draft(project.module(source), project, PIPELINE, doubted=DOUBTED)
    kept = HERE / "converted" / f"{name}.py"
    if os.environ.get("BLESS"):
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(made.after.text, encoding="utf-8")
    assert made.after.text == kept.read_text(encoding="utf-8")
    assert set(made.chosen) == set(CASES[name])


@pytest.mark.parametrize("name", CASES)
def test_mxnet_says_so(name: str) -> None:
    """MXNet ran each block before, and after eagerly and hybridized: `measure.py`."""
    answers = json.loads(ANSWERS.read_text(encoding="utf-8"))[name]
    assert answers["of"] == digest((HERE / "converted" / f"{name}.py").read_text(encoding="utf-8"))
    assert set(answers["blocks"].values()) <= {"agrees"}, answers["blocks"]


def test_what_needs_values_stays() -> None:
    source = SourceFile.read(HERE / "plain" / "by_values.py")
    project = new_project()
    made = draft(project.module(source), project, PIPELINE)
    assert made.after.text == source.text
    assert {name: reason.row for name, reason in made.impossible.items()} == {
        "Sampler": 14, "UntilSmall": 25, "Keyed": 31, "Styled": 43,
    }  # fmt: skip


DEFAULT = """\
from mxnet import nd
from mxnet.gluon import Block


class Gate(Block):
    def forward(self, x):
        return nd.relu(x) * self.squashed(x)

    def squashed(self, x, by=nd.sigmoid):
        return by(nd.mean(x, axis=-1, keepdims=True))
"""


def test_default_values_are_no_part_of_a_trace() -> None:
    """They are computed where the function is defined, and there is no F."""
    source = SourceFile(HERE / "gate.py", DEFAULT)
    project = new_project()
    made = draft(project.module(source), project, PIPELINE)
    assert "def squashed(self, F, x, by=nd.sigmoid):" in made.after.text
