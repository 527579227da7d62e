"""Settings from the table ``[tool.hybridlint]`` of the nearest pyproject.toml above the checked files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from hybridlint.errors import UsageError
from hybridlint.text.suggest import did_you_mean

FILE_NAME = "pyproject.toml"

#: Keys of ``[tool.hybridlint.verify]`` and their types.
VERIFY_KEYS: Mapping[str, tuple[type, ...]] = {
    "timeout": (int, float),
    "batch-sizes": (list,),
    "samples": (int,),
    "memory": (int, float),
    "inputs": (dict,),
    "engine": (str,),
}

#: Choices that a project's settings may not make (to run its code, by which interpreter), with what to do instead.
_UNASKED: Mapping[str, str] = {
    "enabled": "a project does not have its own code run: take it out, and give `--verify` on the command line",
    "python": (
        "a project does not choose the interpreter that runs it: take it out, and give `--python PATH` on the command "
        "line or set HYBRIDLINT_PYTHON in your environment"
    ),
}


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one project. `root` is the folder of their file; patterns are relative to it."""

    root: Path
    path: Path | None = None
    select: tuple[str, ...] = ("ALL",)
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    respect_gitignore: bool = True
    possible: bool = False
    recorded: str = ".hybridlint/recorded.json"
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    verify: Mapping[str, Any] = field(default_factory=dict)

    @property
    def selectors(self) -> tuple[str, ...]:
        """All rule selectors in the settings."""
        per_file = (selector for selectors in self.per_file_ignores.values() for selector in selectors)
        return (*self.select, *self.extend_select, *self.ignore, *per_file)

    def overridden(
        self,
        *,
        select: tuple[str, ...] | None = None,
        extend_select: tuple[str, ...] = (),
        ignore: tuple[str, ...] = (),
        exclude: tuple[str, ...] = (),
        possible: bool | None = None,
    ) -> Config:
        """Return the settings with the command line's options. As in Ruff, ``--select`` replaces and the others add."""
        base = replace(self, exclude=self.exclude + exclude)
        base = base if possible is None else replace(base, possible=possible)
        if select is not None:
            return replace(base, select=select, extend_select=extend_select, ignore=ignore)
        return replace(base, extend_select=self.extend_select + extend_select, ignore=self.ignore + ignore)

    def check_recorded(self) -> None:
        """Raise UsageError if the record would be written outside the project, by its name or through a link."""
        root = os.path.realpath(self.root)
        if not os.path.realpath(os.path.join(root, self.recorded)).startswith(root.rstrip(os.sep) + os.sep):
            place = f"{self.path}: `recorded`" if self.path else f"`{self.recorded}`"
            raise UsageError(f"{place} must be a file below {self.root}, because runs are recorded there")

    def verified_with(self, **given: Any) -> Config:
        """Return the settings with the command line's options for proofs; None keeps a setting."""
        overrides = {key: value for key, value in given.items() if value is not None}
        return replace(self, verify={**self.verify, **overrides})


def own_config(folder: Path) -> Config | None:
    """Return the settings in a folder's own pyproject.toml, or None without such a file or hybridlint table.

    Raises UsageError if the file cannot be read, or has unknown keys or wrong types.
    """
    path = folder / FILE_NAME
    table = _table(path) if os.path.isfile(path) else None
    return None if table is None else read_config(path, table)


def read_config(path: Path, table: Mapping[str, Any]) -> Config:
    """Validate and convert the table ``[tool.hybridlint]`` of a file. Raises UsageError."""
    unknown = sorted(set(table) - set(_READERS))
    if unknown:
        known = ", ".join(f"`{name}`" for name in _READERS)
        hint = did_you_mean(unknown[0], _READERS)
        raise UsageError(f"{path}: unknown key `{unknown[0]}` in [tool.hybridlint]; the keys are {known}.{hint}")
    values = {key.replace("-", "_"): _READERS[key](path, key, value) for key, value in table.items()}
    return Config(root=path.parent, path=path, **values)


def _table(path: Path) -> Mapping[str, Any] | None:
    try:
        text = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot read the file: {error.strerror}") from error
    if b"hybridlint" not in text:
        return None
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        tool = tomllib.loads(text.decode("utf-8")).get("tool", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not valid TOML: {error}") from error
    table = tool.get("hybridlint") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise UsageError(f"{path}: `tool.hybridlint` must be a table, not {_kind(table)}")
    return table


def _strings(path: Path, key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        wrong = value if not isinstance(value, list) else next(v for v in value if not isinstance(v, str))
        found = _kind(wrong) if wrong is value else f"a list with {_kind(wrong)}"
        raise UsageError(f"{path}: `{key}` must be a list of strings, not {found}")
    return tuple(value)


def _string(path: Path, key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{path}: `{key}` must be a string, not {_kind(value)}")
    return value


def _flag(path: Path, key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise UsageError(f"{path}: `{key}` must be true or false, not {_kind(value)}")
    return value


def _string_lists(path: Path, key: str, value: Any) -> Mapping[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise UsageError(f"{path}: `{key}` must be a table from file patterns to lists of codes, not {_kind(value)}")
    return {pattern: _strings(path, f"{key}.{pattern}", codes) for pattern, codes in value.items()}


def _verify(path: Path, key: str, value: Any) -> Mapping[str, Any]:
    if isinstance(value, bool):
        raise UsageError(f"{path}: `{key}`: {_UNASKED['enabled']}")
    if not isinstance(value, dict):
        raise UsageError(f"{path}: `{key}` must be a table, not {_kind(value)}")
    for name, item in value.items():
        if name in _UNASKED:
            raise UsageError(f"{path}: `{key}.{name}`: {_UNASKED[name]}")
        types = VERIFY_KEYS.get(name)
        if types is None:
            known = ", ".join(f"`{k}`" for k in VERIFY_KEYS)
            hint = did_you_mean(name, VERIFY_KEYS)
            raise UsageError(f"{path}: unknown key `{name}` in [tool.hybridlint.{key}]; the keys are {known}.{hint}")
        if not isinstance(item, types) or (isinstance(item, bool) and bool not in types):
            raise UsageError(f"{path}: `{key}.{name}` must be {_KINDS[types[0]]}, not {_kind(item)}")
    return dict(value)


_KINDS: Mapping[type, str] = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "a table",
}

_READERS: Mapping[str, Callable[[Path, str, Any], Any]] = {
    "select": _strings,
    "extend-select": _strings,
    "ignore": _strings,
    "exclude": _strings,
    "respect-gitignore": _flag,
    "possible": _flag,
    "recorded": _string,
    "per-file-ignores": _string_lists,
    "verify": _verify,
}


def _kind(value: Any) -> str:
    return _KINDS.get(type(value), f"a {type(value).__name__}")


def fingerprint(config: Config) -> Iterable[str]:
    """Return the settings that influence findings, as strings for the cache key."""
    skipped = {"path", "exclude", "respect_gitignore", "verify"}
    return (f"{f.name}={getattr(config, f.name)!r}" for f in fields(config) if f.name not in skipped)
