"""What README.md shows is what the tool says. `BLESS=1 pytest tests/test_readme.py` writes it anew."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import hybridlint

README = Path(__file__).parents[1] / "README.md"
_BLOCK = re.compile(
    r"^```console\n\$ hybridlint (?P<arguments>[^#\n]*)\n(?P<output>(?!\$).*?)^```$", re.DOTALL | re.MULTILINE
)


def _blocks() -> list[re.Match[str]]:
    return list(_BLOCK.finditer(README.read_text(encoding="utf-8"))) if README.is_file() else []


def _run(arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "hybridlint", *shlex.split(arguments)],
        cwd=README.parent,
        env={**os.environ, "PYTHONPATH": str(Path(hybridlint.__file__).parents[1]), "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
        check=False,
    )
    return done.stdout.decode()


@pytest.mark.parametrize("index", range(len(_blocks())))
def test_outputs(index: int) -> None:
    block = _blocks()[index]
    output = _run(block["arguments"])
    if os.environ.get("BLESS") and output != block["output"]:
        text = README.read_text(encoding="utf-8")
        start, end = block.span("output")
        README.write_text(text[:start] + output + text[end:], encoding="utf-8")
    else:
        assert block["output"] == output
