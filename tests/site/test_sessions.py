"""The pages for users show what the commands print: each session is run. ``BLESS=1`` writes the outputs anew."""

from __future__ import annotations

import ast
import importlib.util
import os
import shutil
import sys
from pathlib import Path

import pytest

from .sessions import commands, fences, played

DOCS = Path(__file__).parents[2] / "docs"
#: Each of these pages has commands; how many at least, so that none is lost unseen.
PAGES = {
    "tutorial": 9,
    "dead-projects": 6,
    "hybridize": 2,
    "adopting": 6,
    "notebooks": 3,
    "ci": 2,
    "writing-rules": 1,
    "compare": 2,
    "faq": 3,
    "leaving": 5,
}
#: Pages whose sessions need PyTorch.
WITH_TORCH = ("leaving",)

pytestmark = [
    pytest.mark.skipif(not DOCS.is_dir(), reason="runs in a checkout only"),
    pytest.mark.skipif(not (shutil.which("bash") and shutil.which("git")), reason="the sessions need bash and git"),
    pytest.mark.skipif(sys.version_info < (3, 11), reason="before Python 3.11 tracebacks look otherwise"),
]


@pytest.mark.parametrize("name", PAGES)
def test_sessions(name: str, tmp_path: Path) -> None:
    if name in WITH_TORCH and importlib.util.find_spec("torch") is None:
        pytest.skip("PyTorch is not installed")
    page = DOCS / f"{name}.md"
    text = page.read_text(encoding="utf-8")
    assert len(commands(text)) >= PAGES[name]
    found = played(text, tmp_path)
    if os.environ.get("BLESS"):
        page.write_text(found, encoding="utf-8")
    else:
        assert found == text, f"docs/{name}.md is old: BLESS=1 pytest tests/site/test_sessions.py writes it anew"


@pytest.mark.parametrize("name", PAGES)
def test_no_code_is_left_out(name: str) -> None:
    """A block of Python is a file that the commands read, or says why it is not run."""
    text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    run = " ".join(commands(text))
    for fence in fences(text):
        if fence.file is not None:
            assert fence.file.partition("/")[0] in run, fence.file
        if fence.language == "python":
            ast.parse(fence.body)
            assert fence.file is not None or fence.shown_only, fence.body
