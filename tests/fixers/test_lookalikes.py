"""Code that looks as if a fix were right: fixed, it gives what the real MXNet gave eagerly, or it is left alone.

A case of `lookalikes/` marked ``safe`` or ``unsafe`` is repaired by such fixes, one marked ``unsure`` may be broken by
unsafe ones: what it is given, no code tells.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from hybridlint.fixing.loop import Analyze, fix_source
from hybridlint.rule import Severity
from hybridlint.text.source import SourceFile
from tests.batches import batched
from tests.constructs.measure import same
from tests.constructs.sections import LOOKALIKES, Construct, constructs
from tests.made_once import made_once

from .bodies import remembering
from .measured import ANSWERS

ALL = list(constructs(LOOKALIKES))
EAGERLY: dict[str, Any] = json.loads(ANSWERS.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Fixed:
    """A module after fixes."""

    text: str
    #: Whether anything is left to be found in it.
    left: bool
    #: What the block of a changed module gives on the bundled runtime, eagerly and hybridized; None for others.
    results: list[Any] | None


#: By the name of a construct, after safe fixes and after unsafe ones.
AllFixed: TypeAlias = dict[str, tuple[Fixed, Fixed]]


@pytest.fixture(scope="module")
def fixed(tmp_path_factory: pytest.TempPathFactory) -> AllFixed:
    """Every construct after fixes."""
    made = made_once(tmp_path_factory, "lookalikes", _made)
    return {name: (Fixed(*safe), Fixed(*unsafe)) for name, (safe, unsafe) in made.items()}


def _made() -> dict[str, Any]:
    both = {c.name: _fixed_both_ways(c) for c in ALL}
    safe, unsafe = ({name: found[way] for name, found in both.items()} for way in (0, 1))
    changed = {c.name: safe[c.name][0] for c in ALL if safe[c.name][0] != c.module}
    after_safe = _run(changed)
    # What unsafe fixes leave as safe ones do is run once.
    further = {c.name: unsafe[c.name][0] for c in ALL if unsafe[c.name][0] not in {c.module, safe[c.name][0]}}
    alike = {name: result for name, result in after_safe.items() if unsafe[name][0] == safe[name][0]}
    after_unsafe = alike | _run(further)
    results = {name: (after_safe.get(name), after_unsafe.get(name)) for name in safe}
    return {name: [[*safe[name], results[name][0]], [*unsafe[name], results[name][1]]] for name in safe}


def _run(modules: dict[str, str]) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.constructs.rewrites", "--work"]
    # What an engine computes is tested with graphs of every kind; here it need not compile each to native code.
    environment = {**os.environ, "HYBRIDLINT_ENGINE": "numpy"}
    root = Path(__file__).parents[2]
    done = subprocess.run(
        command, input=json.dumps(modules), capture_output=True, text=True, cwd=root, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _fixed_both_ways(construct: Construct) -> tuple[tuple[str, bool], tuple[str, bool]]:
    """Return a construct after safe fixes and after unsafe ones, each with whether anything is left."""
    analyze = remembering()
    return _fixed(construct, analyze, unsafe=False), _fixed(construct, analyze, unsafe=True)


def _fixed(construct: Construct, analyze: Analyze, *, unsafe: bool) -> tuple[str, bool]:
    outcome = fix_source(SourceFile(Path("net.py"), construct.module), analyze, unsafe=unsafe)
    return outcome.source.text, any(f.severity is not Severity.INFO for f in outcome.findings)


def cases(chosen: Iterable[Construct]) -> list[Any]:
    return [pytest.param(construct, id=construct.name) for construct in chosen]


def theme(construct: Construct) -> str:
    return construct.theme


def takes_arrays(construct: Construct) -> bool:
    """Whether a hybridized block takes the arguments: arrays, and lists of them."""
    return not any(spec[0] in "#{" for _, spec in construct.arguments)


@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
@batched(cases(ALL), by=theme)
def test_gives_the_same(construct: Construct, fixed: AllFixed, unsafe: bool) -> None:
    before = EAGERLY[construct.name]
    found = fixed[construct.name][unsafe]
    after, left = found.results, found.left
    if after is None or (unsafe and "unsure" in construct.flags):
        return
    for after_, mode in zip(after, ("eager", "hybridized"), strict=True):
        if mode == "hybridized" and (left or not takes_arrays(construct)):
            continue
        for call in (0, 1):
            if not isinstance(before["calls"][call], str):
                assert same(before["calls"][call], after_["calls"][call]), (mode, before, after_)
        if not isinstance(before["gradients"], str):
            assert same(before["gradients"], after_["gradients"]), (mode, before, after_)


@batched(cases(c for c in ALL if c.flags & {"safe", "unsafe"}), by=theme)
def test_is_repaired(construct: Construct, fixed: AllFixed) -> None:
    found = fixed[construct.name]["unsafe" in construct.flags]
    assert found.text != construct.module
    assert not found.left


def test_every_case_is_measured() -> None:
    assert {construct.name for construct in ALL} == EAGERLY.keys()
    assert all(any(not isinstance(call, str) for call in answer["calls"]) for answer in EAGERLY.values())
