"""Outcomes of proofs are remembered as long as nothing that they depend on changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint import verdicts
from hybridlint.config import Config
from hybridlint.verdicts import Verdicts
from hybridlint.verify.outcome import Difference, GraphNode, Outcome, Parting, Ran, Status

TEXT = "class Net: ...\n"


@pytest.fixture(autouse=True)
def _fresh() -> None:
    verdicts._around.cache_clear()


def _outcome(path: Path) -> Outcome:
    return Outcome(
        path,
        "Net",
        1,
        Status.REFUTED,
        "compiled: output differs",
        failed_row=3,
        difference=Difference("output", "differs", 1.0, 2.0, (0, 1), 3.0, 4.0),
        call="N = 2",
        setup="() on x (N, 4)",
        runs=2,
        rounds=({"N": 2}, {"N": 3}),
        gradients=True,
        variant="compiled",
        fault=True,
        variants=(Ran("compiled"), Ran("float16", "it overflows")),
        parting=Parting(3, "relu", "F.relu(x)", "differs", 1),
        graph=(GraphNode("relu0", "relu", (0,), 3, "parts"),),
    )


def _known(root: Path, path: Path, text: str = TEXT, **settings: object) -> list[Outcome] | None:
    verdicts._around.cache_clear()
    return Verdicts.open(root).get(path, text, Config(root=root, **settings))  # type: ignore[arg-type]


def test_outcomes_come_back_whole_until_something_changes(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    path, other = package / "net.py", package / "other.py"
    for file in (path, other, package / "__init__.py"):
        file.write_text(TEXT)
    store = Verdicts.open(tmp_path)
    assert store.get(path, TEXT, Config(root=tmp_path)) is None
    store.put(path, TEXT, Config(root=tmp_path), [_outcome(path)])
    store.save()
    assert _known(tmp_path, path) == [_outcome(path)]
    assert _known(tmp_path, path, TEXT + "\n") is None
    assert _known(tmp_path, path, verify={"samples": 5}) is None
    (tmp_path / "beside.py").write_text("x = 1\n")
    assert _known(tmp_path, path) == [_outcome(path)]
    other.write_text("x = 1\n")
    assert _known(tmp_path, path) is None


def test_what_was_recorded_counts(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(TEXT)
    store = Verdicts.open(tmp_path)
    store.put(path, TEXT, Config(root=tmp_path), [_outcome(path)])
    store.save()
    assert _known(tmp_path, path) == [_outcome(path)]
    record = tmp_path / Config(root=tmp_path).recorded
    record.parent.mkdir(parents=True)
    record.write_text("{}")
    assert _known(tmp_path, path) is None


def test_a_broken_file_is_nothing_known(tmp_path: Path) -> None:
    (tmp_path / ".hybridlint_cache").mkdir()
    (tmp_path / ".hybridlint_cache" / "proofs.json").write_text("{]")
    assert Verdicts.open(tmp_path).entries == {}
    assert Outcome(tmp_path, "Net", 1, Status.NOT_RUN, "it took longer than 30 s (running it eagerly)").late
    assert not _outcome(tmp_path).late
