"""The formats of findings: what their readers rely on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from hybridlint.checking.checker import Job, check
from hybridlint.core.result import Result
from hybridlint.project.settings.config import Config
from hybridlint.report import formats, streams
from hybridlint.report.report_options import ReportOptions

HEAD = "from mxnet.gluon import HybridBlock\n\n\nclass Net(HybridBlock):\n    def hybrid_forward(self, F, x):\n"
#: An error with a fix on line 8, behind a character of four bytes.
FOUND = "# a comment\n\n" + HEAD + "        y = F.relu(x); s = '\U00010348'; y += s and 1\n        return y\n"
CLEAN = HEAD + "        return F.relu(x)\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _results(**sources: str) -> list[Result]:
    found = []
    for name, text in {name.replace("__", "/") + ".py": text for name, text in sources.items()}.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        found.append(check(Job(path, path.read_bytes(), Config(root=Path.cwd()))))
    return found


def _render(output_format: str, results: list[Result]) -> str:
    return formats.load(output_format).render(results, ReportOptions())


@pytest.fixture
def results() -> list[Result]:
    return _results(**{"a b__net": FOUND, "clean": CLEAN})


@pytest.mark.parametrize("output_format", formats.names())
def test_every_format_names_rule_and_file(results: list[Result], output_format: str) -> None:
    text = streams.for_file(results, output_format, ReportOptions())
    assert "HYB302" in text
    assert "net.py" in text


@pytest.mark.parametrize("output_format", formats.names())
def test_every_format_can_report_nothing(output_format: str) -> None:
    text = streams.for_file(_results(clean=CLEAN), output_format, ReportOptions())
    assert "HYB" not in text


def test_grouped(results: list[Result]) -> None:
    first, second, *rest = streams.for_file(results, "grouped", ReportOptions()).splitlines()
    assert first == "a b/net.py:"
    assert second.startswith("  8:33 HYB302 [*] ")
    assert rest == ["", "Found 1 error.", "[*] 1 fixable with the `--fix` option."]


def test_json_lines_are_the_items_of_json(results: list[Result]) -> None:
    lines = _render("json-lines", results).splitlines()
    assert [json.loads(line) for line in lines] == json.loads(_render("json", results))


def test_pylint(results: list[Result]) -> None:
    assert _render("pylint", results).startswith("a b/net.py:8: [HYB302] ")


def test_github(results: list[Result]) -> None:
    (line,) = _render("github", results).splitlines()
    properties = "title=hybridlint (HYB302),file=a b/net.py,line=8,endLine=8,col=33,endColumn=45"
    assert line.startswith(f"::error {properties}::a b/net.py:8:33: HYB302 ")
    assert "%0A  help: " in line


def test_github_escapes_what_ends_a_property() -> None:
    assert "file=a%2Cb%25/c.py,line" in _render("github", _results(**{"a,b%__c": FOUND}))


def test_azure_escapes_what_ends_a_property() -> None:
    (line,) = _render("azure", _results(**{"a;b]__c": FOUND})).splitlines()
    head = "##vso[task.logissue type=error;sourcepath=a%3Bb%5D/c.py;linenumber=8;columnnumber=33;code=HYB302;]"
    assert line.startswith(head)


def test_gitlab(results: list[Result]) -> None:
    (item,) = json.loads(_render("gitlab", results))
    assert (item["check_name"], item["severity"]) == ("HYB302", "major")
    assert item["location"]["path"] == "a b/net.py"
    assert item["location"]["positions"]["begin"] == {"line": 8, "column": 33}


def test_junit_has_a_suite_per_file(results: list[Result]) -> None:
    lost = Result(Path("lost.py"), failure="cannot read the file: \x1b")
    root = ElementTree.fromstring(_render("junit", [*results, lost]))
    assert [suite.get("name") for suite in root] == ["a b/net.py", "clean.py", "lost.py"]
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("3", "1", "1")
    (found,), (passed,), (error,) = root
    assert list(passed) == []
    assert error[0].get("message") == "cannot read the file: \ufffd"
    assert (found[0].text or "").startswith("a b/net.py:8:33: HYB302 ")


def test_junit_messages_are_on_one_line() -> None:
    root = ElementTree.fromstring(_render("junit", [check(Job(Path("a\nb.py"), b"x = (\n", Config(root=Path.cwd())))]))
    shown = [root[0].get("name", ""), root[0][0][0].get("message", ""), root[0][0][0].text or ""]
    assert not any("\n" in text for text in shown)


def test_sarif_names_a_file_whose_name_is_not_utf_8() -> None:
    result = check(Job(Path("a\udcff.py"), b"x = (\n", Config(root=Path.cwd())))
    (found,) = json.loads(_render("sarif", [result]))["runs"][0]["results"]
    assert found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%FF.py"


def test_rdjson_counts_bytes(results: list[Result]) -> None:
    (item,) = json.loads(_render("rdjson", results))["diagnostics"]
    span = {"start": {"line": 8, "column": 36}, "end": {"line": 8, "column": 48}}
    assert item["location"] == {"path": "a b/net.py", "range": span}
    assert item["suggestions"] == [{"range": span, "text": "y = y + (s and 1)"}]


def _run(results: list[Result]) -> Any:
    (run,) = json.loads(_render("sarif", results))["runs"]
    return run


def test_sarif(results: list[Result]) -> None:
    run = _run(results)
    (rule,) = run["tool"]["driver"]["rules"]
    (found,) = run["results"]
    assert (rule["id"], rule["name"]) == ("HYB302", "InPlaceOperator")
    assert "```python" in rule["help"]["markdown"]
    assert (found["ruleId"], found["ruleIndex"], found["level"]) == ("HYB302", 0, "error")
    physical = found["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"] == {"uri": "a%20b/net.py", "uriBaseId": "%SRCROOT%"}
    snippet = {"text": "y += s and 1"}
    assert physical["region"] == {"startLine": 8, "startColumn": 33, "endLine": 8, "endColumn": 45, "snippet": snippet}
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["originalUriBaseIds"]["%SRCROOT%"]["uri"] == f"{Path.cwd().as_uri()}/"
    (fix,) = found["fixes"]
    (change,) = fix["artifactChanges"]
    (replacement,) = change["replacements"]
    assert {**replacement["deletedRegion"], "snippet": snippet} == physical["region"]
    assert replacement["insertedContent"] == {"text": "y = y + (s and 1)"}


def test_sarif_names_files_that_were_not_checked() -> None:
    (invocation,) = _run([Result(Path("lost.py"), failure="cannot read the file")])["invocations"]
    (told,) = invocation["toolExecutionNotifications"]
    assert invocation["executionSuccessful"] is False
    assert told["message"]["text"] == "cannot read the file"
    assert told["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "lost.py"


def _fingerprints(text: str) -> list[str]:
    return [found["partialFingerprints"]["hybridlint/v1"] for found in _run(_results(net=text))["results"]]


def test_fingerprints_survive_new_lines_above_and_between() -> None:
    twice = HEAD + "        x += 1\n        x += 1\n        return F.relu(x)\n"
    before = _fingerprints(twice)
    assert len(set(before)) == 2
    assert _fingerprints("import os\n\n" + twice.replace("x += 1\n", "x += 1\n\n")) == before


def test_files_have_no_colours(results: list[Result], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in streams.for_file(results, "full", ReportOptions())
