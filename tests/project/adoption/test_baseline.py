"""The baseline: what a project knows is left out, whatever moves around it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hybridlint.checking.checker import Job, check
from hybridlint.core.errors import UsageError
from hybridlint.core.result import Result
from hybridlint.project.adoption.baseline import FILE_NAME, Baseline
from hybridlint.project.adoption.baselines import prune, without_known, write
from hybridlint.project.settings.config import Config

HEAD = "from mxnet.gluon import HybridBlock\n\n\nclass Net(HybridBlock):\n    def hybrid_forward(self, F, x):\n"
ONE = HEAD + "        x += 1\n        return F.relu(x)\n"
TWO = HEAD + "        x += 1\n        x += 1\n        return F.relu(x)\n"


def _check(root: Path, text: str, name: str = "net.py") -> Result:
    path = root / name
    path.write_text(text, encoding="utf-8")
    return check(Job(path, text.encode(), Config(root=root)))


def _new(root: Path, *results: Result) -> tuple[int, int, int]:
    """Return how many findings are new, known and gone."""
    new, known = without_known(results, [root] * len(results))
    gone = sum(stale.total() for stale in known.stale.values())
    return sum(len(result.diagnostics) for result in new), known.count, gone


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose baseline holds the one finding of net.py."""
    write([_check(tmp_path, ONE)], [tmp_path])
    return tmp_path


def test_without_a_baseline_everything_is_new(tmp_path: Path) -> None:
    assert _new(tmp_path, _check(tmp_path, ONE)) == (1, 0, 0)


def test_the_file_is_for_people_to_read(project: Path) -> None:
    assert json.loads((project / FILE_NAME).read_text(encoding="utf-8")) == {
        "version": 1,
        "files": {"net.py": [{"code": "HYB302", "text": "x += 1", "count": 1}]},
    }


def test_known_findings_are_known_where_lines_moved(project: Path) -> None:
    assert _new(project, _check(project, "import os\n\n\n" + ONE)) == (0, 1, 0)


def test_one_more_of_the_same_is_new(project: Path) -> None:
    assert _new(project, _check(project, TWO)) == (1, 1, 0)


def test_another_rule_on_the_line_is_new(project: Path) -> None:
    other = _check(project, ONE.replace("x += 1", "x += x.shape[0]"))
    assert _new(project, other)[1] == 0


def test_what_was_repaired_is_stale(project: Path) -> None:
    assert _new(project, _check(project, HEAD + "        return F.relu(x)\n")) == (0, 0, 1)


def test_a_file_that_was_not_checked_is_not_stale_until_it_is_gone(project: Path) -> None:
    other = _check(project, HEAD + "        return F.relu(x)\n", "other.py")
    assert _new(project, other) == (0, 0, 0)
    (project / "net.py").unlink()
    assert _new(project, other) == (0, 0, 1)


def test_pruning_takes_out_what_is_stale(project: Path) -> None:
    write([_check(project, TWO)], [project])
    _, known = without_known([_check(project, ONE)], [project])
    assert prune(known) == 1
    assert Baseline.read(project / FILE_NAME).entries.total() == 1


def test_writing_keeps_the_entries_of_files_that_were_not_checked(project: Path) -> None:
    write([_check(project, TWO, "other.py")], [project])
    counted = {entry.path: count for entry, count in Baseline.read(project / FILE_NAME).entries.items()}
    assert counted == {"net.py": 1, "other.py": 2}


def test_a_file_that_does_not_parse_is_never_known(tmp_path: Path) -> None:
    broken = _check(tmp_path, "class Net(:\n")
    write([broken], [tmp_path])
    assert _new(tmp_path, broken) == (1, 0, 0)


def test_each_project_has_its_own(project: Path, tmp_path: Path) -> None:
    inner = project / "inner"
    inner.mkdir()
    new, _ = without_known([_check(project, ONE), _check(inner, ONE)], [project, inner])
    assert [len(result.diagnostics) for result in new] == [0, 1]


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version": 2, "files": {}}', '{"version": 1, "files": {"a": [{"code": "HYB1"}]}}']
)
def test_what_is_not_a_baseline_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE_NAME).write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=r"hybridlint-baseline\.json: this is not a baseline: write it anew"):
        Baseline.read(tmp_path / FILE_NAME)
