"""The settings that hold for files, as they are after all files and options were read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from hybridlint.project.settings.config import Config
from hybridlint.project.settings.selection import rules_for
from hybridlint.report.style import show_path
from hybridlint.rule import all_rules

_NOT_SHOWN = ("root", "path", "ignore_noqa")


def render(files: Sequence[tuple[Path, Config]]) -> str:
    """Return the settings of files as TOML, once for all files that share them, with the rules that are used."""
    groups: dict[Path, list[tuple[Path, Config]]] = {}
    for path, config in files:
        groups.setdefault(config.root, []).append((path, config))
    return "\n".join("".join(_group(group)) for group in groups.values())


def _group(group: Sequence[tuple[Path, Config]]) -> Iterator[str]:
    config = group[0][1]
    where = "the defaults: no file of settings was found" if config.path is None else show_path(config.path)
    number = len(group)
    yield f"# {where}\n# {number} file{'' if number == 1 else 's'} below {show_path(config.root)}\n"
    used = rules_for(config, config.root / "_")
    left_out = [rule for rule in all_rules() if rule not in used]
    yield f"# {len(used)} rules are used"
    yield (f", not {', '.join(rule.code for rule in left_out)}" if left_out else "") + "\n"
    tables = []
    for field in fields(config):
        if field.name in _NOT_SHOWN:
            continue
        key, value = field.name.replace("_", "-"), getattr(config, field.name)
        if value == "":
            continue
        if isinstance(value, Mapping):
            tables.append((key, value))
        else:
            yield f"{key} = {_toml(value)}\n"
    for key, table in tables:
        if table:
            yield f"\n[{key}]\n"
            yield from (f"{_key(name)} = {_toml(value)}\n" for name, value in table.items())


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(name)} = {_toml(item)}" for name, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


def _key(name: str) -> str:
    plain = name.replace("-", "").replace("_", "")
    return name if plain.isascii() and plain.isalnum() else json.dumps(name)
