"""The JSON schema of the settings, for editors that complete and check TOML; generated from the keys that are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from hybridlint.project.settings.config import Config
from hybridlint.project.settings.required_version import VERSIONS
from hybridlint.project.settings.validation import READERS, VERIFY_KEYS
from hybridlint.rule import HOME_URL, all_rules

_ID = f"{HOME_URL}/raw/main/hybridlint/hybridlint.schema.json"

_TYPES: Mapping[type, str] = {int: "number", float: "number", str: "string", list: "array", dict: "object"}
#: Keys whose strings select rules.
_SELECTING = frozenset(
    {"select", "extend-select", "ignore", "fixable", "unfixable", "unsuppressible", "per-file-ignores"}
)


def schema(meanings: Mapping[str, str], engines: Sequence[str]) -> dict[str, Any]:
    """Return the schema of ``hybridlint.toml`` and of ``[tool.hybridlint]``.

    `meanings` describes the keys, and `engines` are those that a proof may have.
    """
    defaults = {field.name.replace("_", "-"): getattr(Config(Path()), field.name) for field in fields(Config)}
    properties = {key: _property(key, reader.__name__, defaults[key]) for key, reader in READERS.items()}
    properties["extend"] = {"type": "string"}
    for key, of_key in properties.items():
        of_key["description"] = meanings[key]
    verify = {key: _verify(types, meanings[f"verify.{key}"]) for key, types in VERIFY_KEYS.items()}
    verify["engine"]["enum"] = list(engines)
    properties["verify"] |= {"additionalProperties": False, "properties": verify}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": _ID,
        "title": "Settings of hybridlint",
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "definitions": {"selector": _selector()},
    }


def _property(key: str, reader: str, default: Any) -> dict[str, Any]:
    made: Mapping[str, Callable[[], dict[str, Any]]] = {
        "_strings": lambda: {"type": "array", "items": _item(key), "default": list(default)},
        "_string": lambda: {"type": "string", "default": default},
        "_version": lambda: {"type": "string", "pattern": VERSIONS},
        "_flag": lambda: {"type": "boolean", "default": default},
        "_string_lists": lambda: {
            "type": "object",
            "additionalProperties": {"type": "array", "items": _item(key)},
            "default": default,
        },
        "_operators": lambda: {"type": "object", "additionalProperties": {"type": "string"}, "default": default},
        "_verify": lambda: {"type": "object"},
    }
    return made[reader]()


def _item(key: str) -> dict[str, Any]:
    return {"$ref": "#/definitions/selector"} if key in _SELECTING else {"type": "string"}


def _verify(types: tuple[type, ...], meaning: str) -> dict[str, Any]:
    return {"type": _TYPES[types[0]], "description": meaning}


def _selector() -> dict[str, Any]:
    """Return the schema of a selector: ALL, codes and their beginnings, and names, which an editor can complete."""
    rules = all_rules()
    beginnings = sorted({rule.code[:length] for rule in rules for length in (3, 4, 5)})
    names = [name for rule in rules for name in (rule.code, rule.name)]
    known = {"enum": ["ALL", *beginnings, *names]}
    # Codes of rules of one's own.
    return {"type": "string", "anyOf": [known, {"pattern": "^(?!HYB|ALL)[A-Z]{3}[0-9]{0,3}$"}]}
