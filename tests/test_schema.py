"""The JSON schema of the settings says what the settings' reader says, and describes every key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hybridlint.core.errors import UsageError
from hybridlint.project.settings.selection import validate
from hybridlint.project.settings.validation import READERS, VERIFY_KEYS, read_config
from hybridlint.rule import all_rules

DOCS = Path(__file__).parents[1] / "docs"
pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="runs in a checkout only")

TABLES: list[dict[str, Any]] = [
    {},
    {"select": ["ALL"], "ignore": ["HYB7", "tensor-shape"], "exclude": ["third_party"]},
    {"select": ["HYB10"], "extend-select": ["HYB811"], "unsuppressible": ["HYB6"], "possible": True},
    {"per-file-ignores": {"tests/**": ["HYB1"]}, "recorded": "runs.json", "respect-gitignore": False},
    {"verify": {"timeout": 60, "batch-sizes": [2, 5], "engine": "mxnet", "inputs": {"Net": 'x=("N", 3)'}}},
    {"fixable": ["ALL"], "unfixable": ["HYB3"], "required-version": ">=0.0.1, <99"},
    {"required-version": "newest"},
    {"unfixable": ["HYB9999"]},
    {"select": "ALL"},
    {"selects": ["ALL"]},
    {"select": ["HYB9999"]},
    {"ignore": ["tensor-shpe"]},
    {"possible": "yes"},
    {"respect-gitignore": 1},
    {"per-file-ignores": ["HYB1"]},
    {"verify": {"enabled": True}},
    {"verify": {"timeout": "60"}},
    {"verify": True},
]


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        (DOCS.parent / "hybridlint" / "hybridlint.schema.json").read_text(encoding="utf-8")
    )
    return found


@pytest.mark.parametrize("table", TABLES, ids=json.dumps)
def test_it_accepts_what_the_settings_accept(schema: dict[str, Any], table: dict[str, Any]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    accepted = jsonschema.Draft7Validator(schema).is_valid(table)
    try:
        validate(read_config(Path("hybridlint.toml"), table).selectors)
        expected = True
    except UsageError:
        expected = False
    assert accepted is expected


def test_it_is_a_schema(schema: dict[str, Any]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft7Validator.check_schema(schema)


def test_every_key_is_described(schema: dict[str, Any]) -> None:
    properties = schema["properties"]
    assert set(properties) == {*READERS, "extend"}
    assert set(properties["verify"]["properties"]) == set(VERIFY_KEYS)
    assert all(each["description"] for each in [*properties.values(), *properties["verify"]["properties"].values()])


def test_every_rule_can_be_completed(schema: dict[str, Any]) -> None:
    names = schema["definitions"]["selector"]["anyOf"][0]["enum"]
    assert {name for rule in all_rules() for name in (rule.code, rule.name)} <= set(names)
