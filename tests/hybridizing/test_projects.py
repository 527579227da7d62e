"""Several files: children and bases first, and classes that stay because of others."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.hybridizing.files import Converted, Hybridizing
from hybridlint.hybridizing.outcome import ConversionStatus
from hybridlint.text.source import SourceFile
from tests.hybridizing.pipeline import PIPELINE

BASE = """\
from mxnet import nd
from mxnet.gluon import Block, nn


class Base(Block):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.dense = nn.Dense(4)

    def forward(self, x):
        return nd.relu(self.dense(x))
"""
HEIR = """\
from mxnet import nd

from .base import Base


class Heir(Base):
    def forward(self, x):
        return nd.exp(super().forward(x))
"""
READING = HEIR.replace("nd.exp(super().forward(x))", "nd.array(sorted(super().forward(x).asnumpy().tolist()))")
USER = """\
from mxnet.gluon import Block

from .heir import Heir


class User(Block):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.heir = Heir()

    def forward(self, x):
        return self.heir(x) + x.sum(axis=1, keepdims=True)
"""


def _done(folder: Path, files: dict[str, str], named: list[str], *, unsafe: bool = False) -> dict[str, Converted]:
    package = folder / "package"
    package.mkdir()
    for name, text in {"__init__": "", **files}.items():
        (package / f"{name}.py").write_text(text, encoding="utf-8")
    sources = [SourceFile.read(package / f"{name}.py") for name in named]
    done = Hybridizing(PIPELINE, unsafe=unsafe).of_files(sources, {})
    return {each.path.stem: each for each in done}


def test_bases_and_children_come_first(tmp_path: Path) -> None:
    """The user is proved together with the new texts of the other files, which are not written yet."""
    done = _done(tmp_path, {"base": BASE, "heir": HEIR, "user": USER}, ["user", "heir", "base"])
    assert [each.outcomes[0].status for each in done.values()] == [ConversionStatus.PROVED] * 3
    assert "return F.exp(super().hybrid_forward(F, x))" in done["heir"].text.after
    assert "class User(HybridBlock):" in done["user"].text.after


def test_a_base_stays_with_its_heir(tmp_path: Path) -> None:
    done = _done(tmp_path, {"base": BASE, "heir": READING}, ["base", "heir"])
    assert not any(each.text.changed for each in done.values())
    [base], [heir] = (done[name].outcomes for name in ("base", "heir"))
    assert "asnumpy" in str(heir.reasons[0])
    assert "`Heir` in heir.py, derived from it, stays a Block" in str(base.reasons[0])


def test_an_heir_in_a_file_that_is_not_named(tmp_path: Path) -> None:
    done = _done(tmp_path, {"base": BASE, "heir": HEIR}, ["base"])
    [base] = done["base"].outcomes
    assert base.status is ConversionStatus.IMPOSSIBLE
    assert str(base.reasons[0]) == "`Heir` in heir.py derives from it: name that file too (line 5)"


def test_a_base_class_that_is_no_block_is_no_obstacle(tmp_path: Path) -> None:
    data = "\n\nclass Rows:\n    pass\n"
    heir = "from .base import Rows\n\n\nclass Few(Rows):\n    pass\n"
    done = _done(tmp_path, {"base": BASE + data, "heir": heir}, ["base"])
    assert [outcome.block for outcome in done["base"].outcomes] == ["Base"]


ASIDE = """\
from mxnet import nd
from mxnet.gluon import Block


class Aside(Block):
    def __init__(self, strict=False, **kwargs):
        super().__init__(**kwargs)
        self.strict = strict

    def forward(self, x):
        if self.strict and x.ndim > 2:
            x = x * 2
        return nd.relu(x)
"""


def test_what_is_left_where_no_input_leads_is_no_proof(tmp_path: Path) -> None:
    done = _done(tmp_path, {"base": ASIDE}, ["base"])
    [base] = done["base"].outcomes
    assert base.status is ConversionStatus.PART, base
    assert not done["base"].text.changed


OF_FILE = """\
from mxnet.gluon import Block


class OfFile(Block):
    def __init__(self, path="missing.txt", **kwargs):
        super().__init__(**kwargs)
        with open(path) as file:
            self.scale = float(file.read())

    def forward(self, x):
        for _ in range(x.shape[0] ** 2):
            x = x * self.scale
        return x
"""


def test_a_part_that_cannot_be_run_is_not_written(tmp_path: Path) -> None:
    """Without a run, nobody knows whether it is the same eagerly."""
    done = _done(tmp_path, {"base": OF_FILE}, ["base"], unsafe=True)
    [outcome] = done["base"].outcomes
    assert outcome.status is ConversionStatus.IMPOSSIBLE
    assert "no run shows that it is the same eagerly" in outcome.reasons[-1].text
    assert not done["base"].text.changed


SIZED = """\
from mxnet import nd
from mxnet.gluon import Block


class Sized(Block):
    def __init__(self, units=4, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.weight = self.params.get("weight", shape=(units, 0), allow_deferred_init=True)

    def forward(self, x):
        {start}
        return nd.dot(x, self.weight.data(), transpose_b=True)
"""


@pytest.mark.parametrize(
    "start", ["self.weight.shape = (self.units, x.shape[1])", "self.weight._finish_deferred_init()"]
)
def test_a_block_that_sizes_its_parameter_in_forward_stays(tmp_path: Path, start: str) -> None:
    done = _done(tmp_path, {"base": SIZED.format(start=start)}, ["base"], unsafe=True)
    [outcome] = done["base"].outcomes
    assert outcome.status is ConversionStatus.IMPOSSIBLE
    assert "a hybrid block has its parameters before" in outcome.reasons[0].text


FAULTY = """\
from mxnet.gluon import HybridBlock


class Merged(HybridBlock):
    def hybrid_forward(self, F, x):
        return x.reshape((x.shape[0], -1))
"""
HOLDING = """\
from mxnet.gluon import Block

from .base import {child}


class Holding(Block):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.child = {child}()

    def forward(self, x):
        return self.child(x) * 2
"""


def test_a_hybrid_child_with_findings_is_named(tmp_path: Path) -> None:
    done = _done(tmp_path, {"base": FAULTY, "user": HOLDING.format(child="Merged")}, ["user"])
    [outcome] = done["user"].outcomes
    assert outcome.status is ConversionStatus.PART
    assert "its child Merged in base.py has findings: " in outcome.reasons[0].text


def test_a_child_that_is_a_block_of_another_file_is_named(tmp_path: Path) -> None:
    done = _done(tmp_path, {"base": BASE, "user": HOLDING.format(child="Base")}, ["user"])
    [outcome] = done["user"].outcomes
    assert outcome.status is ConversionStatus.IMPOSSIBLE
    assert outcome.reasons[0].text.endswith("base.py too, where it is defined")
