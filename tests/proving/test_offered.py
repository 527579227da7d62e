"""What is offered to be written above a block was run first and worked; where nothing worked, no line is offered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.project.settings.config import Config
from hybridlint.project.settings.directives import parse
from hybridlint.proving.directive_files import add_directives

from .conftest import proved

Prove = Callable[..., dict[str, ProofOutcome]]

FORM = "(`hybridlint verify --help` shows its form)"


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ProofOutcome]:
    return proved(
        tmp_path_factory.mktemp("offered"),
        """
        class Far(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return F.log(x - 30)

        class Nowhere(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return F.log(-1 - F.relu(x))

        class Unknown(nn.HybridBlock):
            def __init__(self, words, table):
                super().__init__()
                self.size = words["size"]["all"] + table["rows"]["all"]

            def hybrid_forward(self, F, x):
                return x

        class Strange(nn.HybridBlock):
            def hybrid_forward(self, F, x, y):
                raise ValueError("neither of them will do")
        """,
    )


def test_a_range_that_was_tried_is_offered(outcomes: dict[str, ProofOutcome]) -> None:
    far = outcomes["Far"]
    assert far.status is ProofStatus.NOT_RUN
    assert far.directive == 'verify(x=("N", "L", uniform(10.0, 100.0)))'
    assert far.add is not None
    assert f"`# hybridlint: {far.directive}`" in far.add
    assert "its outputs are finite" in far.add


def test_where_nothing_worked_a_sentence_says_what_to_supply_and_why(outcomes: dict[str, ProofOutcome]) -> None:
    assert {name: outcomes[name].add for name in ("Nowhere", "Unknown", "Strange")} == {
        "Nowhere": "Say in a comment above the class in which range `x` lies in your program: in none that was "
        f"tried are its outputs finite {FORM}.",
        "Unknown": "Say in a comment above the class what your program passes as `words` and `table`: none of the "
        f"values that were tried builds it {FORM}.",
        "Strange": "Say in a comment above the class what `x` and `y` are in your program: none of the inputs that "
        f"were tried runs {FORM}.",
    }
    assert {outcomes[name].directive for name in ("Nowhere", "Unknown", "Strange")} == {None}


def test_every_offered_line_is_a_directive(outcomes: dict[str, ProofOutcome]) -> None:
    for outcome in outcomes.values():
        offered = (outcome.add or "").partition("`# hybridlint: verify")[2].partition("`")[0]
        assert bool(offered) == (outcome.directive is not None)
        if offered:
            assert parse(offered).named


def test_what_is_offered_is_written_and_makes_the_block_run(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    text = """\
from mxnet.gluon import nn


class Far(nn.HybridBlock):
    def hybrid_forward(self, F, x):
        return F.log(x - 30)
"""
    path.write_text(text, encoding="utf-8")
    directive = 'verify(x=("N", "L", uniform(10.0, 100.0)))'
    told = ProofOutcome(path, "Far", 4, ProofStatus.NOT_RUN, "all outputs are nan", directive=directive)
    wrong = ProofOutcome(
        path, "Far", 4, ProofStatus.NOT_RUN, "all outputs are nan", directive="verify(x=(2, 3, 4), y=(5,))"
    )
    config = Config(root=tmp_path)
    [added] = add_directives([(path, [wrong])], [config])
    assert not added.written
    assert path.read_text(encoding="utf-8") == text
    [added] = add_directives([(path, [told])], [config])
    assert [written.lines for written in added.written] == [(f"# hybridlint: {directive}",)]
    assert f"# hybridlint: {directive}\nclass Far" in path.read_text(encoding="utf-8")
