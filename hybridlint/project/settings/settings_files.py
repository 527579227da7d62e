"""The files that hold settings: the file of each folder, and the files that it extends.

``hybridlint.toml`` and ``.hybridlint.toml`` hold the settings themselves, ``pyproject.toml`` those of the table
``[tool.hybridlint]``. A table of this name is understood in the others too, if it is all that they have.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hybridlint.core.errors import UsageError
from hybridlint.project.settings.config import Config
from hybridlint.project.settings.validation import kind, read_config
from hybridlint.text.regular import read_regular

#: In the order in which they are looked for: the first one that has settings counts.
FILE_NAMES = (".hybridlint.toml", "hybridlint.toml", "pyproject.toml")
_SHARED = "pyproject.toml"
_EXTEND = "extend"
#: Keys whose values join those of an extended file.
_JOINED = ("extend-select",)
_MOST_EXTENDED = 16
#: The largest file of settings, in bytes.
_MOST_BYTES = 16 << 20


def own_config(folder: Path) -> Config | None:
    """Return the settings that a folder's own files hold, None if none does.

    Raises UsageError if a file cannot be read, or has unknown keys or wrong types.
    """
    for name in FILE_NAMES:
        path = folder / name
        table = _table(path) if os.path.isfile(path) else None
        if table is not None:
            return _read(path, table, folder)
    return None


def config_of(path: Path, root: Path) -> Config:
    """Return the settings of a file that was named, for all files below `root`. Raises UsageError."""
    table = _table(path)
    if table is None:
        raise UsageError(f"{path}: there is no table [tool.hybridlint] in the file")
    return _read(path, table, root)


def _read(path: Path, table: Mapping[str, Any], root: Path) -> Config:
    return read_config(path, _extended(path, table, ()), root)


def _extended(path: Path, table: Mapping[str, Any], before: tuple[Path, ...]) -> dict[str, Any]:
    """Return a table over those of the files that it extends. Each is validated by itself."""
    own = {key: value for key, value in table.items() if key != _EXTEND}
    if _EXTEND not in table:
        return own
    read_config(path, own)
    other = _named(path, table[_EXTEND])
    if other in (*before, path.resolve()) or len(before) == _MOST_EXTENDED:
        raise UsageError(f"{path}: `{_EXTEND}` leads back to the file itself")
    base = _table(other)
    if base is None:
        raise UsageError(f"{path}: `{_EXTEND}` names {other}, which has no table [tool.hybridlint]")
    inherited = _extended(other, base, (*before, path.resolve()))
    read_config(other, inherited)
    joined = {key: [*inherited.get(key, []), *own.get(key, [])] for key in _JOINED if key in inherited or key in own}
    return {**inherited, **own, **joined}


def _named(path: Path, value: Any) -> Path:
    if not isinstance(value, str):
        raise UsageError(f"{path}: `{_EXTEND}` must be the path of a file with settings")
    if "\0" in value:
        raise UsageError(f"{path}: `{_EXTEND}` holds a null character, which no path has")
    other = (path.parent / os.path.expanduser(value)).resolve()
    if not os.path.isfile(other):
        raise UsageError(f"{path}: `{_EXTEND}` names {other}, which is no file")
    return other


def _table(path: Path) -> Mapping[str, Any] | None:
    """Return the settings in a file, None for a pyproject.toml without any. Raises UsageError."""
    try:
        data = read_regular(path, most=_MOST_BYTES)
    except OSError as error:
        raise UsageError(f"{path}: cannot read the file: {error.strerror}") from error
    shared = path.name == _SHARED
    if shared and b"hybridlint" not in data:
        return None
    content = parse_toml(path, data)
    if not shared and set(content) != {"tool"}:
        return content
    tool = content.get("tool", {})
    table = tool.get("hybridlint") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise UsageError(f"{path}: `tool.hybridlint` must be a table, not {kind(table)}")
    return table


def parse_toml(path: Path, data: bytes | str) -> dict[str, Any]:
    """Return the table that TOML of the place `path` says. Raises UsageError."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(data if isinstance(data, str) else data.decode("utf-8"))
    except ValueError as error:
        # No TOML, no UTF-8, or a number of thousands of digits.
        raise UsageError(f"{path}: not valid TOML: {error}") from error
    except RecursionError as error:
        raise UsageError(f"{path}: its arrays are nested too deeply") from error
