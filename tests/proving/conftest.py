"""Proofs of small modules written into a temporary folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from textwrap import dedent

import pytest

from hybridlint.core.proof_outcome import ProofOutcome
from hybridlint.proving.brief.code import code_facts
from hybridlint.proving.brief.construction import construction
from hybridlint.proving.brief.project_texts import ProjectReader, ProjectText
from hybridlint.proving.child import operator_facts
from hybridlint.proving.child.brief import code
from hybridlint.proving.child.brief.construction import Construction
from hybridlint.proving.operator_facts import describe_operators
from hybridlint.proving.prover import prove_file
from hybridlint.proving.read_set import ReadSet
from hybridlint.proving.settings import ProofSettings

HEAD = """\
import os
import random
import time

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn
"""

Prove = Callable[..., dict[str, ProofOutcome]]

#: A block that is right on every device and engine, as part of a module's indented text.
DENSE = """class Net(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(3)

        def hybrid_forward(self, F, x):
            return F.softmax(F.relu(self.dense(x)))
"""


def module(body: str) -> str:
    """Return the text of a module; its own lines start after those of `HEAD`."""
    return HEAD + dedent(body)


@pytest.fixture
def prove(tmp_path: Path) -> Prove:
    """Write a module, prove it, and return the outcomes by class."""
    return partial(proved, tmp_path)


def proved(
    folder: Path, before: str, after: str | None = None, *, name: str = "net.py", **settings: object
) -> dict[str, ProofOutcome]:
    """Write a module into a folder, prove it, and return the outcomes by class."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(module(before))
    # One random input a round, and a third of the time: what three of them show has tests of its own.
    limits = replace(ProofSettings(timeout=60.0, samples=1), **settings)  # type: ignore[arg-type]
    found = prove_file(path, module(before), None if after is None else module(after), limits)
    return {outcome.block: outcome for outcome in found}


def construction_of(path: Path, text: str, module: str = "net", *, neighbours: bool = False) -> Construction:
    """Return how the project builds and calls the blocks of a file with a text."""
    return construction(ProjectText(str(path), text), module, ProjectReader(ReadSet()), neighbours=neighbours)


@pytest.fixture(autouse=True)
def _told_of_operators(request: pytest.FixtureRequest) -> None:
    """Let parts of the child know what a task tells it: of operators, and of the code of the tests."""
    operator_facts.learn(describe_operators())
    reader = ProjectReader(ReadSet())
    text = reader.text(str(request.path))
    assert text is not None
    code.learn(code_facts(text, reader))
