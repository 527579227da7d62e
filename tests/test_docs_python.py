"""The examples of docs/python.md and docs/onnx.md print what stands below them, on the bundled runtime.

``BLESS=1 pytest tests/test_docs_python.py`` writes the outputs anew.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hybridlint

DOCS = Path(__file__).parents[1] / "docs"
MARK = "--- output {} ---"
_BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```\n)?", re.DOTALL | re.MULTILINE)

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="runs in a checkout only")


@pytest.mark.parametrize(("name", "least", "needed"), [("python.md", 4, ()), ("onnx.md", 2, ("onnx", "onnxruntime"))])
def test_examples(name: str, least: int, needed: tuple[str, ...], tmp_path: Path) -> None:
    for library in needed:
        pytest.importorskip(library, reason="needs the extra hybridlint[onnx]")
    page = DOCS / name
    text = page.read_text(encoding="utf-8")
    blocks = list(_BLOCK.finditer(text))
    assert len(blocks) >= least
    printed = _run(tmp_path, [block["code"] for block in blocks])
    if os.environ.get("BLESS"):
        for block, output in reversed(list(zip(blocks, printed, strict=True))):
            if block["output"] is not None:
                text = text[: block.start("output")] + output + text[block.end("output") :]
        page.write_text(text, encoding="utf-8")
    else:
        assert list(map(_told, printed)) == [_told(block["output"] or "") for block in blocks]


def _told(text: str) -> str:
    """Before Python 3.11 a place is a whole line."""
    return text if sys.version_info >= (3, 11) else re.sub(r" at `[^`]*`", "", text)


def _run(folder: Path, codes: list[str]) -> list[str]:
    """Return what each of some pieces of one program prints, without the name of its file."""
    program = folder / "example.py"
    program.write_text("".join(f"{code}\nprint({MARK.format(k)!r})\n" for k, code in enumerate(codes)), "utf-8")
    environment = {**os.environ, "PYTHONPATH": str(Path(hybridlint.__file__).parents[1]), "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "hybridlint", "run", str(program)]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return re.split(rf"{MARK.format('[0-9]+')}\n", done.stdout.replace(f" ({program})", ""))[:-1]
