"""The watch leaves the program as it is: what fails goes on failing, and what it cannot note is no failure."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

import hybridlint.runtime as mx
from hybridlint.proving.recording.child.arrays import Arrays
from hybridlint.proving.recording.child.run_record import RunRecord
from hybridlint.proving.recording.child.watch import Watcher
from hybridlint.runtime import nd
from hybridlint.runtime.gluon import nn

HERE = Path(__file__)


class Equal(nn.HybridBlock):
    """Blocks that are compared by what they are made of, and have no hash."""

    def __init__(self, units: int) -> None:
        super().__init__()
        self.units = units

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equal) and self.units == other.units

    __hash__ = None  # type: ignore[assignment]

    def hybrid_forward(self, F: Any, x: Any, *more: Any) -> Any:
        if self.units < 0:
            raise ValueError("a block that fails")
        return x * self.units


def _watched(*units: int) -> tuple[Watcher, list[Equal]]:
    watcher = Watcher(mx, str(HERE.parent), RunRecord())
    with watcher.installed():
        blocks = [Equal(number) for number in units]
        for block in blocks:
            block(nd.ones((2, 3)), nd.ones((1,)))
    return watcher, blocks


def test_blocks_without_a_hash() -> None:
    watcher, _ = _watched(1, 2)
    built = watcher.book.blocks["test_watching.py:Equal"]["built"]
    assert [place["args"] for place in built] == [["1"], ["2"]]
    assert list(built[0]["calls"][0]["inputs"]) == ["x", "input 1"]
    assert watcher.problem is None


def test_a_copy_says_that_it_is_one() -> None:
    watcher, (block,) = _watched(1)
    with watcher.installed():
        copy.deepcopy(block)(nd.ones((2, 3)))
    reasons = [place.get("unknown") for place in watcher.book.blocks["test_watching.py:Equal"]["built"]]
    assert reasons == [None, "it was copied, or built before anybody watched"]


def test_what_fails_goes_on_failing_and_is_not_noted() -> None:
    watcher = Watcher(mx, str(HERE.parent), RunRecord())
    with watcher.installed(), pytest.raises(ValueError, match="a block that fails"):
        Equal(-1)(nd.ones((2, 3)))
    assert watcher.book.blocks == {}


def test_what_cannot_be_noted_is_told_in_the_end(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    watcher = Watcher(mx, str(HERE.parent), RunRecord(), Arrays(str(tmp_path / "file")))
    with watcher.installed():
        assert Equal(2)(nd.ones((2, 3))).shape == (2, 3)
    assert (watcher.problem or "").startswith("Equal: FileExistsError: ")


def test_blocks_of_others_are_none_of_the_project() -> None:
    watcher = Watcher(mx, str(HERE.parent / "project"), RunRecord())
    with watcher.installed():
        Equal(1)(nd.ones((2, 3)))
        dense = nn.Dense(2)
        dense.initialize()
        dense(nd.ones((2, 3)))
    assert watcher.book.blocks == {}
