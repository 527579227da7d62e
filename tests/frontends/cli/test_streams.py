"""Standard streams that nobody reads or writes: a command stays quiet, and its exit status says what it found."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the streams of a program are closed otherwise there")

COMMAND = (sys.executable, "-c", "from hybridlint.__main__ import entry; entry()")
SOURCE = """from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        return x[0].asnumpy()
"""


@pytest.fixture
def net(tmp_path: Path) -> Path:
    path = tmp_path / "net.py"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def _closed(folder: Path, streams: str, *arguments: str) -> tuple[int, str]:
    line = f'exec "$@" {streams}'
    ran = subprocess.run(["sh", "-c", line, "sh", *COMMAND, *arguments], check=False, capture_output=True, cwd=folder)
    return ran.returncode, (ran.stdout + ran.stderr).decode()


@pytest.mark.parametrize("streams", [">&-", "2>&- >/dev/null", ">&- 2>&-", "<&- >&- 2>&-"])
def test_findings_are_told_by_the_status_where_a_stream_is_closed(net: Path, streams: str) -> None:
    assert _closed(net.parent, streams, "check", "--isolated", "net.py") == (1, "")


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("rule", "HYB101"), ("check", "--help")])
def test_a_page_that_nobody_sees_is_shown_without_complaint(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    assert _closed(tmp_path, ">&-", *arguments) == (0, "")


def test_a_closed_standard_input_is_an_empty_one(tmp_path: Path) -> None:
    assert _closed(tmp_path, "<&-", "check", "--isolated", "-q", "-") == (0, "")


def test_a_file_that_is_written_gets_no_report_where_the_output_is_closed(net: Path) -> None:
    net.write_text(SOURCE.replace(".asnumpy()", ""), encoding="utf-8")
    status, told = _closed(net.parent, ">&- 2>&-", "check", "--isolated", "--fix", "--unsafe-fixes", "net.py")
    assert (status, told) == (0, "")
    compile(net.read_text(encoding="utf-8"), "net.py", "exec")


@pytest.mark.parametrize("output_format", ["full", "concise", "json", "sarif"])
def test_a_reader_who_goes_away_ends_a_check_quietly(net: Path, output_format: str) -> None:
    assert _unread(net.parent, "check", "--isolated", "--output-format", output_format, ".") == (0, b"")


@pytest.mark.parametrize("arguments", [("--help",), ("check", "--help"), ("rule", "HYB101")])
def test_a_reader_who_goes_away_ends_a_page_quietly(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    assert _unread(tmp_path, *arguments) == (0, b"")


def _unread(folder: Path, *arguments: str) -> tuple[int, bytes]:
    """Run a command whose output nobody reads. Returns its exit status, and what it complained of."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as output:
        ran = subprocess.run([*COMMAND, *arguments], check=False, cwd=folder, stdout=output, stderr=subprocess.PIPE)
    return ran.returncode, ran.stderr
