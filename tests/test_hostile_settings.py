"""Settings that are absurd, and pipes or devices in a file's place: one sentence and status 2, soon."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click
import pytest

from hybridlint.core.errors import UsageError
from hybridlint.frontends.commands.verify import command
from hybridlint.project.settings.settings_files import own_config
from hybridlint.text.regular import read_regular
from tests import commands

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")


def _run(folder: Path, *arguments: str | Path) -> tuple[int, str]:
    """Return the status of a command and all that it prints."""
    done = commands.text(arguments, cwd=folder, env={**os.environ, "COLUMNS": "1000"})
    return done.returncode, done.stdout + done.stderr


def _check(folder: Path) -> tuple[int, str]:
    (folder / "model.py").write_text("x = 1\n", encoding="utf-8")
    return _run(folder, "check", "--no-cache", "model.py")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param(f"select = {'[' * 3000}{']' * 3000}", "nested too deeply", id="nested lists"),
        pytest.param(f"x = {'{a=' * 800}1{'}' * 800}", "nested too deeply", id="nested tables"),
        pytest.param(f"possible = {'9' * 5000}", "not valid TOML", id="a long number"),
        pytest.param("verify.timeout = inf", "`verify.timeout` must be at most 86400", id="infinite seconds"),
        pytest.param("verify.timeout = nan", "`verify.timeout` must be at most 86400", id="no number of seconds"),
        pytest.param(f"verify.timeout = {'9' * 400}", "`verify.timeout` must be at most 86400", id="many seconds"),
        pytest.param("verify.timeout = -1", "`verify.timeout` must be above 0", id="negative seconds"),
        pytest.param("verify.memory = nan", "`verify.memory` must be at most", id="no memory"),
        pytest.param("verify.memory = 99999999999999999999", "`verify.memory` must be at most", id="much memory"),
        pytest.param("verify.samples = 999999999999", "`verify.samples` must be at most", id="many samples"),
        pytest.param("verify.batch-sizes = [[1], [2]]", "must be whole numbers, not a list", id="nested sizes"),
        pytest.param("verify.batch-sizes = [99999999999999999999, 2]", "batch-sizes` must be", id="a large size"),
        pytest.param(f"verify.batch-sizes = {list(range(1, 99))}", "at most 16 numbers", id="many sizes"),
        pytest.param('exclude = ["a\\u0000b"]', "`exclude` holds a null character", id="a null in a pattern"),
        pytest.param('extend = "a\\u0000b"', "`extend` holds a null character", id="a null in a path"),
        pytest.param('recorded = "a\\u0000b"', "`recorded` holds a null character", id="a null in the record"),
        pytest.param('extend = "/dev/zero"', "which is no file", id="a device"),
    ],
)
def test_one_sentence(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "hybridlint.toml"
    path.write_text(text + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match=re.escape(reason)) as found:
        own_config(tmp_path)
    assert str(found.value).startswith(f"{path}: ")
    assert len(str(found.value).splitlines()) == 1


def test_such_a_sentence_is_all_that_a_command_prints(tmp_path: Path) -> None:
    (tmp_path / "hybridlint.toml").write_text(f"select = {'[' * 3000}{']' * 3000}", encoding="utf-8")
    status, output = _check(tmp_path)
    assert (status, len(output.splitlines())) == (2, 1)


@pytest.mark.parametrize("seconds", ["inf", "nan", "-1", "1e400"])
def test_seconds_on_the_command_line(tmp_path: Path, seconds: str) -> None:
    with pytest.raises(click.UsageError):
        command.make_context("verify", [f"--timeout={seconds}", str(tmp_path)])


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ("Missing = 'x=(2,)'", "`verify.inputs.Missing`: no file of the project defines `Missing`"),
        ("Net = 3", "`verify.inputs.Net` must be a string"),
        ("Net = 'x=('", "`verify.inputs.Net`: "),
    ],
)
@pytest.mark.parametrize("name", ["check", "verify"])
def test_inputs_that_no_proof_can_use_are_told_by_every_command(
    tmp_path: Path, name: str, inputs: str, said: str
) -> None:
    (tmp_path / "hybridlint.toml").write_text(f"[verify.inputs]\n{inputs}\n", encoding="utf-8")
    (tmp_path / "a.py").write_text("class Net:\n    pass\n", encoding="utf-8")
    status, output = _run(tmp_path, name, "--no-cache", "a.py")
    assert status == 2
    assert said in output


@needs_pipes
@pytest.mark.parametrize("name", ["check", "verify"])
def test_a_pipe_is_no_source_file(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    status, output = _run(tmp_path, name, "--no-cache", "pipe.py")
    assert status == 2
    assert "cannot read the file: it is no regular file" in output


@needs_pipes
@pytest.mark.parametrize("name", ["hybridlint.toml", "pyproject.toml", ".gitignore"])
def test_a_pipe_in_the_place_of_another_file_blocks_nothing(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    assert _check(tmp_path)[0] in {0, 2}


@needs_pipes
def test_only_regular_files_of_some_size_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("file")
    assert read_regular(tmp_path / "link") == b"12345"
    cases = [
        ("pipe", {}, "regular"),
        ("link", {"follow": False}, "link"),
        ("file", {"most": 4}, "4 bytes"),
        ("a\0b", {}, "null"),
    ]
    for path, more, why in cases:
        with pytest.raises(OSError, match=why):
            read_regular(tmp_path / path, **more)  # type: ignore[arg-type]
    with pytest.raises(OSError, match="no regular file"):
        read_regular("/dev/zero")
