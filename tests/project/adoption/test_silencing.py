"""Comments that silence what is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.checker import Job, check
from hybridlint.checking.pipeline import Pipeline, PipelineSteps
from hybridlint.checking.session import CheckSession
from hybridlint.core.result import Result
from hybridlint.project.adoption.silencing import silence_findings
from hybridlint.project.settings.config import Config

HEAD = "from mxnet.gluon import HybridBlock\n\n\nclass Net(HybridBlock):\n    def hybrid_forward(self, F, x):\n"


def _check(path: Path) -> Result:
    return check(Job(path, path.read_bytes(), Config(root=path.parent)))


def _silence(result: Result) -> Result:
    """Silence what is found, and write the file."""
    (written,) = Pipeline(CheckSession(use_cache=False), PipelineSteps()).write([silence_findings(result)])
    return written


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("x += 1", "x += 1  # noqa: HYB302"),
        ("x += 1  # grow", "x += 1  # grow  # noqa: HYB302"),
        ("x += 1  # noqa: E501", "x += 1  # noqa: E501, HYB302"),
        ("x += 1  # noqa: E501 it is long", "x += 1  # noqa: E501, HYB302 it is long"),
        ("x += x.shape[0]", "x += x.shape[0]  # noqa: HYB101, HYB302"),
        ("x += (1 +\\\n            2)", "x += (1 +\\\n            2)  # noqa: HYB302"),
    ],
)
def test_each_line_gets_one_comment(tmp_path: Path, line: str, expected: str) -> None:
    path = tmp_path / "net.py"
    before = f"{HEAD}        {line}\n        return F.relu(x)\n"
    path.write_text(before, encoding="utf-8")
    assert _silence(_check(path)).diagnostics == ()
    assert path.read_text(encoding="utf-8") == before.replace(line, expected)
    assert _check(path).diagnostics == ()


def test_line_ends_stay(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_bytes((HEAD + "        x += 1\n        return F.relu(x)").replace("\n", "\r\n").encode())
    _silence(_check(path))
    assert b"        x += 1  # noqa: HYB302\r\n        return F.relu(x)" in path.read_bytes()
    assert path.read_bytes().count(b"\r\n") == path.read_bytes().count(b"\n")


def test_a_file_that_does_not_parse_keeps_its_finding(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text("class Net(:\n", encoding="utf-8")
    assert [found.code for found in _silence(_check(path)).diagnostics] == ["HYB001"]
    assert path.read_text(encoding="utf-8") == "class Net(:\n"


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(HEAD + "        x += 1\n        return F.relu(x)\n", encoding="utf-8")
    result = _check(path)
    path.write_text("pass\n", encoding="utf-8")
    assert _silence(result).failure == "the file changed while it was checked: no comment was added"
    assert path.read_text(encoding="utf-8") == "pass\n"
