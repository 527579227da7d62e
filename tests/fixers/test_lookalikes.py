"""Code that looks as if a fix were right: fixed, it gives what the real MXNet gave eagerly, or it is left alone.

A case of `lookalikes/` marked ``safe`` or ``unsafe`` is repaired by such fixes, one marked ``unsure`` may be broken by
unsafe ones: what it is given, no code tells.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import fix_source
from hybridlint.rule import Severity
from hybridlint.text.source import SourceFile
from tests.constructs.measure import same
from tests.constructs.sections import LOOKALIKES, Construct, constructs

from .measured import ANSWERS

ALL = list(constructs(LOOKALIKES))
EAGERLY: dict[str, Any] = json.loads(ANSWERS.read_text(encoding="utf-8"))


@cache
def fixed(construct: Construct, *, unsafe: bool) -> tuple[str, bool]:
    """Return the module of a construct after fixes, and whether anything is left to be found in it."""
    outcome = fix_source(SourceFile(Path("net.py"), construct.module), analyze_file, unsafe=unsafe)
    return outcome.source.text, any(f.severity is not Severity.INFO for f in outcome.findings)


@cache
def runs(unsafe: bool) -> dict[str, Any]:
    """Run the blocks that fixes change on the bundled runtime: [eagerly, hybridized] for each."""
    modules = {c.name: text for c in ALL for text, _ in [fixed(c, unsafe=unsafe)] if text != c.module}
    # What unsafe fixes leave as safe ones do is run once.
    alike = [c.name for c in ALL if unsafe and fixed(c, unsafe=True)[0] == fixed(c, unsafe=False)[0]]
    known = {name: runs(False)[name] for name in alike if name in modules}
    modules = {name: text for name, text in modules.items() if name not in known}
    command = [sys.executable, "-m", "tests.constructs.rewrites", "--work"]
    done = subprocess.run(
        command, input=json.dumps(modules), capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False
    )
    assert done.returncode == 0, done.stderr
    results: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return known | results


def takes_arrays(construct: Construct) -> bool:
    """Whether a hybridized block takes the arguments: arrays, and lists of them."""
    return not any(spec[0] in "#{" for _, spec in construct.arguments)


@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
@pytest.mark.parametrize("construct", ALL, ids=lambda construct: construct.name)
def test_gives_the_same(construct: Construct, unsafe: bool) -> None:
    before = EAGERLY[construct.name]
    after = runs(unsafe).get(construct.name)
    if after is None or (unsafe and "unsure" in construct.flags):
        return
    left = fixed(construct, unsafe=unsafe)[1]
    for after_, mode in zip(after, ("eager", "hybridized"), strict=True):
        if mode == "hybridized" and (left or not takes_arrays(construct)):
            continue
        for call in (0, 1):
            if not isinstance(before["calls"][call], str):
                assert same(before["calls"][call], after_["calls"][call]), (mode, before, after_)
        if not isinstance(before["gradients"], str):
            assert same(before["gradients"], after_["gradients"]), (mode, before, after_)


@pytest.mark.parametrize(
    "construct", [c for c in ALL if c.flags & {"safe", "unsafe"}], ids=lambda construct: construct.name
)
def test_is_repaired(construct: Construct) -> None:
    text, left = fixed(construct, unsafe="unsafe" in construct.flags)
    assert text != construct.module
    assert not left


def test_every_case_is_measured() -> None:
    assert {construct.name for construct in ALL} == EAGERLY.keys()
    assert all(any(not isinstance(call, str) for call in answer["calls"]) for answer in EAGERLY.values())
