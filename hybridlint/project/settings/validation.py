"""The allowed settings: the keys of each table, the type of each key, and the messages about mistakes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hybridlint.core.errors import UsageError
from hybridlint.project.settings.config import Config
from hybridlint.project.settings.required_version import check_version
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

#: The largest values of numbers: a day, as many inputs as anybody waits for, and 16 TiB.
VERIFY_MOST: Mapping[str, int] = {"timeout": 86_400, "samples": 1_000, "memory": 1 << 24}
#: Most batch sizes of a proof, and the largest one.
_MOST_SIZES, _LARGEST_SIZE = 16, 1_000_000

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
    for item in value:
        _check_null(path, key, item)
    return tuple(value)


def _string(path: Path, key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{path}: `{key}` must be a string, not {kind(value)}")
    _check_null(path, key, value)
    return value


def _version(path: Path, key: str, value: Any) -> str:
    wanted = _string(path, key, value)
    check_version(path, key, wanted)
    return wanted


def _check_null(path: Path, key: str, value: str) -> None:
    if "\0" in value:
        raise UsageError(f"{path}: `{key}` holds a null character, which no path or name has")


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
        _check_size(path, f"{key}.{name}", item, VERIFY_MOST.get(name))
    sizes = value.get("batch-sizes", [])
    if len(sizes) > _MOST_SIZES:
        raise UsageError(f"{path}: `{key}.batch-sizes` must be at most {_MOST_SIZES} numbers, not {len(sizes)}")
    for size in sizes:
        if type(size) is not int:
            raise UsageError(f"{path}: `{key}.batch-sizes` must be whole numbers, not {kind(size)}")
        _check_size(path, f"{key}.batch-sizes", size, _LARGEST_SIZE)
    return dict(value)


def _check_size(path: Path, key: str, value: Any, most: int | None) -> None:
    """Raise UsageError for a number beyond `most`, or one that is none."""
    if most is not None and not value <= most:
        raise UsageError(f"{path}: `{key}` must be at most {most}")
    if most is not None and not value > 0:
        raise UsageError(f"{path}: `{key}` must be above 0")


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
    "fixable": _strings,
    "unfixable": _strings,
    "exclude": _strings,
    "respect-gitignore": _flag,
    "possible": _flag,
    "recorded": _string,
    "unsuppressible": _strings,
    "per-file-ignores": _string_lists,
    "operators": _operators,
    "verify": _verify,
    "required-version": _version,
}


def kind(value: Any) -> str:
    """Return how a sentence names the type of a value."""
    return _KINDS.get(type(value), f"a {type(value).__name__}")
