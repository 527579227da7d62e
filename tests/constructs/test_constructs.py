"""The linter on constructs whose outcome the real MXNet 1.9.1 has told: trouble is reported, nothing else is.

What is said of each, code, line and fix, is kept to the letter in `findings.json`; ``BLESS=1 pytest
tests/constructs/test_constructs.py`` writes it anew. Read the difference before it is committed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.batches import batched
from tests.made_once import made_once

from .sections import Construct, constructs

HERE = Path(__file__).parent
OUTCOMES: dict[str, dict[str, str]] = json.loads((HERE / "outcomes.json").read_text(encoding="utf-8"))
FINDINGS = HERE / "findings.json"
ALL = list(constructs())
JUDGED = [c for c in ALL if OUTCOMES[c.name]["label"] != "skip"]
CASES = [pytest.param(c, id=c.name) for c in JUDGED]

#: A code, the line with the severity where it is no error, and the fix: whether it is safe, and what it writes.
Said: TypeAlias = list[Any]


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Said]]:
    """What the linter says of each construct."""
    found: dict[str, list[Said]] = made_once(tmp_path_factory, "constructs", lambda: _told(tmp_path_factory))
    if os.environ.get("BLESS"):
        rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(what)}" for name, what in sorted(found.items()) if what)
        FINDINGS.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def kept(said: dict[str, list[Said]]) -> dict[str, list[Said]]:
    """What it said when the difference was last read."""
    found: dict[str, list[Said]] = json.loads(FINDINGS.read_text(encoding="utf-8"))
    return found


@batched(CASES, by=lambda construct: construct.theme)
def test_trouble_is_reported_and_nothing_else(construct: Construct, said: dict[str, list[Said]]) -> None:
    outcome = OUTCOMES[construct.name]
    told = [what for what in said[construct.name] if what[2] != "info"]
    if outcome["label"] == "clean":
        assert not told
    elif not outcome["why"].endswith("another self"):
        assert told, outcome["why"]
    else:
        # A count that no result depends on is an information.
        assert said[construct.name], outcome["why"]


@batched(CASES, by=lambda construct: construct.theme)
def test_codes_lines_and_fixes(construct: Construct, said: dict[str, list[Said]], kept: dict[str, list[Said]]) -> None:
    assert said[construct.name] == kept.get(construct.name, [])


def test_every_construct_is_measured() -> None:
    assert {c.name for c in ALL} == OUTCOMES.keys()


def _told(factory: pytest.TempPathFactory) -> dict[str, list[Said]]:
    folder = factory.mktemp("constructs")
    for construct in JUDGED:
        (folder / f"{construct.name}.py").write_text(construct.module, encoding="utf-8")
    command = [sys.executable, "-m", "hybridlint", "check", "--no-cache", "--output-format", "json", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in {0, 1}, done.stderr
    found: dict[str, list[Said]] = {c.name: [] for c in JUDGED}
    for finding in json.loads(done.stdout):
        found[Path(finding["filename"]).stem].append(_said(finding))
    return found


def _said(finding: dict[str, Any]) -> Said:
    fix = finding["fix"]
    written = [] if fix is None else [fix["applicability"], *(edit["content"] for edit in fix["edits"])]
    return [finding["code"], finding["location"]["row"], finding["severity"], *written]
