"""Extension modules that are not built: what `verify` says of them, and that `run` makes nothing up."""

from __future__ import annotations

import json

from .conftest import CommandLine

NET = """\
from mxnet.gluon import HybridBlock

from ._fast import speed


class Free(HybridBlock):
    def hybrid_forward(self, F, x):
        return x * 2


class Fast(HybridBlock):
    def hybrid_forward(self, F, x):
        return x * speed(3)
"""


def test_the_report_names_the_module_once(cli: CommandLine) -> None:
    for name, text in {"__init__.py": "", "_fast.pyx": "", "a.py": NET, "b.py": NET}.items():
        cli.write(f"pack/{name}", text)
    line = "Not built, replaced by a stand-in: pack._fast (only _fast.pyx is there).\n"
    for _ in range(2):
        assert cli("verify", "pack").out.count(line) == 1, "the cache keeps it"
    found = json.loads(cli("verify", "pack", "--output-format", "json").out)
    assert [one["unbuilt"] for one in found] == [{"pack._fast": "_fast.pyx"}] * 4


def test_a_build_is_found_by_the_next_run(cli: CommandLine) -> None:
    for name, text in {"__init__.py": "", "_fast.pyx": "", "a.py": NET}.items():
        cli.write(f"pack/{name}", text)
    assert "not built: only `_fast.pyx`" in cli("verify", "pack").out
    cli.write("pack/_fast.cpython-31-other.so", "no build")
    assert "not built for this Python" in cli("verify", "pack").out


def test_run_makes_no_stand_in(cli: CommandLine) -> None:
    cli.write("_fast.pyx", "")
    cli.write("main.py", "from _fast import speed\nprint('reached')\n")
    outcome = cli("run", "main.py")
    assert outcome.status == 1
    assert "reached" not in outcome.out
    assert "No module named '_fast'" in outcome.err
