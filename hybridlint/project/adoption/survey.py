"""A survey of a project that adopts hybridlint: its code, settings, hooks and CI builds."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from hybridlint.project.settings.settings_files import FILE_NAMES, own_config
from hybridlint.runtime.facts.records import record
from hybridlint.text.screening import may_be_hybrid

#: Names of folders that hold the code of others.
_FOREIGN = ("third_party", "third-party", "thirdparty", "vendor", "vendored", "external", "extern", "_vendor")
_REMOTE = re.compile(r"^\s*url\s*=\s*(\S+)", re.MULTILINE)


@record(frozen=True, slots=True)
class ProjectSurvey:
    """What was found in a project's folder.

    `files` are the project's own, of which `hybrid` have hybrid code; `foreign` are folders that hold the code of
    others. `builds` names the service that builds the project: ``github``, ``gitlab``, or "".
    """

    root: Path
    files: tuple[Path, ...]
    hybrid: tuple[Path, ...]
    foreign: tuple[str, ...]
    settings: Path | None
    has_pyproject: bool
    has_git: bool
    has_hooks: bool
    builds: str


def look(root: Path, files: Sequence[Path]) -> ProjectSurvey:
    """Look at a project whose Python files are given. Raises UsageError for settings that cannot be read."""
    own = own_config(root)
    empty = next((root / name for name in FILE_NAMES[:2] if (root / name).is_file()), None)
    theirs = {file for file in files if set(_parts(file, root)).intersection(_FOREIGN)}
    ours = tuple(file for file in files if file not in theirs)
    return ProjectSurvey(
        root,
        ours,
        tuple(file for file in ours if _is_hybrid(file)),
        tuple(sorted({part for file in theirs for part in _parts(file, root) if part in _FOREIGN})),
        empty if own is None else own.path,
        (root / "pyproject.toml").is_file(),
        (root / ".git").exists(),
        (root / ".pre-commit-config.yaml").is_file(),
        _builds(root),
    )


def _is_hybrid(file: Path) -> bool:
    try:
        return may_be_hybrid(file.read_bytes())
    except OSError:
        return False


def _parts(file: Path, root: Path) -> tuple[str, ...]:
    path = Path(os.path.abspath(file))
    return path.relative_to(root).parts[:-1] if path.is_relative_to(root) else ()


def _builds(root: Path) -> str:
    """Return the service that builds a project, by its files, otherwise by where it was cloned from."""
    if (root / ".github").is_dir():
        return "github"
    if (root / ".gitlab-ci.yml").is_file():
        return "gitlab"
    try:
        remotes = " ".join(_REMOTE.findall((root / ".git" / "config").read_text(encoding="utf-8", errors="replace")))
    except OSError:
        return ""
    return next((name for name in ("github", "gitlab") if name in remotes), "")
