"""Possible findings and what running their blocks says of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hybridlint.checking.checker import Job, check
from hybridlint.core.proof_outcome import FirstDivergence, ProofOutcome, ProofStatus
from hybridlint.core.result import Result
from hybridlint.project.settings.config import Config
from hybridlint.proving.resolve_possible import doubtful, resolve_possible

TEXT = """\
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, a, b):
        c = a * 2
        return (a + b) * c[0]

    class Inner(HybridBlock):
        def hybrid_forward(self, F, a, b):
            return a - b
"""
PATH = Path("net.py")


def _result() -> Result:
    return check(Job(PATH, TEXT.encode(), Config(root=Path(), possible=True)))


def _outcome(block: str, status: ProofStatus, **more: object) -> ProofOutcome:
    return replace(ProofOutcome(PATH, block, 1, status, "it was run"), **more)  # type: ignore[arg-type]


def _told(result: Result) -> list[tuple[int, str]]:
    return [(d.location.row, d.severity) for d in result.diagnostics if d.code == "HYB301"]


def test_nothing_is_settled_by_nothing() -> None:
    result = _result()
    assert _told(result) == [(7, "possible"), (11, "possible")]
    assert doubtful(result) == {"Net", "Net.Inner"}
    assert resolve_possible(result, []) == result
    assert (
        resolve_possible(result, [_outcome("Net", ProofStatus.NOT_RUN), _outcome("Other", ProofStatus.PROVED)])
        == result
    )


def test_what_is_proved_drops_the_possible_findings_of_its_class_only() -> None:
    result = resolve_possible(_result(), [_outcome("Net", ProofStatus.PROVED, rows=(6, 7))])
    assert _told(result) == [(11, "possible")]
    # What is certain stays, whatever was run.
    assert [d.code for d in result.diagnostics if d.severity == "error"] == [
        d.code for d in _result().diagnostics if d.severity == "error"
    ]


def test_a_proof_that_is_weaker_than_the_finding_drops_nothing() -> None:
    reserved = _outcome("Net", ProofStatus.PROVED, rows=(6, 7), only=("sizes of 1 in a (N, 1)",))
    assert resolve_possible(_result(), [reserved]) == _result()
    elsewhere = _outcome("Net", ProofStatus.PROVED, rows=(6,))
    assert resolve_possible(_result(), [elsewhere]) == _result()


def test_what_is_refuted_makes_the_finding_certain_where_the_runs_part() -> None:
    parting = FirstDivergence(row=7, operator="broadcast_add", code="a + b", message="no", agreed=0)
    for more in ({"failed_row": 7}, {"parting": parting}, {}):
        result = resolve_possible(_result(), [_outcome("Net", ProofStatus.REFUTED, **more)])
        assert _told(result) == [(7, "error"), (11, "possible")]
        assert [d.message.endswith("; running Net shows it: it was run") for d in result.diagnostics] == [
            True,
            False,
            False,
        ]
    elsewhere = resolve_possible(_result(), [_outcome("Net", ProofStatus.REFUTED, failed_row=6)])
    assert _told(elsewhere) == [(7, "possible"), (11, "possible")]


def test_a_refutation_that_rests_on_a_guess_settles_nothing() -> None:
    assert resolve_possible(_result(), [_outcome("Net", ProofStatus.REFUTED, guessed=True)]) == _result()


def test_the_block_as_it_stands_counts_and_not_what_fixing_makes_of_it() -> None:
    stands, mended = _outcome("Net", ProofStatus.REFUTED, failed_row=7), _outcome("Net", ProofStatus.PROVED)
    assert _told(resolve_possible(_result(), [stands, mended])) == [(7, "error"), (11, "possible")]
    taken_back = _outcome("Net", ProofStatus.REFUTED, taken_back="HYB301 in line 7")
    assert _told(resolve_possible(_result(), [taken_back])) == [(7, "possible"), (11, "possible")]
