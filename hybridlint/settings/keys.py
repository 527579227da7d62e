"""What settings may be: the keys of a table, the type of each, and what is said about mistakes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hybridlint.errors import UsageError
from hybridlint.settings.config import Config
from hybridlint.text.suggest import did_you_mean

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


def read_config(path: Path, table: Mapping[str, Any], root: Path | None = None) -> Config:
    """Validate and convert the table of a file. Patterns are relative to `root`, or the file's folder.

    Raises UsageError.
    """
    unknown = sorted(set(table) - set(READERS))
    if unknown:
        known = ", ".join(f"`{name}`" for name in READERS)
        hint = did_you_mean(unknown[0], READERS)
        raise UsageError(f"{path}: unknown key `{unknown[0]}` in [tool.hybridlint]; the keys are {known}.{hint}")
    values = {key.replace("-", "_"): READERS[key](path, key, value) for key, value in table.items()}
    return Config(root=path.parent if root is None else root, path=path, **values)


def _strings(path: Path, key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        wrong = value if not isinstance(value, list) else next(v for v in value if not isinstance(v, str))
        found = kind(wrong) if wrong is value else f"a list with {kind(wrong)}"
        raise UsageError(f"{path}: `{key}` must be a list of strings, not {found}")
    return tuple(value)


def _string(path: Path, key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{path}: `{key}` must be a string, not {kind(value)}")
    return value


def _flag(path: Path, key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise UsageError(f"{path}: `{key}` must be true or false, not {kind(value)}")
    return value


def _string_lists(path: Path, key: str, value: Any) -> Mapping[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise UsageError(f"{path}: `{key}` must be a table from file patterns to lists of codes, not {kind(value)}")
    return {pattern: _strings(path, f"{key}.{pattern}", codes) for pattern, codes in value.items()}


def _operators(path: Path, key: str, value: Any) -> Mapping[str, str]:
    if not isinstance(value, dict):
        raise UsageError(f"{path}: `{key}` must be a table from names of operators to their shapes, not {kind(value)}")
    for name, text in value.items():
        if not isinstance(text, str):
            found = f"must be a string, not {kind(text)}; a name with dots stands in quotes"
            raise UsageError(f"{path}: `{key}.{name}` {found}")
    return dict(value)


def _verify(path: Path, key: str, value: Any) -> Mapping[str, Any]:
    if isinstance(value, bool):
        raise UsageError(f"{path}: `{key}`: {_UNASKED['enabled']}")
    if not isinstance(value, dict):
        raise UsageError(f"{path}: `{key}` must be a table, not {kind(value)}")
    for name, item in value.items():
        if name in _UNASKED:
            raise UsageError(f"{path}: `{key}.{name}`: {_UNASKED[name]}")
        types = VERIFY_KEYS.get(name)
        if types is None:
            known = ", ".join(f"`{k}`" for k in VERIFY_KEYS)
            hint = did_you_mean(name, VERIFY_KEYS)
            raise UsageError(f"{path}: unknown key `{name}` in [tool.hybridlint.{key}]; the keys are {known}.{hint}")
        if not isinstance(item, types) or (isinstance(item, bool) and bool not in types):
            raise UsageError(f"{path}: `{key}.{name}` must be {_KINDS[types[0]]}, not {kind(item)}")
    return dict(value)


_KINDS: Mapping[type, str] = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "a table",
}

#: Each key of a table of settings, and the function that reads its value.
READERS: Mapping[str, Callable[[Path, str, Any], Any]] = {
    "select": _strings,
    "extend-select": _strings,
    "ignore": _strings,
    "exclude": _strings,
    "respect-gitignore": _flag,
    "possible": _flag,
    "recorded": _string,
    "unsuppressible": _strings,
    "per-file-ignores": _string_lists,
    "operators": _operators,
    "verify": _verify,
}


def kind(value: Any) -> str:
    """Return how a sentence names the type of a value."""
    return _KINDS.get(type(value), f"a {type(value).__name__}")
