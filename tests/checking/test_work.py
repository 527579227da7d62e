"""The work of a check, counted in calls of Python functions, which no clock and no other program changes."""

from __future__ import annotations

import ast
import gc
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from hybridlint.checking import checker
from hybridlint.checking.checker import Job, check
from hybridlint.fixers.arithmetic.python_operators import broadcast
from hybridlint.fixers.evidence.eager import holders
from hybridlint.project.settings.config import Config

#: A block with children of its own file, a helper, a branch and findings of several kinds.
CLASS = """

class Part{n}(HybridBlock):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        with self.name_scope():
            self.body = nn.HybridSequential()
            for _ in range(3):
                self.body.add(nn.Conv2D(units, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"))

    def scaled(self, F, x):
        return x * F.sigmoid(x) if self.units > 8 else x

    def hybrid_forward(self, F, x, y):
        x = self.scaled(F, self.body(x))
        x += 1
        return x.reshape(x.shape[0], -1) + y


class Net{n}(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.first = Part{n}(8)
        self.second = Part{n}(16)

    def hybrid_forward(self, F, x, y):
        return self.second(self.first(x, y), y)
"""
HEAD = "from mxnet.gluon import HybridBlock, nn\n"
#: Two classes whose fixes depend on what holds what.
MODES = b"""
from mxnet import autograd
from mxnet.gluon import HybridBlock, nn


class Noise(HybridBlock):
    def __init__(self):
        super().__init__()
        self.body = nn.Dense(3)

    def hybrid_forward(self, F, x):
        return self.body(x) + 1 if autograd.is_training() else self.body(x)


class Drop(Noise):
    def hybrid_forward(self, F, x):
        return F.Dropout(self.body(x)) if autograd.is_training() else x
"""


def _text(classes: int) -> bytes:
    return (HEAD + "".join(CLASS.format(n=n) for n in range(classes))).encode()


def _calls(classes: int) -> int:
    """Return the number of Python functions that a check of a file calls; what is known of layers is known before."""
    # What other tests have left may be so large that it is forgotten while calls are counted.
    checker._Shared.project = None
    job = Job(Path("net.py"), _text(classes), Config(root=Path()))
    check(job)
    count = 0

    def counted(frame: FrameType, event: str, _: Any) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    # What looks for garbage calls functions of others: weak references to what other tests have left, and hypothesis.
    gc.collect()
    gc.disable()
    sys.setprofile(counted)
    try:
        result = check(Job(Path("net.py"), _text(classes), Config(root=Path())))
    finally:
        sys.setprofile(before)
        gc.enable()
    assert result.failure is None
    assert len(result.diagnostics) >= 3 * classes
    return count


def test_the_work_grows_with_the_file_and_no_faster() -> None:
    """What one finding asks of the whole file is asked once, not for each finding."""
    few, many = _calls(4), _calls(16)
    assert many < 4.4 * few, (few, many)


def test_the_work_for_a_class_is_bounded() -> None:
    """It was 107,000 when this was written, and is 146,000 since operators tell ranks to what they read."""
    assert _calls(4) < 150_000


#: Containers that each hold the one before several times.
NESTED = """from mxnet import nd
from mxnet.gluon import HybridBlock, nn


class Net(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        body = nn.HybridSequential()
        body.add(nn.Dense(3))
{stages}
        self.body = body

    def hybrid_forward(self, F, x):
        return self.body(x)
"""
STAGE = """
        stage{n} = nn.HybridSequential()
        stage{n}.add(body, body, body)
        body = stage{n}
"""


def test_the_work_for_nested_containers_grows_with_their_number_and_no_faster() -> None:
    def asked(count: int) -> int:
        stages = "".join(STAGE.format(n=n) for n in range(count))
        return _calls_of("_by_mode", Job(Path("net.py"), NESTED.format(stages=stages).encode(), Config(root=Path())))

    few, many = asked(4), asked(8)
    assert 0 < many < 3 * few, (few, many)


def test_a_file_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[object] = []
    parse = ast.parse

    def counted(text: Any, *args: Any, **kwargs: Any) -> Any:
        texts.append(text)
        return parse(text, *args, **kwargs)

    monkeypatch.setattr(ast, "parse", counted)
    check(Job(Path("net.py"), _text(2), Config(root=Path())))
    whole = [text for text in texts if isinstance(text, str) and text.startswith(HEAD)]
    assert len(whole) == len(set(whole))


def test_fixes_of_possible_findings_are_made_when_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        HEAD.encode()
        + b"""

class Net(HybridBlock):
    def hybrid_forward(self, F, x, y):
        return x * y.sum(axis=1)
"""
    )
    made: list[object] = []

    def counted(event: Any) -> Any:
        made.append(event)
        return broadcast(event)

    monkeypatch.setattr("hybridlint.rules.unequal_shapes.broadcast", counted)
    assert not check(Job(Path("net.py"), text, Config(root=Path()))).diagnostics
    assert not made
    (shown,) = check(Job(Path("net.py"), text, Config(root=Path(), possible=True))).diagnostics
    assert shown.severity == "possible"
    assert made


def test_the_classes_of_a_file_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[object] = []
    init = holders.Holders.__init__

    def counted(self: holders.Holders, source: Any) -> None:
        read.append(source.text)
        init(self, source)

    monkeypatch.setattr(holders.Holders, "__init__", counted)
    check(Job(Path("net.py"), MODES, Config(root=Path())))
    assert len(read) == len(set(read)) > 0


#: A package of two networks with one backbone.
BACKBONE = """
from mxnet.gluon import HybridBlock, nn


def stage(units, count):
    body = nn.HybridSequential()
    for _ in range(count):
        body.add(nn.Conv2D(units, 3, padding=1), nn.BatchNorm())
    return body


class Backbone(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.stages = nn.HybridSequential()
        for units in (8, 16, 32, 64, 128, 256):
            self.stages.add(stage(units, 3))

    def hybrid_forward(self, F, x):
        for stage in self.stages:
            x = F.relu(stage(x))
        return F.broadcast_mul(x, F.sigmoid(x)) + F.mean(x, axis=1, keepdims=True)
"""
HEADED = """
from mxnet.gluon import HybridBlock, nn

from backbone import Backbone


class Net(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.backbone = Backbone()

    def hybrid_forward(self, F, x):
        return self.backbone(x)
"""


def test_a_block_of_another_file_is_built_and_called_once_for_all_files(tmp_path: Path) -> None:
    (tmp_path / "backbone.py").write_text(BACKBONE)

    def evaluated(name: str) -> int:
        return _calls_of("evaluate", Job(tmp_path / name, HEADED.encode(), Config(root=tmp_path)))

    first, second = evaluated("one.py"), evaluated("two.py")
    assert second < 0.1 * first, (first, second)


def _calls_of(name: str, job: Job) -> int:
    """Return how often a check calls functions of this name."""
    count = 0

    def counted(frame: FrameType, event: str, _: Any) -> None:
        nonlocal count
        count += event == "call" and frame.f_code.co_name == name

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        assert check(job).failure is None
    finally:
        sys.setprofile(before)
    return count
