"""Options around the findings: colours, what is told of a run, settings, processes, caches."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hybridlint.frontends.commands.progress import counting, line

from .conftest import CommandLine
from .test_check import CLEAN, IN_PLACE


@pytest.mark.parametrize(("value", "coloured"), [("always", True), ("never", False), ("auto", False)])
@pytest.mark.parametrize("first", [True, False])
def test_colours(cli: CommandLine, value: str, coloured: bool, first: bool) -> None:
    cli.write("net.py", IN_PLACE)
    outcome = cli(*(["--color", value, "check"] if first else ["check", "--color", value]))
    assert ("\x1b[" in outcome.out) is coloured


def test_the_option_has_the_last_word_on_colours(cli: CommandLine) -> None:
    cli.write("net.py", IN_PLACE)
    assert "\x1b[" in cli("check", "--color", "always", env={"NO_COLOR": "1"}).out
    assert "\x1b[" not in cli("check", "--color", "never", env={"FORCE_COLOR": "1"}).out


def test_verbose_tells_settings_cache_and_time(cli: CommandLine) -> None:
    cli.write("a/hybridlint.toml", "")
    cli.write("a/net.py", CLEAN)
    cli.write("b/net.py", CLEAN)
    cli.write("c/net.py", CLEAN)
    cli("check")
    outcome = cli("check", "-v", "--jobs", "1")
    assert outcome.out == "All checks passed!\n"
    settings, defaults, cache, time = outcome.err.splitlines()
    assert settings == f"settings: {Path('a/hybridlint.toml')}, for 1 file"
    assert defaults == "settings: defaults, for 2 files"
    assert cache == "cache: 3 files of 3 were not analyzed again"
    assert re.fullmatch(r"time: \d+\.\d\d s, with at most 1 process", time)


def test_settings_are_shown_as_they_hold(cli: CommandLine) -> None:
    cli.write("base.toml", 'ignore = ["HYB7"]\n')
    cli.write(
        "hybridlint.toml", 'extend = "base.toml"\n[per-file-ignores]\n"tests/**" = ["HYB1"]\n[verify]\ntimeout = 3\n'
    )
    cli.write("net.py", IN_PLACE)
    outcome = cli("check", "--show-settings", "--ignore", "HYB811", ".")
    assert outcome.status == 0
    head, number, used, *rest = outcome.out.splitlines()
    assert (head, number) == ("# hybridlint.toml", "# 1 file below .")
    assert used.endswith(" rules are used, not HYB518, HYB701, HYB702, HYB703, HYB704, HYB705, HYB706, HYB811")
    assert 'ignore = ["HYB7", "HYB811"]' in rest
    assert rest[-5:] == ["[per-file-ignores]", '"tests/**" = ["HYB1"]', "", "[verify]", "timeout = 3"]
    # What is shown can be given back.
    cli.write("shown.toml", outcome.out)
    assert cli("check", "--config", "shown.toml", ".").status == 1


def test_caches_in_a_folder_of_their_own(cli: CommandLine, tmp_path: Path) -> None:
    cli.write("net.py", CLEAN)
    cli.write("caches/kept.txt", "")
    assert cli("check", "--cache-dir", "caches").status == 0
    [cache] = [folder for folder in (tmp_path / "caches").iterdir() if folder.is_dir()]
    assert (cache / "results.json").is_file()
    assert not (tmp_path / ".hybridlint_cache").exists()
    again = cli("check", "-v", env={"HYBRIDLINT_CACHE_DIR": "caches"})
    assert "cache: 1 file of 1 was not analyzed again" in again.err
    assert cli("clean", "--cache-dir", "caches").out == "Removed 1 cache.\n"
    assert [path.name for path in (tmp_path / "caches").iterdir()] == ["kept.txt"]


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_the_number_of_processes_changes_nothing(cli: CommandLine, jobs: str) -> None:
    for number in range(40):
        cli.write(f"net{number:02}.py", IN_PLACE * 20)
    expected = cli("check", "--no-cache", "--output-format", "concise")
    assert cli("check", "--no-cache", "--output-format", "concise", "--jobs", jobs) == expected


def test_jobs_is_a_number(cli: CommandLine) -> None:
    outcome = cli("check", "--jobs", "0")
    assert (outcome.status, "0 is not in the range" in outcome.err) == (2, True)


def test_a_line_of_progress_fits_the_terminal() -> None:
    assert line("checking", 3, 12, 80) == "checking [#######-----------------------] 3 of 12"
    assert line("checking", 12, 12, 30) == "checking [#########] 12 of 12"
    assert line("checking", 3, 12, 12) == "checking 3 "


def test_no_progress_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with counting("checking") as tell:
        tell(1, 2)
    assert capsys.readouterr().err == ""


def test_progress_is_shown_while_work_takes_long(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    times = iter([0.0, 0.1, 1.0, 1.01, 1.02])
    with counting("checking", lambda: next(times)) as tell:
        for done in range(1, 5):
            tell(done, 4)
    shown = capsys.readouterr().err.split("\r")
    # Not at once, not too often, and gone at the end.
    assert [re.sub(r"\[.*\] ", "", each) for each in shown] == ["", "checking 2 of 4", "checking 4 of 4", "\x1b[K"]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("hybridlint ver", ["verify"]),
        ("hybridlint check --show-f", ["--show-fixes", "--show-files"]),
        ("hybridlint check --color a", ["auto", "always"]),
        ("hybridlint check --select tensor-sh", ["tensor-shape"]),
        ("hybridlint check --ignore HYB7,HYB10", [f"HYB7,HYB10{digit}" for digit in "12345678"]),
        ("hybridlint rule tensor-sh", ["tensor-shape"]),
    ],
)
def test_shells_complete(cli: CommandLine, words: str, offered: list[str]) -> None:
    number = len(words.split()) - 1
    asked = {"_HYBRIDLINT_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(number)}
    found = [line.partition(",")[2] for line in cli(env=asked).out.splitlines()]
    assert [each for each in found if each in offered] == offered
    assert all(each.startswith(words.rsplit(maxsplit=1)[-1]) for each in found)


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["chekc"], "`check`"),
        (["check", "--statistcs"], "--statistics"),
        (["check", "--select", "tensor-shpe"], "`tensor-shape`"),
        (["rule", "tensor-shpe"], "`tensor-shape`"),
    ],
)
def test_what_was_probably_meant(cli: CommandLine, arguments: list[str], meant: str) -> None:
    outcome = cli(*arguments)
    assert outcome.status == 2
    assert re.search(f"Did you mean .?{meant}", outcome.err)
