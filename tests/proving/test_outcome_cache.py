"""Outcomes of proofs are remembered as long as nothing that they depend on changes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hybridlint.core.proof_outcome import (
    FirstDivergence,
    ProofOutcome,
    ProofStatus,
    ReportedDifference,
    ReportedNode,
    VariantResult,
)
from hybridlint.project.settings.config import Config
from hybridlint.proving import outcome_cache, read_set
from hybridlint.proving.outcome_cache import OutcomeCache
from hybridlint.proving.read_set import ReadSet

TEXT = "class Net: ...\n"


def _forget() -> None:
    """Forget what a process reads once only."""
    for known in (outcome_cache._around, read_set.content, read_set.listing, read_set.states):
        known.cache_clear()


@pytest.fixture(autouse=True)
def _fresh() -> None:
    _forget()


def _outcome(path: Path) -> ProofOutcome:
    return ProofOutcome(
        path,
        "Net",
        1,
        ProofStatus.REFUTED,
        "compiled: output differs",
        failed_row=3,
        difference=ReportedDifference("output", "differs", 1.0, 2.0, (0, 1), 3.0, 4.0),
        call="N = 2",
        setup="() on x (N, 4)",
        runs=2,
        rounds=({"N": 2}, {"N": 3}),
        gradients=True,
        variant="compiled",
        fault=True,
        variants=(VariantResult("compiled"), VariantResult("float16", "it overflows")),
        parting=FirstDivergence(3, "relu", "F.relu(x)", "differs", 1),
        graph=(ReportedNode("x", "", (), None, "agrees"), ReportedNode("relu0", "relu", (0,), 3, "parts")),
    )


def _known(root: Path, path: Path, text: str = TEXT, **settings: object) -> list[ProofOutcome] | None:
    _forget()
    return OutcomeCache.open(root).get(path, text, Config(root=root, **settings))  # type: ignore[arg-type]


def test_outcomes_come_back_whole_until_something_changes(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    path, other = package / "net.py", package / "other.py"
    for file in (path, other, package / "__init__.py"):
        file.write_text(TEXT)
    store = OutcomeCache.open(tmp_path)
    assert store.get(path, TEXT, Config(root=tmp_path)) is None
    store.put(path, TEXT, Config(root=tmp_path), [_outcome(path)], ReadSet())
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
    store = OutcomeCache.open(tmp_path)
    store.put(path, TEXT, Config(root=tmp_path), [_outcome(path)], ReadSet())
    store.save()
    assert _known(tmp_path, path) == [_outcome(path)]
    record = tmp_path / Config(root=tmp_path).recorded
    record.parent.mkdir(parents=True)
    record.write_text("{}")
    assert _known(tmp_path, path) is None


def test_a_broken_file_is_nothing_known(tmp_path: Path) -> None:
    (tmp_path / ".hybridlint_cache").mkdir()
    (tmp_path / ".hybridlint_cache" / "proofs.json").write_text("{]")
    assert OutcomeCache.open(tmp_path).entries == {}
    assert ProofOutcome(tmp_path, "Net", 1, ProofStatus.NOT_RUN, "it took longer than 30 s (running it eagerly)").late
    assert not _outcome(tmp_path).late


def test_files_that_are_written_while_they_are_read_are_not_remembered(tmp_path: Path) -> None:
    path, other = tmp_path / "net.py", tmp_path / "data.txt"
    path.write_text(TEXT)
    seen = ReadSet({str(other)})
    other.write_text("x")
    os.utime(other, (seen.began + 1, seen.began + 1))
    store = OutcomeCache.open(tmp_path)
    store.put(path, TEXT, Config(root=tmp_path), [_outcome(path)], seen)
    assert store.get(path, TEXT, Config(root=tmp_path)) is None


def test_libraries_are_listed_once(tmp_path: Path) -> None:
    library, root = tmp_path / "site-packages" / "library.py", tmp_path / "project"
    for folder in (library.parent, root):
        folder.mkdir()
    library.write_text("x = 1\n")
    seen = ReadSet()
    seen.add([str(library)], [])
    files = [root / "a.py", root / "b.py"]
    for file in files:
        file.write_text(TEXT)
    store = OutcomeCache.open(root)
    for file in files:
        store.put(file, TEXT, Config(root=root), [_outcome(file)], seen)
    store.save()
    assert list(OutcomeCache.open(root).libraries.values()) == [[str(library)]]
    assert all(_known(root, file) is not None for file in files)
    library.write_text("x = 22\n")
    assert all(_known(root, file) is None for file in files)
