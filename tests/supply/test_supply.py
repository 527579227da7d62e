"""What is pinned and listed about dependencies is complete."""

from __future__ import annotations

import re
import sys
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest

from .__main__ import lowest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PINS = (ROOT / "requirements" / "test.txt").read_text(encoding="utf-8")
#: Extras of those who work on it; what users install is listed with its licence.
OURS = {"test", "docs", "browser"}


def _names(requirements: list[str]) -> set[str]:
    return {re.split(r"[<>=\[; ]", requirement)[0].lower() for requirement in requirements}


def test_everything_that_the_tests_need_is_pinned_with_digests() -> None:
    wanted = _names([*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["test"]])
    pinned = {name.lower() for name in re.findall(r"(?m)^([\w.-]+)==", PINS)}
    assert wanted <= pinned
    for entry in re.split(r"(?m)^(?=[\w.-]+==)", PINS)[1:]:
        assert "--hash=sha256:" in entry, entry.partition("\n")[0]


def _licences() -> dict[str, str]:
    text = (ROOT / "docs" / "releasing.md").read_text(encoding="utf-8")
    return dict(re.findall(r"(?m)^\| ([\w-]+) \| ([^|]+) \| (?:always|Python|`)", text))


def test_the_licence_of_each_dependency_is_listed() -> None:
    optional = PROJECT["optional-dependencies"]
    extras = [each for name, several in optional.items() if name not in OURS for each in several]
    assert set(_licences()) == _names([*PROJECT["dependencies"], *extras])


@pytest.mark.parametrize("package", sorted(_licences()))
def test_licences_are_those_that_the_packages_name(package: str) -> None:
    try:
        told = metadata(package)
    except PackageNotFoundError:
        pytest.skip(f"{package} is not installed")
    said = " ".join(text for key in ("License-Expression", "Classifier", "License") for text in told.get_all(key) or [])
    family = re.split(r"[-; ]", _licences()[package])[0]
    names = {"MPL": ["MPL", "Mozilla"], "Apache": ["Apache"], "MIT": ["MIT"], "BSD": ["BSD"]}[family]
    assert any(name in said for name in names), said


def test_the_oldest_versions_are_those_of_the_project() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert "numpy==2.0" in lowest(project, (3, 10))
    assert {pin.partition("==")[0] for pin in lowest(project, (3, 10))} == _names(PROJECT["dependencies"])
