"""Code that maintainers have repaired: what was repaired is found there, the repair is not, and fixing does as well."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.constructs.measure import same
from tests.made_once import made_once

from .findings import certain, fixed, left, told
from .measure import ANSWERS
from .page import PAGE, page
from .pairs import Pair, pairs

ROOT = Path(__file__).parents[2]
ALL = list(pairs())
FOUND = [pair for pair in ALL if pair.lacks is None or pair.lacks[0] != "found"]
FIXED = [pair for pair in ALL if pair.lacks is None]
ANSWER: dict[str, Any] = json.loads(ANSWERS.read_text(encoding="utf-8"))


def _name(pair: Pair) -> str:
    return pair.name


def test_every_repair_is_measured_and_was_one() -> None:
    assert len(ALL) >= 100
    assert {pair.name for pair in ALL} == ANSWER.keys()
    for pair in ALL:
        if pair.comparable:
            assert ANSWER[pair.name]["before"]["label"] in {"error", "silent"}, pair.name
            assert ANSWER[pair.name]["after"]["label"] == "clean", pair.name


@pytest.mark.parametrize("pair", FOUND, ids=_name)
def test_what_was_repaired_is_found_there(pair: Pair) -> None:
    found = told(pair.before.module)
    assert pair.marks
    assert certain(pair.marks) == certain(found)
    assert pair.marks <= found


@pytest.mark.parametrize("pair", ALL, ids=_name)
def test_the_repair_is_left_alone(pair: Pair) -> None:
    assert certain(told(pair.after.module)) == set()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the fixed blocks give on the bundled runtime: [eagerly, hybridized] for each."""
    results: dict[str, Any] = made_once(tmp_path_factory, "histories", _runs)
    return results


def _runs() -> dict[str, Any]:
    modules = {pair.name: fixed(pair.before.module).source.text for pair in FIXED if pair.comparable}
    command = [sys.executable, "-m", "tests.histories.runs"]
    # What an engine computes is tested with graphs of every kind; here it need not compile each to native code.
    environment = {**os.environ, "HYBRIDLINT_ENGINE": "numpy"}
    done = subprocess.run(
        command, input=json.dumps(modules), capture_output=True, text=True, cwd=ROOT, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    results: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return results


@pytest.mark.parametrize("pair", [pair for pair in FIXED if certain(pair.marks)], ids=_name)
def test_nothing_is_left_after_fixing(pair: Pair) -> None:
    outcome = fixed(pair.before.module)
    assert [finding.message for finding in left(outcome)] == []
    assert outcome.source.text != pair.before.module


@pytest.mark.parametrize("pair", [pair for pair in FIXED if pair.comparable and certain(pair.marks)], ids=_name)
def test_what_is_fixed_gives_what_mxnet_gave_eagerly(pair: Pair, runs: dict[str, Any]) -> None:
    before = ANSWER[pair.name]
    for mode, after in zip(("eager", "hybridized"), runs[pair.name], strict=True):
        for call in (0, 1):
            assert same(before["calls"][call], after["calls"][call]), (mode, call, before["calls"], after["calls"])
        # An array that is written into has no gradient eagerly.
        if not isinstance(before["gradients"], str):
            assert same(before["gradients"], after["gradients"]), (mode, before["gradients"], after["gradients"])


@pytest.mark.parametrize("pair", [p for p in ALL if p.lacks is not None and p.lacks[0] == "fixed"], ids=_name)
def test_what_has_no_fix_is_still_found(pair: Pair) -> None:
    assert left(fixed(pair.before.module))


def test_the_page_is_up_to_date() -> None:
    if not PAGE.exists():
        pytest.skip("runs in a checkout only")
    assert PAGE.read_text(encoding="utf-8") == page(), "`python -m tests.histories.page` writes it anew"
