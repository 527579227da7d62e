"""What user code writes into the channel of an import decides nothing: no name, no end, no failure, no time."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from hybridlint.proving.child.module_channel import ImportStages, ModuleMessages, new_mark, receive_mark
from hybridlint.proving.child.stages import IMPORTING
from hybridlint.proving.child.wire import MARK, encode_message, mark_position

TRUE = new_mark()
LOADED = {"event": "loaded", "names": ["Net", "Other"]}
STAGE = {"event": "stage", "stage": IMPORTING, "optional": "line 3", "within": 30.0}


def heard(*written: bytes, limit: float = 30.0) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the messages that arrive of some bytes, and what is noted."""
    here, there = socket.socketpair()
    notes: list[str] = []
    messages = ModuleMessages(here, TRUE, limit, notes.append)
    with here:
        found = []
        with there:
            for part in written:
                there.sendall(part)
                found += [dict(frame.message) for frame in messages.arrived()]
        while not messages.ended:
            found += [dict(frame.message) for frame in messages.arrived()]
    return found, notes


@pytest.mark.parametrize(
    ("forged", "note"),
    [
        (encode_message({"event": "loaded", "names": []}), "`event` must be one of stage, ready"),
        (encode_message({"event": "failed", "reason": "no", "add": None, "row": 1}), "`event`"),
        (encode_message({"event": "ended", "block": "Net", "status": 0}), "`event`"),
        (encode_message({"event": "module end", "row": 1, "reason": "no", "add": None, "fixed": False}), "`event`"),
        (encode_message({"event": "read", "files": [], "folders": []}), "`event`"),
        (encode_message({"event": "outcome", "block": "Net", "status": "proved", "reason": "so"}), "`event`"),
        (encode_message({"event": "end"}), "`event`"),
        (encode_message({"event": "loaded", "names": []}, mark=new_mark()), "it writes into the channel"),
        (encode_message({**STAGE, "stage": "x" * 10}), "`stage` must be one of"),
        (encode_message({**STAGE, "within": -1.0}), "`within` must be"),
        (encode_message({**STAGE, "optional": "x" * 70_000}), "it writes into the channel"),
        (b"text" * 10_000, "it writes into the channel"),
        (MARK + bytes(12), "it is not JSON"),
        (MARK + b"\0\0\xff\0" + bytes(8), "it writes into the channel"),
        (MARK + b"\0\0\0\1" + b"\xff" * 8, "it writes into the channel"),
        (MARK[:5], "it writes into the channel"),
        (TRUE[:9] + b"x", "it writes into the channel"),
    ],
    # The bytes themselves are others in each process.
    ids=str.split(
        "loaded failed ended left read outcome end another-mark stage within long text no-json length size part mark"
    ),
)
def test_nothing_without_the_mark_is_believed(forged: bytes, note: str) -> None:
    loaded = encode_message(LOADED, mark=TRUE)
    found, notes = heard(forged, loaded)
    assert found == [LOADED]
    assert [noted for noted in notes if note in noted]
    found, notes = heard(loaded, forged, loaded)
    assert found == [LOADED, LOADED]
    assert "it writes into the channel of the proof" in notes


def test_the_mark_may_arrive_in_parts() -> None:
    whole = encode_message({"event": "ready"}) + encode_message(LOADED, mark=TRUE)
    for k in range(1, len(whole)):
        found, notes = heard(whole[:k], whole[k:])
        assert (found, notes) == ([{"event": "ready"}, LOADED], [])


def test_ready_counts_once() -> None:
    assert heard(encode_message({"event": "ready"}) * 3)[0] == [{"event": "ready"}]


def test_a_stage_says_which_statement_is_run_and_not_how_long_it_may() -> None:
    stages = ImportStages(20.0)

    def said(key: str | None, within: float | None) -> tuple[str | None, float | None]:
        stage = stages.checked({"stage": IMPORTING, "optional": key, "within": within})
        return stage.optional, None if stage.within is None else round(stage.within, 1)

    assert said(None, None) == (None, None)
    assert said("line 3", 20.0) == ("line 3", 20.0)
    assert said("line 4", 0.0) == ("line 4", 5.0)
    assert said("line 5 of the fixed module", 1e9) == ("line 5 of the fixed module", 20.0)
    assert said("trial", 0.0) == ("line 5 of the fixed module", None)


def test_a_mark_is_received_whole_or_not_at_all() -> None:
    here, there = socket.socketpair()
    with here:
        with there:
            there.sendall(TRUE + TRUE[:3])
            assert receive_mark(here) == TRUE
        assert receive_mark(here) == b""


def test_where_a_mark_begins() -> None:
    assert [mark_position(data, b"abc") for data in (b"", b"xabcabc", b"xxab", b"xxax", b"ab")] == [0, 1, 2, 4, 0]
