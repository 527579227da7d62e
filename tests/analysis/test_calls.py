"""Findings in functions that are called: where they are told, and the way that leads there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hybridlint.checking.checker import Job, check
from hybridlint.core.diagnostic import Diagnostic
from hybridlint.project.settings.config import Config
from hybridlint.report.formats import json as json_format
from hybridlint.report.report_options import ReportOptions
from hybridlint.text.edits import Applicability

NET = """\
from mxnet.gluon import HybridBlock
from helpers import rows, twice


def half(x):
    return x / x.shape[0]


class Net(HybridBlock):
    def hybrid_forward(self, F, {arguments}):
        return {body}
"""
HELPERS = """\
def rows(x):
    y = x * 2
    return y.shape[0]


def twice(F, x):
    return F.relu(x) / rows(x)
"""


def _check(folder: Path, body: str, arguments: str = "x", *, possible: bool = False) -> tuple[Diagnostic, ...]:
    (folder / "helpers.py").write_text(HELPERS, encoding="utf-8")
    path = folder / "net.py"
    path.write_text(NET.format(body=body, arguments=arguments), encoding="utf-8")
    return check(Job(path, path.read_bytes(), Config(root=folder, possible=possible))).diagnostics


def test_a_helper_of_the_file_is_told_where_it_stands_with_the_call(tmp_path: Path) -> None:
    (found,) = _check(tmp_path, "half(x)")
    assert (found.code, found.location.row) == ("HYB101", 6)
    assert [(n.message, n.location.row, n.filename) for n in found.notes] == [
        ("called here, in `hybrid_forward`", 11, None)
    ]


def test_a_helper_of_another_file_is_told_at_the_call(tmp_path: Path) -> None:
    (found,) = _check(tmp_path, "x / rows(x)")
    assert (found.location.row, found.location.column) == (11, 20)
    assert found.message == "in `rows` (helpers.py, line 3): `y` is a tensor: a Symbol has no `shape`"
    assert [(n.message, n.location.row, n.filename) for n in found.notes] == [
        ("it happens here", 3, str(tmp_path / "helpers.py"))
    ]


def test_calls_between_helpers_are_on_the_way(tmp_path: Path) -> None:
    (found,) = _check(tmp_path, "twice(F, x)")
    assert [(n.message, n.location.row) for n in found.notes] == [
        ("called here, in `twice`", 7),
        ("it happens here", 3),
    ]


@pytest.mark.parametrize(("body", "expected"), [("half(x)", ["message", "location", "end_location"]), ("len(x)", None)])
def test_json_has_notes_where_there_are_some(tmp_path: Path, body: str, expected: list[str] | None) -> None:
    found = _check(tmp_path, f"x * {body}")
    assert found
    path = tmp_path / "net.py"
    result = check(Job(path, path.read_bytes(), Config(root=tmp_path)))
    (item,) = json.loads(json_format.render([result], ReportOptions()))
    assert (set(item["notes"][0]) if "notes" in item else None) == (None if expected is None else set(expected))


@pytest.mark.parametrize(
    ("arguments", "body", "code"),
    [
        ("features", "features[0][1:2] + F.add_n(*features)", "HYB202"),
        ("x, y", "x + y", "HYB301"),
        ("x, mask=None", "F.relu(x) if mask else x * 2", "HYB401"),
    ],
)
def test_what_cannot_be_proved_is_told_on_demand(tmp_path: Path, arguments: str, body: str, code: str) -> None:
    assert _check(tmp_path, body, arguments) == ()
    told = _check(tmp_path, body, arguments, possible=True)
    assert [(d.code, d.severity) for d in told] == [(code, "possible")]
    assert all(d.fix is None or d.fix.applicability is not Applicability.SAFE for d in told)


def test_shapes_that_are_related_are_not_suspicious(tmp_path: Path) -> None:
    assert _check(tmp_path, "x + F.relu(x) * F.exp(x)", possible=True) == ()
