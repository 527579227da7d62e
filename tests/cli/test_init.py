"""``hybridlint init``: what it writes fits the project, and nothing that is there is changed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import CommandLine
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
