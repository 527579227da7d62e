"""What was measured of other public projects: how it is judged, and that the page says it."""

from __future__ import annotations

from typing import Any

import pytest

from . import others_table, page, ways
from .networks import PROJECTS
from .others_table import Verdict, verdict

KNOWN = ways.load(others_table.KEPT)


def _network(*, ran: bool = True, **apart: float) -> dict[str, Any]:
    here = {"apart": {"eager": 1e-7, **apart} if ran else {}, "errors": {} if ran else {"eager": "ValueError: no"}}
    return {
        "same": [],
        **({"eager": []} if ran else {}),
        "errors": {} if ran else {"eager": "ValueError: no"},
        "here": here,
    }


def test_verdicts() -> None:
    assert verdict(_network()) is Verdict.AGREES
    assert verdict(_network(gradients=1e-3)) is Verdict.DIFFERS
    assert verdict(_network(ran=False)) is Verdict.NEITHER


def test_what_runs_here_only_differs() -> None:
    wanted = ways.reference({"errors": {"eager": "ValueError: no"}})
    found: dict[str, Any] = {"errors": {}, "eager": []}
    assert verdict({**wanted, "here": ways.compared(found, wanted)}) is Verdict.DIFFERS


def test_what_is_not_imported_here_is_told() -> None:
    assert others_table.imported(_network(ran=False))
    assert not others_table.imported({"here": {"errors": {"import": "ImportError: no"}}})


def test_every_project_has_networks_that_agree() -> None:
    agreeing = {key.partition("/")[0] for key, network in KNOWN.items() if verdict(network) is Verdict.AGREES}
    assert agreeing == set(PROJECTS)


def test_most_of_what_mxnet_runs_agrees() -> None:
    verdicts = [verdict(network) for network in KNOWN.values()]
    assert verdicts.count(Verdict.AGREES) >= 0.95 * (len(verdicts) - verdicts.count(Verdict.NEITHER))


@pytest.mark.skipif(not page.PAGE.exists(), reason="runs in a checkout only")
def test_the_page_is_up_to_date() -> None:
    up_to_date = others_table.text(KNOWN).strip() in page.PAGE.read_text(encoding="utf-8")
    assert up_to_date, "docs/projects.md is old: `python -m tests.projects.others_table` writes it anew"
