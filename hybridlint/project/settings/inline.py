"""Settings that the command line gives as TOML, in place of a project's: ``--config 'exclude = ["old"]'``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hybridlint.core.errors import UsageError
from hybridlint.project.settings.config import Config
from hybridlint.project.settings.settings_files import parse_toml
from hybridlint.project.settings.validation import read_config
from hybridlint.runtime.facts.records import replace

#: How sentences about mistakes name the place of these settings.
_PLACE = Path("--config")


def file_and_settings(values: Sequence[str]) -> tuple[Path | None, Mapping[str, Any]]:
    """Return the settings file that ``--config`` names, if any, and the settings given as KEY=VALUE.

    Raises UsageError for other values, and for settings that no file could hold.
    """
    files = [Path(value) for value in values if "=" not in value or Path(value).is_file()]
    if len(files) > 1:
        raise UsageError(
            f"--config: two files of settings, {files[0]} and {files[1]}: give one, and what differs as KEY=VALUE"
        )
    table: dict[str, Any] = {}
    for value in values:
        if Path(value) not in files:
            given = parse_toml(_PLACE, value)
            inner = {**table.get("verify", {}), **given["verify"]} if isinstance(given.get("verify"), dict) else None
            table |= given if inner is None else {**given, "verify": inner}
    if table:
        _validated(read_config(_PLACE, table))
    return (files[0] if files else None), table


def apply_settings(config: Config, table: Mapping[str, Any]) -> Config:
    """Return settings with those of the command line in place of its own; of ``verify`` each key by itself."""
    if not table:
        return config
    given = read_config(_PLACE, table)
    values = {key.replace("-", "_"): getattr(given, key.replace("-", "_")) for key in table}
    if "verify" in values:
        values["verify"] = {**config.verify, **values["verify"]}
    return replace(config, **values)


def _validated(config: Config) -> None:
    from hybridlint.project.settings.selection import validate

    try:
        validate(config.selectors)
    except UsageError as error:
        raise UsageError(f"{_PLACE}: {error}") from error
