"""Object code is found by what its IR depends on, so that the IR is written only where there is none."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import pytest

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.jit import executor as module
from hybridlint.runtime.compiled.engines.jit import llvm
from hybridlint.runtime.compiled.engines.jit.assembly import assemble_functions, told_of
from hybridlint.runtime.compiled.engines.jit.kernel_threads import KernelThreads
from hybridlint.runtime.compiled.engines.jit.llvm import features
from hybridlint.runtime.compiled.engines.jit.object_files import FOLDER
from hybridlint.runtime.compiled.engines.jit.sources import sources
from hybridlint.runtime.compiled.engines.jit.target import best
from hybridlint.runtime.compiled.graph import Graph
from tests.runtime.compiled.jit.engines import compiled, engine, graph_of, matches, native
from tests.runtime.compiled.jit.test_thread_team import GRAPHS, use

X = sym.var("x")


def small() -> Graph:
    return graph_of(sym.FullyConnected(sym.tanh(X), num_hidden=5), {"x": (3, 7)})


def nothing_is_written(*_: object) -> NoReturn:
    raise AssertionError


@native
def test_no_ir_is_written_where_there_is_object_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    compiled(engine(best(features())), small())
    monkeypatch.setattr(module, "assemble_functions", nothing_is_written)
    again = compiled(engine(best(features())), small())
    assert again.native.cached
    matches(again, small())


@native
@pytest.mark.parametrize("stamp", ["others", None])
def test_other_sources_find_the_code_of_equal_ir(
    stamp: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sources that cannot be read have no stamp: the IR itself names the code then."""
    monkeypatch.setenv(FOLDER, str(tmp_path))
    compiled(engine(best(features())), small())
    monkeypatch.setattr(module, "sources", lambda: stamp)
    monkeypatch.setattr(llvm, "_optimized", nothing_is_written)
    assert [compiled(engine(best(features())), small()).native.cached for _ in range(2)] == [True, True]


@native
def test_other_sources_find_nothing_for_other_ir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    compiled(engine(best(features())), small())
    monkeypatch.setattr(module, "sources", lambda: "others")
    monkeypatch.setattr(module, "assemble_functions", lambda *of: assemble_functions(*of) + "\n; as others write it\n")
    assert [compiled(engine(best(features())), small()).native.cached for _ in range(2)] == [False, True]


@native
def test_equal_ir_that_is_compiled_in_another_way_has_code_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    compiled(engine(best(features())), small())
    monkeypatch.setattr(module, "sources", lambda: "others")
    monkeypatch.setattr(llvm, "_compiler", lambda: "another way")
    assert not compiled(engine(best(features())), small()).native.cached


def test_the_sources_have_a_stamp() -> None:
    assert sources()


@native
@pytest.mark.parametrize("helpers", [0, 2])
def test_what_is_told_tells_all_that_the_ir_depends_on(helpers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, KernelThreads(helpers))
    graphs = [graph_of(s, {k: shapes[k] for k in s.list_arguments()}) for s, shapes in GRAPHS.values()]
    graphs += [graph_of(X * k + j, {"x": (64, n)}) for k in (2, 3) for j in (1, 4) for n in (512, 700)]
    graphs += [graph_of(sym.dot(X, X), {"x": (n, n)}) for n in (40, 64, 100)]
    graphs += [graph_of(sym.sum(X, axis=axis), {"x": (64, 64)}) for axis in (0, 1)]
    graphs += [graph_of(f(X), {"x": (64, 64)}) for f in (sym.exp, sym.tanh, sym.transpose, sym.softmax)]
    made = [compiled(engine(best(features())), graph) for graph in graphs]
    told = [told_of(executor._grouped, executor._teams) for executor in made]
    assert len(dict(zip(told, [executor.source for executor in made], strict=True))) == len(made)
    assert len({executor.source for executor in made}) == len(made)
