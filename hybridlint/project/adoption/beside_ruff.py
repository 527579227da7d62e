"""Ruff's setting for our codes: without it Ruff deletes ``# noqa: HYB101`` as unknown (its rule RUF100)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hybridlint.project.settings.settings_files import parse_toml
from hybridlint.runtime.facts.records import record

_LINE = 'external = ["HYB"]'


@record(frozen=True, slots=True)
class RuffSettings:
    """Ruff's settings of a project: the file, its table, and what is before its keys in the headers of tables."""

    path: Path
    table: Mapping[str, Any]
    prefix: str


def ruff_settings(root: Path) -> RuffSettings | None:
    """Return the settings that Ruff takes in a folder, None if there are none. Raises UsageError for broken TOML."""
    for name in (".ruff.toml", "ruff.toml"):
        if (path := root / name).is_file():
            return RuffSettings(path, parse_toml(path, path.read_bytes()), "")
    path = root / "pyproject.toml"
    tool = parse_toml(path, path.read_bytes()).get("tool", {}) if path.is_file() else {}
    return RuffSettings(path, tool["ruff"], "tool.ruff.") if isinstance(tool.get("ruff"), dict) else None


def knows_our_codes(settings: Mapping[str, Any]) -> bool:
    """Return whether Ruff's table of settings says that codes of other tools exist which begin as ours do."""
    lint = settings.get("lint", {})
    listed = [*settings.get("external", []), *(lint.get("external", []) if isinstance(lint, dict) else [])]
    return any(isinstance(code, str) and code and "HYB".startswith(code) for code in listed)


def with_our_codes(text: str, settings: Mapping[str, Any], prefix: str) -> str | None:
    """Return a settings file in which Ruff knows our codes; None if it already lists other codes.

    `prefix` is the prefix of `RuffSettings`.
    """
    lint = settings.get("lint", {})
    if not isinstance(lint, dict) or "external" in lint or "external" in settings:
        return None
    header = re.search(rf"^\[{re.escape(prefix)}lint\][^\n]*\n?", text, re.MULTILINE)
    if header is not None:
        head = text[: header.end()]
        return f"{head}{'' if head.endswith(chr(10)) else chr(10)}{_LINE}\n{text[header.end() :]}"
    gap = "\n" if text.endswith("\n") else "\n\n"
    return f"{text}{gap}[{prefix}lint]\n{_LINE}\n"
