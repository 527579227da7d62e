"""Code that maintainers have repaired: what was repaired is found, and the repair is not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from hybridlint.engine import analyze_file
from hybridlint.rule import Severity
from hybridlint.source import SourceFile

IMPORTS = "import mxnet as mx\nfrom mxnet import autograd, nd\nfrom mxnet.gluon import HybridBlock, nn, rnn\n\n\n"
MARK = re.compile(r"  # (HYB\d{3})$", re.MULTILINE)


@dataclass(frozen=True)
class Fragment:
    """A piece of a project's history."""

    name: str
    before: str
    after: str


def _fragments() -> list[Fragment]:
    text = Path(__file__).with_name("fragments.txt").read_text(encoding="utf-8")
    found = re.findall(r"^# %% (\w+): .*\n((?:.*\n)*?)# --\n((?:.*\n)*?)(?=# %%|\Z)", text, re.MULTILINE)
    return [Fragment(name, IMPORTS + before, IMPORTS + after) for name, before, after in found]


def _findings(text: str) -> set[tuple[int, str]]:
    source = SourceFile(Path("net.py"), MARK.sub("", text))
    told = [f for f in analyze_file(source) if f.severity is not Severity.INFO]
    return {(source.location(source.span(f.node).start)[0], f.rule.code) for f in told}


FRAGMENTS = _fragments()


def test_all_fragments_are_read() -> None:
    text = Path(__file__).with_name("fragments.txt").read_text(encoding="utf-8")
    assert len(FRAGMENTS) == text.count("# %% ") >= 10


@pytest.mark.parametrize("fragment", FRAGMENTS, ids=lambda fragment: fragment.name)
def test_what_was_repaired_is_found_there(fragment: Fragment) -> None:
    marks = {(row, code) for row, line in enumerate(fragment.before.split("\n"), 1) for code in MARK.findall(line)}
    assert marks
    assert _findings(fragment.before) == marks


@pytest.mark.parametrize("fragment", FRAGMENTS, ids=lambda fragment: fragment.name)
def test_the_repair_is_left_alone(fragment: Fragment) -> None:
    assert _findings(fragment.after) == set()
