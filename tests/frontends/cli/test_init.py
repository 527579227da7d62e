"""``hybridlint init``: what it writes fits the project, and nothing that is there is changed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from hybridlint.core.errors import UsageError
from hybridlint.frontends.commands import init
from hybridlint.project.adoption import start
from hybridlint.project.adoption.origin import HookOrigin

from .conftest import CommandLine, Outcome
from .test_check import CLEAN, IN_PLACE

HOOKS = """\
repos:
- repo: https://github.com/astral-sh/ruff-pre-commit
  rev: v0.6.0
  hooks:
  - id: ruff

ci:
  autofix_prs: true
"""
ENTRY = "- repo: https://github.com/hybridlint/hybridlint\n  rev: v0.1.0\n  hooks:\n    - id: hybridlint\n"


RELEASE = HookOrigin("hybridlint==0.1.0", published=True)
RUFF = '[tool.ruff.lint]\nselect = ["E"]\n'


class _InThisProcess(CommandLine):
    """Runs `init` in this process, where a test may say how hybridlint was installed."""

    def __call__(self, *arguments: str | Path, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> Outcome:
        if arguments[0] != "init":
            return super().__call__(*arguments, stdin=stdin, env=env)
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            done = CliRunner().invoke(init.command, [str(each) for each in arguments[1:]])
        finally:
            os.chdir(before)
        if isinstance(done.exception, UsageError):
            return Outcome(2, done.output, str(done.exception))
        return Outcome(done.exit_code, done.output, "")


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.setattr(start, "find_origin", lambda: RELEASE)
    return _InThisProcess(tmp_path)


def _read(cli: CommandLine, name: str) -> str:
    return (cli.folder / name).read_text(encoding="utf-8")


@pytest.fixture
def git(cli: CommandLine) -> CommandLine:
    if shutil.which("git") is None:
        pytest.skip("there is no git")
    subprocess.run(["git", "init", "-q", str(cli.folder)], check=True)
    return cli


def test_a_bare_folder_gets_settings_alone(cli: CommandLine) -> None:
    cli.write("net.py", CLEAN)
    outcome = cli("init")
    assert outcome.status == 0
    assert outcome.out.startswith(
        "1 Python file, 1 with hybrid blocks; 0 findings.\nWrote hybridlint.toml: settings.\n"
    )
    assert _read(cli, "hybridlint.toml").startswith("#:schema https://")
    assert {path.name for path in cli.folder.iterdir()} == {"net.py", "hybridlint.toml"}
    assert cli("check").status == 0


def test_a_project_gets_what_it_lacks(git: CommandLine) -> None:
    git.write("pyproject.toml", '[project]\nname = "nets"')
    git.write(".pre-commit-config.yaml", HOOKS)
    git.write(".github/workflows/tests.yml", "on: push\n")
    git.write("net.py", IN_PLACE)
    git.write("third_party/net.py", IN_PLACE)
    outcome = git("init")
    assert outcome.out.splitlines()[:4] == [
        "1 Python file, 1 with hybrid blocks; 1 finding.",
        "Added to pyproject.toml: settings.",
        "Added to .pre-commit-config.yaml: the hook of pre-commit.",
        f"Wrote {Path('.github/workflows/hybridlint.yml')}: a job of GitHub Actions.",
    ]
    settings = _read(git, "pyproject.toml")
    assert settings.startswith('[project]\nname = "nets"\n\n[tool.hybridlint]\nexclude = ["third_party"]\n')
    assert _read(git, ".pre-commit-config.yaml") == HOOKS.replace("\n\nci:", f"\n{ENTRY}\nci:")
    assert "uses: hybridlint/hybridlint@v0.1.0" in _read(git, ".github/workflows/hybridlint.yml")
    assert git("check", "--show-files").out == "net.py\n"


def test_a_second_time_changes_nothing(git: CommandLine) -> None:
    git.write("net.py", CLEAN)
    git.write(".gitlab-ci.yml", "stages: [build, check]\n")
    git("init")
    files = {path: path.read_bytes() for path in git.folder.iterdir() if path.is_file()}
    outcome = git("init")
    assert "hybridlint.toml has settings of hybridlint: left as they are." in outcome.out
    assert {path: path.read_bytes() for path in git.folder.iterdir() if path.is_file()} == files


def test_a_job_of_gitlab_joins_a_stage_that_is_there(git: CommandLine) -> None:
    git.write(".gitlab-ci.yml", "stages:\n  - build\n  - check\n")
    git("init")
    job = _read(git, ".gitlab-ci.yml")
    assert job.startswith("stages:\n  - build\n  - check\n\nhybridlint:\n  stage: build\n  image: python")
    assert "write-baseline" not in job


def test_the_service_is_known_by_where_the_project_was_cloned_from(git: CommandLine) -> None:
    remote = ["git", "-C", str(git.folder), "remote", "add", "origin", "git@github.com:someone/nets.git"]
    subprocess.run(remote, check=True)
    git("init")
    assert _read(git, ".pre-commit-config.yaml") == "repos:\n" + "".join(f"  {line}\n" for line in ENTRY.splitlines())
    assert (git.folder / ".github" / "workflows" / "hybridlint.yml").is_file()


def test_the_diff_writes_nothing(git: CommandLine) -> None:
    git.write("net.py", CLEAN)
    outcome = git("init", "--diff")
    assert "+++ hybridlint.toml" in outcome.out
    assert "+++ .pre-commit-config.yaml" in outcome.out
    assert {path.name for path in git.folder.iterdir()} == {".git", "net.py"}


@pytest.mark.parametrize("hooks", ["repos: []\n", "# none yet\n"])
def test_hooks_that_cannot_be_added_to_are_shown(git: CommandLine, hooks: str) -> None:
    git.write(".pre-commit-config.yaml", hooks)
    outcome = git("init")
    assert "add this to its repos.\n\n  - repo: https://github.com/hybridlint/hybridlint\n" in outcome.out
    assert _read(git, ".pre-commit-config.yaml") == hooks


def test_settings_that_cannot_be_read_are_told(cli: CommandLine) -> None:
    cli.write("pyproject.toml", "[project\n")
    outcome = cli("init")
    assert (outcome.status, outcome.out.count("Wrote")) == (2, 0)
    assert "not valid TOML" in outcome.err


def test_what_was_installed_from_this_machine_is_run_as_it_is(
    git: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "find_origin", lambda: HookOrigin(None, published=False))
    git.write(".github/workflows/tests.yml", "on: push\n")
    outcome = git("init")
    hook = _read(git, ".pre-commit-config.yaml")
    assert "repo: local" in hook
    assert "entry: hybridlint check --force-exclude\n" in hook
    assert not (git.folder / ".github" / "workflows" / "hybridlint.yml").exists()
    assert "No job was written: this hybridlint comes from this machine" in outcome.out
    assert "The hook runs the hybridlint that is installed" in outcome.out


def test_what_was_installed_from_a_repository_is_installed_from_there(
    git: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = "hybridlint @ git+https://example.org/hybridlint@0a1b"
    monkeypatch.setattr(start, "find_origin", lambda: HookOrigin(place, published=False))
    git.write(".github/workflows/tests.yml", "on: push\n")
    git("init")
    assert f'- run: pip install "{place}"' in _read(git, ".github/workflows/hybridlint.yml")


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("pyproject.toml", RUFF, '[tool.ruff.lint]\nexternal = ["HYB"]\nselect = ["E"]\n'),
        ("pyproject.toml", "[tool.ruff]\n", '[tool.ruff]\n\n[tool.ruff.lint]\nexternal = ["HYB"]\n'),
        ("ruff.toml", "line-length = 99\n", 'line-length = 99\n\n[lint]\nexternal = ["HYB"]\n'),
        ("ruff.toml", '[lint]\nexternal = ["H"]\n', '[lint]\nexternal = ["H"]\n'),
        ("ruff.toml", '[lint]\nexternal = ["V"]\n', '[lint]\nexternal = ["V"]\n'),
    ],
)
def test_ruff_is_told_of_our_codes(cli: CommandLine, name: str, before: str, after: str) -> None:
    cli.write(name, before)
    outcome = cli("init")
    assert _read(cli, name).partition("\n[tool.hybridlint]")[0] == after
    assert ('add "HYB" to it' in outcome.out) == ('"V"' in before)
