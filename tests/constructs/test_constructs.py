"""The linter on constructs whose outcome the real MXNet 1.9.1 has told: trouble is reported, nothing else is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .sections import Construct, constructs

OUTCOMES: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("outcomes.json").read_text(encoding="utf-8"))
ALL = list(constructs())
JUDGED = [c for c in ALL if OUTCOMES[c.name]["label"] != "skip"]


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What the linter says of each construct, infos aside."""
    folder = tmp_path_factory.mktemp("constructs")
    for construct in JUDGED:
        (folder / f"{construct.name}.py").write_text(construct.module, encoding="utf-8")
    command = [sys.executable, "-m", "hybridlint", "check", "--no-cache", "--output-format", "json", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in {0, 1}, done.stderr
    found: dict[str, list[str]] = {c.name: [] for c in JUDGED}
    for finding in json.loads(done.stdout):
        if finding["severity"] != "info":
            text = f"{finding['code']} line {finding['location']['row']}: {finding['message']}"
            found[Path(finding["filename"]).stem].append(text)
    return found


@pytest.mark.parametrize("construct", JUDGED, ids=lambda c: c.name)
def test_construct(construct: Construct, findings: dict[str, list[str]]) -> None:
    outcome = OUTCOMES[construct.name]
    if outcome["label"] == "clean":
        assert not findings[construct.name]
    else:
        assert findings[construct.name], outcome["why"]


def test_every_construct_is_measured() -> None:
    assert {c.name for c in ALL} == OUTCOMES.keys()
