"""The graph of files that the cache keeps: when it holds, and what is forgotten."""

from __future__ import annotations

from pathlib import Path

from hybridlint.analysis.imports.finder import Links
from hybridlint.checking.import_graph import DiskSnapshot, ImportGraph


def _write(folder: Path, *names: str) -> list[str]:
    for name in names:
        (folder / name).write_text(name, encoding="utf-8")
    return [str(folder / name) for name in names]


def _chain(folder: Path) -> tuple[ImportGraph, list[str]]:
    """Return a graph in which a imports b, b imports c, and c imports b."""
    a, b, c = _write(folder, "a", "b", "c")
    graph = ImportGraph({}, DiskSnapshot())
    graph.learn([Links(a, (b,), (), ()), Links(b, (c,), (), ()), Links(c, (b,), (), (str(folder / "d.py"),))])
    return graph, [a, b, c]


def _later(graph: ImportGraph) -> ImportGraph:
    return ImportGraph.from_json(graph.to_json(), DiskSnapshot())


def test_nothing_has_changed(tmp_path: Path) -> None:
    graph, paths = _chain(tmp_path)
    assert all(map(_later(graph).fresh, paths))
    assert _later(graph).nodes == graph.nodes


def test_a_change_reaches_whoever_imports_the_file(tmp_path: Path) -> None:
    graph, [a, b, c] = _chain(tmp_path)
    Path(a).write_text("changed", encoding="utf-8")
    later = _later(graph)
    assert [later.fresh(path) for path in (a, b, c)] == [False, True, True]
    assert later.outdated([a, b, c]) == {a}
    Path(c).write_text("changed", encoding="utf-8")
    later = _later(graph)
    assert not any(map(later.fresh, (a, b, c)))
    assert later.outdated([c]) == {a, b, c}


def test_a_file_that_was_not_there(tmp_path: Path) -> None:
    graph, paths = _chain(tmp_path)
    _write(tmp_path, "d.py")
    assert not any(map(_later(graph).fresh, paths))


def test_what_is_learnt_adds_up_while_a_file_stays_the_same(tmp_path: Path) -> None:
    graph, [a, b, c] = _chain(tmp_path)
    graph.learn([Links(a, (c,), (), ())])
    assert graph.nodes[a].imports == {b, c}
    Path(a).write_text("changed", encoding="utf-8")
    later = _later(graph)
    later.learn([Links(a, (c,), (), ())])
    assert later.nodes[a].imports == {c}


def test_a_file_nobody_knows_is_not_fresh(tmp_path: Path) -> None:
    assert not ImportGraph({}, DiskSnapshot()).fresh(str(tmp_path / "a"))
