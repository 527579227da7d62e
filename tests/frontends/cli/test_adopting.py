"""``hybridlint check`` in a code base that exists: the baseline, silencing comments, changed lines."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from .conftest import CommandLine

HEAD = "from mxnet.gluon import HybridBlock\n\n\nclass Net(HybridBlock):\n    def hybrid_forward(self, F, x):\n"
IN_PLACE = HEAD + "        x += 1\n        return F.relu(x)\n"
CLEAN = HEAD + "        return F.relu(x)\n"


def test_a_baseline_is_written_used_and_pruned(cli: CommandLine) -> None:
    cli.write("net.py", IN_PLACE)
    written = cli("check", "--write-baseline")
    assert (written.status, written.out) == (0, "hybridlint-baseline.json holds 1 finding.\n")
    known = cli("check")
    assert (known.status, known.out) == (0, "All checks passed!\n1 more finding is in the baseline.\n")
    assert cli("check", "--no-baseline").status == 1
    cli.write("net.py", CLEAN)
    gone = "hybridlint-baseline.json holds 1 finding that is gone: `--prune-baseline` takes it out\n"
    assert cli("check").err.endswith(gone)
    assert (cli("check").status, cli("check", "--strict-baseline").status) == (0, 1)
    assert cli("check", "--prune-baseline").err == "Took 1 finding out of the baseline.\n"
    assert cli("check").err == ""


def test_comments_silence_what_is_found(cli: CommandLine) -> None:
    path = cli.write("net.py", IN_PLACE)
    outcome = cli("check", "--add-noqa")
    assert (outcome.status, outcome.err) == (0, "Silenced 1 finding with comments.\n")
    assert "x += 1  # noqa: HYB302\n" in path.read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_what_is_new_since_a_commit(cli: CommandLine) -> None:
    cli.write("net.py", IN_PLACE)
    assert cli("check", "--since", "HEAD").status == 2
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    for arguments in (["init", "-q"], ["add", "net.py"], ["commit", "-q", "-m", "first"]):
        subprocess.run(["git", *who, *arguments], cwd=cli.folder, check=True, capture_output=True)
    assert cli("check", "--since", "HEAD").status == 0
    cli.write("other.py", IN_PLACE)
    assert cli("check", "--since", "HEAD", "--output-format", "concise").out.startswith("other.py:6:9: HYB302")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--since", "HEAD", "--fix"), "`--since` tells what is new, and fixes work on whole files"),
        (("--write-baseline", "--no-baseline"), "`--write-baseline` writes the baseline: leave `--no-baseline` out"),
        (("--fix-only", "--diff"), "`--fix-only` writes files and a diff writes none: leave `--diff` out"),
    ],
)
def test_options_that_exclude_each_other(cli: CommandLine, arguments: tuple[str, ...], message: str) -> None:
    outcome = cli("check", *arguments)
    assert outcome.status == 2
    assert message in outcome.err


def test_fixes_alone(cli: CommandLine) -> None:
    path = cli.write("net.py", IN_PLACE + CLEAN.replace("F.relu", "float").replace("Net", "Other"))
    outcome = cli("check", "--fix-only", "--show-fixes")
    fixed = "Fixed 1 error in net.py:\n    1 x HYB302 (in-place-operator)\n"
    assert (outcome.status, outcome.out) == (0, fixed)
    assert "x = x + 1" in path.read_text(encoding="utf-8")


def test_a_status_for_fixes(cli: CommandLine) -> None:
    cli.write("net.py", IN_PLACE)
    assert cli("check", "--fix", "--exit-non-zero-on-fix").status == 1
    assert cli("check", "--fix", "--exit-non-zero-on-fix").status == 0


def test_files_that_would_be_checked(cli: CommandLine) -> None:
    cli.write("net.py", IN_PLACE)
    cli.write("old/net.py", IN_PLACE)
    cli.write("pyproject.toml", "[tool.hybridlint]\nexclude = ['net.py']\n")
    assert cli("check", "--show-files", "--isolated").out == "net.py\nold/net.py\n"
    assert cli("check", "--show-files", "--isolated", "--exclude", "old").out == "net.py\n"
    assert cli("check", "--show-files").out == ""
