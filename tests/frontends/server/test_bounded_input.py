"""The server ends at a message that no editor sends, with a sentence."""

from __future__ import annotations

import io

import pytest

from hybridlint.frontends.server.bounded_input import MOST_MESSAGE, BoundedInput


@pytest.mark.parametrize(
    "line", [b"Content-Length: " + b"9" * 5000, b"Content-Length: 99999999999\r\n", b"x" * 5_000_000]
)
def test_too_much_ends_the_input(line: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    assert BoundedInput(io.BytesIO(line)).readline() == b""
    assert f"a message has more than {MOST_MESSAGE:,} bytes" in capsys.readouterr().err


def test_what_editors_send_passes() -> None:
    messages = BoundedInput(io.BytesIO(b"Content-Length: 2\r\n\r\n{}"))
    assert [messages.readline(), messages.readline(), messages.read(2)] == [b"Content-Length: 2\r\n", b"\r\n", b"{}"]
