"""Files that are nested too deeply, or do not parse: `hybridize` says so of the file, and converts the others."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from types import FrameType

import pytest
from click.testing import CliRunner, Result

from hybridlint.analysis.interpret import new_project
from hybridlint.frontends.cli import cli
from hybridlint.hybridizing.obstacles import of_conversion
from hybridlint.hybridizing.reachable_methods import Reach
from hybridlint.text.source import SourceFile

PLAIN = """from mxnet import nd
from mxnet.gluon import Block, nn


class Net(Block):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.body = nn.Dense(3)

    def forward(self, x):
        y = {chain}
        return nd.relu(self.body(x))
"""


def _run(folder: Path, text: str, command: str = "hybridize") -> Result:
    (folder / "net.py").write_text(text)
    return CliRunner().invoke(cli, [command, str(folder)], standalone_mode=False)


@pytest.mark.parametrize("chain", ["x" + ".relu()" * 300, "x + " * 300 + "x", "not " * 300 + "x"])
def test_what_is_too_deep_for_libcst_is_named(tmp_path: Path, chain: str) -> None:
    done = _run(tmp_path, PLAIN.format(chain=chain))
    assert "not possible" in done.output
    assert "nested too deeply" in " ".join(done.output.split())
    assert done.return_value == 1


@pytest.mark.parametrize("command", ["hybridize", "status"])
def test_what_is_too_deep_for_the_analysis_is_named(tmp_path: Path, command: str) -> None:
    done = _run(tmp_path, PLAIN.format(chain="x" + ".relu()" * 900), command)
    assert "nested too deeply" in " ".join(done.output.split())
    assert done.return_value == 1


@pytest.mark.parametrize("chain", ["(x", "x x"])
def test_what_does_not_parse_is_named(tmp_path: Path, chain: str) -> None:
    done = _run(tmp_path, PLAIN.format(chain=chain))
    assert "net.py: it was left out" in done.output
    assert done.return_value == 2


def test_what_is_too_deep_for_some_parsers_is_named_by_all(tmp_path: Path) -> None:
    done = _run(tmp_path, PLAIN.format(chain="x" + ".relu()" * 20_000))
    assert "net.py: it was left out" in done.output or "nested too deeply" in " ".join(done.output.split())
    assert done.return_value in (1, 2)


def test_the_work_for_a_chain_grows_with_its_length_and_no_faster() -> None:
    """Counted in calls of Python functions."""
    calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    counts = []
    for length in (60, 60, 120):
        source = SourceFile(Path("net.py"), PLAIN.format(chain="x" + ".relu()" * length))
        module = new_project().module(source)
        [info] = [module.class_info(node) for node in source.tree.body if isinstance(node, ast.ClassDef)]
        reach = Reach(module, [info], ())
        calls = 0
        sys.setprofile(count)
        try:
            assert of_conversion(info, reach, (), ()) is None
        finally:
            sys.setprofile(None)
        counts.append(calls)
    assert counts[2] < 3 * counts[1]
