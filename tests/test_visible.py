"""Text for a terminal: no character of it commands the terminal, and places in it stay."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from hybridlint.system.terminal import TerminalState
from hybridlint.text.visible import escape_name, visible, visible_but_coloured
from tests import commands

#: NUL, bell, backspace, escape, delete, CSI, a mark that turns the direction of text, half of a pair.
COMMANDS = "\x00\x07\x08\x1b\x7f\x9b\u202e\u2066\u2028\ud800"
SOURCE = """from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        return x["\x1b[31m\x07\u202e"].asnumpy()  # \x1b]0;title\x07 \u2066 \x9b
"""
FORMATS = ("full", "azure", "concise", "github", "gitlab", "grouped", "html", "json", "json-lines")
MORE_FORMATS = ("junit", "pylint", "rdjson", "sarif")


def test_each_character_stands_for_one() -> None:
    assert visible("a\x1b[31mb\tc\n") == "a\u241b[31mb\tc\n"
    assert len(visible(COMMANDS)) == len(COMMANDS)
    assert not set(visible(COMMANDS)) & set(COMMANDS)


def test_plain_text_is_left() -> None:
    text = "é 日本 \U0001f600 \u00a0\n\t"
    assert visible(text) is text
    assert visible_but_coloured(text) is text
    assert escape_name("é 日本.py") == "é 日本.py"


def test_colours_are_left_where_reports_write_them() -> None:
    assert visible_but_coloured("\x1b[31mred\x1b[0m\x1b[2J\r\n\r") == "\x1b[31mred\x1b[0m\u241b[2J\r\n\u240d"


def test_names_stay_on_one_line() -> None:
    assert escape_name("a\n\x1b\udcff\u202e.py") == "a\\n\\x1b\\xff\\u202e.py"


def test_a_stream_shows_what_is_written() -> None:
    stream = io.StringIO()
    shown = TerminalState(stream)
    assert shown.write("a\x07") == 2
    shown.writelines(["b\x1b", "c"])
    assert stream.getvalue() == "a\u2407b\u241bc"


@pytest.mark.skipif(sys.platform == "win32", reason="names of files have no such characters there")
def test_reports_of_all_formats_hold_none(tmp_path: Path) -> None:
    (tmp_path / "a\x1b[31m\u202e\n.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "broken\x07.py").write_text("class HybridBlock\x1b[31m(:\n", encoding="utf-8")
    options = ["check", "--no-cache", "--isolated"]
    for format_ in FORMATS + MORE_FORMATS:
        ran = commands.run([*options, "--output-format", format_, "."], cwd=tmp_path)
        assert ran.returncode == 1, ran.stderr
        text = (ran.stdout + ran.stderr).decode()
        assert visible(text) == text, format_
