"""Data of another process or a file is what it is declared to be, or MalformedError; no other exception comes of it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hybridlint.core import schema
from hybridlint.core.proof_outcome import (
    OUTCOME,
    FirstDivergence,
    ProofOutcome,
    ProofStatus,
    ReportedDifference,
    ReportedNode,
    VariantResult,
    as_message,
    read_outcome,
)
from hybridlint.core.schema import MalformedError
from hybridlint.proving.child.comparison_evidence import OF_BLOCK
from hybridlint.proving.child.messages import OF_MODULE, OF_PROOF
from hybridlint.proving.child.stages import Stage

#: Values of every JSON type, and some that Python finds hard.
ODD: list[Any] = [
    *(None, True, 0, -1, 5, 10**30, 1.5, math.nan, math.inf, "", "x", "\ud800", "\0", "/a\0", "%s{}", [], [[]], {}),
    *([None], [1, "x"], {"a": 1}, ["x"] * 3, {"event": "stage"}, {"x": [{}]}, [{"name": 1}]),
]
WHOLE = ProofOutcome(
    Path("a.py"),
    "Net",
    3,
    ProofStatus.REFUTED,
    "compiled: output has other values",
    failed_row=7,
    difference=ReportedDifference("output", "has other values", 1.0, 2.0, (0, 1), 1.0, 2.0),
    rounds=({"N": 2}, {"N": 3}),
    variants=(VariantResult("compiled"), VariantResult("float16", "no time")),
    parting=FirstDivergence(7, "relu", "F.relu(x)", "differs", 2),
    graph=(ReportedNode("x", "", (), None, "agrees"), ReportedNode("y", "relu", (0,), 7, "parts", (2, 4))),
    only=("units=4",),
    rows=(1, 2),
    stopped=("it tries to write /a (a.py:1)",),
    seconds=(0.1, 0.2),
)
STAGE = {"event": "stage", **Stage("running", "compiled", 0.5, None, {"status": "proved", "reason": "equal"})._asdict()}
MESSAGES: list[tuple[schema.Check, dict[str, Any]]] = [
    (OF_BLOCK, STAGE),
    (OF_BLOCK, {"event": "read", "files": ["/a"], "folders": ["/b"]}),
    (OF_BLOCK, {"event": "outcome", "trial": 1, **as_message(WHOLE)}),
    (OF_BLOCK, {"event": "trial", "trial": 1}),
    (OF_MODULE, {"event": "loaded", "names": ["Net"]}),
    (OF_MODULE, {"event": "failed", "reason": "no", "add": None, "row": 3, "fixed": False, "stopped": ["x"]}),
    (OF_PROOF, {"event": "outcome", "block": "Net", **as_message(WHOLE)}),
    (OF_PROOF, {"event": "ended", "status": -9, "reason": "too much"}),
]


def _names(message: Mapping[str, Any]) -> list[str]:
    return [name for name in message if name != "event"]


@pytest.mark.parametrize(
    ("check", "message"), MESSAGES, ids=lambda value: value["event"] if type(value) is dict else ""
)
def test_a_message_passes_and_keeps_its_fields(check: schema.Check, message: dict[str, Any]) -> None:
    assert {name: value for name, value in check(message).items() if message[name] == value}.keys() >= {"event"}
    assert check(check(message)) == check(message)
    assert "unknown" not in check({**message, "unknown": [1]})


@pytest.mark.parametrize(
    ("check", "message"), MESSAGES, ids=lambda value: value["event"] if type(value) is dict else ""
)
def test_a_wrong_field_is_named_and_nothing_else_raised(check: schema.Check, message: dict[str, Any]) -> None:
    wrong = [(name, _wrong(check, {**message, name: value})) for name in _names(message) for value in ODD]
    assert all(told is None or told.startswith(f"`{name}") for name, told in wrong)
    assert any(told is not None for _, told in wrong)


def _wrong(check: schema.Check, message: dict[str, Any]) -> str | None:
    """Return what is wrong with a message, None if it passes and is JSON."""
    try:
        json.dumps(check(message)).encode()
    except MalformedError as error:
        return schema.in_words(error)
    return None


def test_what_lacks_a_field_is_told() -> None:
    with pytest.raises(MalformedError) as caught:
        OF_PROOF({"event": "stage", "stage": "running"})
    assert schema.in_words(caught.value) == "it has no `variant`"


@pytest.mark.parametrize("check", [OF_BLOCK, OF_MODULE, OF_PROOF])
def test_what_is_no_message_is_malformed(check: schema.Check) -> None:
    for odd in [*ODD, {"event": "other"}, {"event": ["stage"]}]:
        with pytest.raises(MalformedError):
            pytest.fail(f"taken: {check(odd)} of {odd!r}")


def test_an_outcome_survives_its_message() -> None:
    message = json.loads(json.dumps(as_message(WHOLE)))
    assert read_outcome(WHOLE.path, "Net", 3, OUTCOME(message)) == WHOLE


@pytest.mark.parametrize(
    "graph",
    [
        [{"name": "a", "operator": "b", "inputs": [0], "row": None, "state": "agrees"}],
        [{"name": "a", "operator": "b", "inputs": [3], "row": None, "state": "agrees"}],
        [{"name": "a", "operator": "b", "inputs": [], "row": None, "state": "other"}],
    ],
)
def test_the_inputs_of_a_drawn_node_come_before_it(graph: Any) -> None:
    with pytest.raises(MalformedError):
        OUTCOME({"status": "refuted", "reason": "r", "graph": graph})


def test_texts_for_people_are_cut_and_move_no_cursor() -> None:
    assert schema.text(5)("x" * 9) == "xxxxx..."
    assert schema.text()("a\x1b[31m\x07\ud800\nb\tc") == "a\ufffd[31m\ufffd\ufffd\nb\tc"


@pytest.mark.parametrize("data", [b"{", b"\xff", b"[" * 100_000, b"9" * 100_000, b"", b"NaNx", b'"\\ud8"'])
def test_what_is_no_json_is_malformed(data: bytes) -> None:
    with pytest.raises(MalformedError):
        schema.parse_json(data)
