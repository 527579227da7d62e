"""Files that are nested too deeply, or do not parse: `hybridize` says so of the file, and converts the others."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hybridlint.cli import cli

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
