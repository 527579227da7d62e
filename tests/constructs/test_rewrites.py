"""Fixed blocks, eagerly and hybridized, give what the real MXNet gave eagerly before they were fixed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import fix_source
from hybridlint.rule import Severity
from hybridlint.text.source import SourceFile
from tests.made_once import made_once

from .measure import same
from .rewrites import CASES, GOLDENS
from .sections import Construct, read

ALL = list(read(CASES))
ANSWERS: dict[str, Any] = json.loads(GOLDENS.read_text(encoding="utf-8"))


def fixed(construct: Construct) -> str:
    """Return the module of a construct after all fixes. Asserts that nothing is left to be found."""
    source = SourceFile(Path("net.py"), construct.module)
    outcome = fix_source(source, analyze_file, unsafe=True, doubts=lambda now: analyze_file(now, possible=True))
    left = [f for f in outcome.findings if f.severity is not Severity.INFO]
    assert not left, [f.message for f in left]
    assert outcome.source.text != construct.module
    return outcome.source.text


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the fixed blocks give on the bundled runtime: [eagerly, hybridized] for each."""
    results: dict[str, Any] = made_once(tmp_path_factory, "rewrites", _runs)
    return results


def _runs() -> dict[str, Any]:
    modules = {construct.name: fixed(construct) for construct in ALL}
    command = [sys.executable, "-m", "tests.constructs.rewrites", "--work"]
    done = subprocess.run(
        command, input=json.dumps(modules), capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False
    )
    assert done.returncode == 0, done.stderr
    results: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return results


@pytest.mark.parametrize("construct", ALL, ids=lambda construct: construct.name)
def test_same_as_before(construct: Construct, runs: dict[str, Any]) -> None:
    before = ANSWERS[construct.name]
    for mode, after in zip(("eager", "hybridized"), runs[construct.name], strict=True):
        for call in (0, 1):
            assert same(before["calls"][call], after["calls"][call]), (mode, call, before["calls"], after["calls"])
        # An array that is written into has no gradient eagerly.
        if not isinstance(before["gradients"], str):
            assert same(before["gradients"], after["gradients"]), (mode, before["gradients"], after["gradients"])


def test_every_case_is_measured() -> None:
    assert {construct.name for construct in ALL} == ANSWERS.keys()
    assert all(not isinstance(call, str) for answer in ANSWERS.values() for call in answer["calls"])
