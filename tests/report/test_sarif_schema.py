"""Logs in SARIF: valid by the schema of the standard, with fixes and fingerprints that survive changes elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from hybridlint.checking.checker import Job, check
from hybridlint.checking.examples import marks, module_of, section
from hybridlint.core.result import Result
from hybridlint.project.settings.config import Config
from hybridlint.report import formats
from hybridlint.report.report_options import ReportOptions
from hybridlint.rule import all_rules

SCHEMA = json.loads((Path(__file__).parent / "schemas" / "sarif-2.1.0.json").read_text(encoding="utf-8"))
NET = """\
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        x += 1
        y = F.relu(x)
        y *= 2
        return y
"""


def _checked(name: str, text: str, **asked: Any) -> Result:
    return check(Job(Path(name), text.encode(), Config(root=Path(), possible=True), **asked))


def _log(*results: Result) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(formats.load("sarif").render(results, ReportOptions()))
    problems = [f"{error.json_path}: {error.message}" for error in _validator().iter_errors(log)]
    assert problems == []
    return log


def _validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(SCHEMA)


def test_the_schema_refuses_what_is_no_log() -> None:
    log = _log(_checked("net.py", NET))
    log["runs"][0]["results"][0]["level"] = "bad"
    assert [error.message for error in _validator().iter_errors(log)]


def test_findings_of_every_kind_are_valid() -> None:
    examples = [(rule.name, module_of(marks(section(rule, "Bad"))[0])) for rule in all_rules() if rule.code[3] != "0"]
    found = _log(*(_checked(f"{name}.py", example.text) for name, example in examples))["runs"][0]["results"]
    assert len({each["ruleId"] for each in found}) > len(examples) // 2


@pytest.mark.parametrize(
    "result",
    [
        Result(Path("gone.py"), "", failure="cannot read the file: it is gone"),
        Result(Path("clean.py"), "x = 1\n"),
        _checked("broken.py", "def f(:\n"),
        _checked("a b/ä.py", NET),
        _checked("lesson.py", NET.replace("\n", "\r\n")),
    ],
    ids=["not read", "nothing found", "no Python", "a path with a space", "lines of Windows"],
)
def test_files_of_every_kind_are_valid(result: Result) -> None:
    _log(result)


def test_fixes_say_what_they_replace() -> None:
    (run,) = _log(_checked("net.py", NET))["runs"]
    found = run["results"][0]
    (change,) = found["fixes"][0]["artifactChanges"]
    assert change["artifactLocation"] == found["locations"][0]["physicalLocation"]["artifactLocation"]
    region = {"startLine": 6, "startColumn": 9, "endLine": 6, "endColumn": 15}
    assert change["replacements"] == [{"deletedRegion": region, "insertedContent": {"text": "x = x + 1"}}]


def test_a_finding_shows_its_code_and_the_lines_around_it() -> None:
    (run,) = _log(_checked("net.py", NET))["runs"]
    found = run["results"][0]
    place = found["locations"][0]["physicalLocation"]
    assert place["region"]["snippet"] == {"text": "x += 1"}
    around = place["contextRegion"]
    assert (around["startLine"], around["endLine"]) == (5, 7)
    assert around["snippet"] == {"text": "".join(NET.splitlines(keepends=True)[4:7])}


def test_fingerprints_survive_changes_elsewhere() -> None:
    before, after = _prints(NET), _prints(f"# A comment.\n\n{NET}")
    assert before == after
    assert len(set(before)) == len(before) > 1
    assert _prints(NET.replace("x += 1", "x += 2")) != before


def _prints(text: str) -> list[str]:
    (run,) = _log(_checked("net.py", text))["runs"]
    return [each["partialFingerprints"]["hybridlint/v1"] for each in run["results"]]
