"""The options of files mean the same in every command that works on files."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from .conftest import CommandLine

HYBRID = "from mxnet.gluon import HybridBlock\n\n\nclass {name}(HybridBlock):\n    def hybrid_forward(self, F, x):\n"
CLEAN = HYBRID + "        return F.relu(x)\n"
PLAIN = "from mxnet.gluon import Block\n\n\nclass {name}(Block):\n    def forward(self, x):\n        return x.abs()\n"
COMMANDS = ("verify", "hybridize", "status")


def written(cli: CommandLine, command: str) -> None:
    text = PLAIN if command == "hybridize" else CLEAN
    cli.write("kept.py", text.format(name="Kept"))
    cli.write("old/left.py", text.format(name="Left"))


@pytest.mark.parametrize("command", COMMANDS)
def test_excluded_files_are_left_out_and_no_summary_is_told(cli: CommandLine, command: str) -> None:
    written(cli, command)
    out = cli(command, "--exclude", "old", "-q").out
    assert "Kept" in out
    assert "Left" not in out
    assert not out.rstrip().endswith(".")


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("verify", "old/left.py"),
        ("verify", "old/left.py::Left"),
        ("hybridize", "old/left.py"),
        ("status", "old/left.py"),
    ],
)
def test_named_files_are_left_out_if_that_is_forced(cli: CommandLine, command: str, path: str) -> None:
    written(cli, command)
    cli.write("hybridlint.toml", 'exclude = ["old"]\n')
    assert "Left" not in cli(command, "--force-exclude", path).out


def test_settings_are_given_or_left_unread(cli: CommandLine) -> None:
    written(cli, "status")
    cli.write("hybridlint.toml", 'exclude = ["old"]\n')
    cli.write("other.toml", 'exclude = ["kept.py"]\n')
    assert "Left" not in cli("status").out
    assert "Left" in cli("status", "--isolated").out
    assert "Kept" not in cli("status", "--config", "other.toml").out


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize("command", COMMANDS)
def test_files_that_no_change_concerns_are_left_out(cli: CommandLine, command: str) -> None:
    written(cli, command)
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        subprocess.run(["git", *who, *arguments], cwd=cli.folder, check=True, capture_output=True)
    cli.write("kept.py", (cli.folder / "kept.py").read_text() + "\n\nX = 1\n")
    out = cli(command, "--since", "HEAD").out
    assert "Kept" in out
    assert "Left" not in out


@pytest.mark.parametrize("output_format", ["full", "json", "sarif", "junit"])
def test_a_missing_file_does_not_hide_the_others(cli: CommandLine, output_format: str) -> None:
    cli.write("net.py", HYBRID.format(name="Net") + "        x += 1\n        return x\n")
    outcome = cli("check", "net.py", "missing.py", "--output-format", output_format)
    assert outcome.status == 2
    assert "HYB302" in outcome.out
    assert "missing.py: no file or folder has this path" in outcome.err


@pytest.mark.parametrize("command", ["verify", "status"])
def test_a_missing_file_ends_other_commands_with_2_after_the_rest(cli: CommandLine, command: str) -> None:
    cli.write("net.py", CLEAN.format(name="Net"))
    outcome = cli(command, "net.py", "missing.py")
    assert outcome.status == 2
    assert "Net" in outcome.out
    assert "missing.py" in outcome.err


def test_a_named_helper_is_checked_as_its_callers_need_it(cli: CommandLine) -> None:
    cli.write("tools/ops.py", "def last(x):\n    return x[:, -1]\n")
    cli.write("models/net.py", "from tools.ops import last\n" + CLEAN.format(name="Net").replace("F.relu", "last"))
    outcome = cli("check", "tools/ops.py", "--output-format", "concise")
    assert outcome.status == 1
    assert outcome.out.startswith("tools/ops.py:2:12: HYB202")
