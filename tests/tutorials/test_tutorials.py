"""The five tutorials that the project came from, cell by cell, under ``hybridlint run``."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from . import documents

pytestmark = pytest.mark.skipif(
    not documents.SHARED.is_dir(), reason="the tutorials lie in ../shared, which only the project's developers have"
)

HERE = Path(__file__).parent
ORACLE = Path.home() / ".oracle" / "bin" / "python"
MARK = "=====cell====="
#: What the tutorials use of the book's own helper module: a stopwatch.
D2L = """
import time


class Timer:
    def __init__(self):
        self.start = time.time()

    def stop(self):
        return time.time() - self.start
"""


def rounded(expected: list[float]) -> Any:
    """Return numbers to compare with as far as float32 tells: engines add up in different orders."""
    return pytest.approx(expected, rel=1e-5, abs=1e-6)


def run_tutorial(name: str, folder: Path) -> list[str]:
    """Run all cells in `folder` and return what each printed."""
    (folder / "cells.json").write_text(json.dumps(documents.read(name).cells), encoding="utf-8")
    (folder / "d2l.py").write_text(D2L, encoding="utf-8")
    shutil.copy(HERE / "notebook.py", folder)
    done = subprocess.run(
        [sys.executable, "-m", "hybridlint", "run", "notebook.py", "cells.json"],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout.split(MARK + "\n")[1:]


def numbers(text: str) -> list[float]:
    """The floating-point numbers of an array's display, its type and context left out."""
    return [float(n) for n in re.findall(r"-?\d+\.\d*(?:e[+-]\d+)?", text.split("<NDArray", maxsplit=1)[0])]


def test_straight_dope_notebook_traces_once_and_names_the_types(tmp_path: Path) -> None:
    cells = run_tutorial("straight-dope-hybridize.md", tmp_path)
    assert numbers(cells[3]) == rounded(numbers(cells[4]))
    assert re.fullmatch(r"Before hybridizing: \d+\.\d{4} sec\nAfter hybridizing: \d+\.\d{4} sec\n", cells[5])
    assert "<Symbol data>" in cells[6]
    assert re.search(r"<Symbol hybridsequential\d+_dense2_fwd>", cells[6])
    assert '"op": "FullyConnected"' in cells[6]
    eager = "type(x): NDArray, F: mxnet.ndarray\n"
    assert cells[9] == f"=== 1st forward ===\n{eager}=== 2nd forward ===\n{eager}"
    assert cells[10] == "=== 1st forward ===\ntype(x): Symbol, F: mxnet.symbol\n=== 2nd forward ===\n"


def test_straight_dope_page_gives_equal_results_before_and_after(tmp_path: Path) -> None:
    cells = run_tutorial("straight-dope-page.txt", tmp_path)
    assert len(cells) >= 7
    assert numbers(cells[0])
    assert numbers(cells[0]) == rounded(numbers(cells[1]))
    assert (tmp_path / "model.json").is_file()
    assert (tmp_path / "model.params").is_file()


def test_d2l_prints_in_hybrid_forward_only_while_tracing(tmp_path: Path) -> None:
    cells = run_tutorial("d2l-hybridize.md", tmp_path)
    assert numbers(cells[2]) == rounded(numbers(cells[3]))
    display = [c.count("hidden: ") for c in cells]
    eager_first, eager_again, traced, compiled = (k for k in range(len(cells)) if k >= len(cells) - 4)
    assert [display[k] for k in (eager_first, eager_again, traced, compiled)] == [1, 1, 1, 0]
    assert "F:  <module 'mxnet.ndarray'" in cells[eager_first]
    assert "F:  <module 'mxnet.symbol'" in cells[traced]
    assert "x:  <Symbol data>" in cells[traced]
    assert re.search(r"hidden:  <Symbol hybridnet\d+_relu0>", cells[traced])
    assert numbers(cells[compiled]) == rounded(numbers(cells[traced].split("relu0>")[1]))


def test_mxnet_page_exports_what_symbol_block_imports(tmp_path: Path) -> None:
    cells = run_tutorial("mxnet-hybrid.md", tmp_path)
    assert cells[1].count("<NDArray 16x1x28x28 @cpu(0)>") == 2
    assert cells[2].count("<Symbol data>") == 1
    assert "NDArray 16x1x28x28" not in cells[2]
    assert sorted(p.name for p in tmp_path.glob("model*")) == ["model-0001.params", "model-symbol.json"]


def test_numpy_interface_of_d2l_runs_and_traces_once(tmp_path: Path) -> None:
    cells = run_tutorial("d2l-compilers-np.md", tmp_path)
    printed = [c for c in cells if "module F:" in c]
    assert len(printed) == 2
    assert "value  x:  <_Symbol data>" in printed[1]
    assert (tmp_path / "my_mlp-symbol.json").is_file()


@pytest.mark.skipif(not ORACLE.is_file(), reason="no MXNet 1.9.1 environment to load the files with")
def test_the_real_mxnet_loads_what_the_tutorials_export(tmp_path: Path) -> None:
    run_tutorial("mxnet-hybrid.md", tmp_path)
    program = (
        "import mxnet as mx\n"
        "net = mx.gluon.SymbolBlock.imports('model-symbol.json', ['data'], 'model-0001.params')\n"
        "print(net(mx.nd.ones((2, 1, 28, 28))).shape)\n"
    )
    done = subprocess.run(
        [str(ORACLE), "-c", program], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
    )
    assert done.stdout.strip() == "(2, 10)", done.stderr[-2000:]
