"""What is pinned and listed about dependencies is complete."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest

from .__main__ import lowest
from .licences import PAGE, licence, name_of, project, table, uses, written

ROOT = Path(__file__).parents[2]
PROJECT = project()
PINS = (ROOT / "requirements" / "test.txt").read_text(encoding="utf-8")


def _names(requirements: list[str]) -> set[str]:
    return set(map(name_of, requirements))


def test_everything_that_the_tests_need_is_pinned_with_digests() -> None:
    wanted = _names([*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["test"]])
    pinned = {name.lower() for name in re.findall(r"(?m)^([\w.-]+)==", PINS)}
    assert wanted <= pinned
    for entry in re.split(r"(?m)^(?=[\w.-]+==)", PINS)[1:]:
        assert "--hash=sha256:" in entry, entry.partition("\n")[0]


def _licences() -> dict[str, str]:
    return dict(re.findall(r"(?m)^\| ([\w-]+) \| ([^|]+) \| (?:always|`)", written(PAGE.read_text(encoding="utf-8"))))


def test_the_licence_of_each_dependency_is_listed_with_what_needs_it() -> None:
    assert written(PAGE.read_text(encoding="utf-8")) == table(uses(PROJECT), _licences())


def test_a_licence_is_the_expression_of_the_metadata_or_that_of_its_classifiers() -> None:
    classified = ["License :: OSI Approved :: MIT License", "Programming Language :: Python"]
    assert licence("some", "BSD-3-Clause", classified) == "BSD-3-Clause"
    assert licence("some", None, classified) == "MIT"
    with pytest.raises(SystemExit, match="the licence of some is not clear"):
        licence("some", None, ["License :: OSI Approved :: BSD License"])


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
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert "numpy==2.0" in lowest(text, (3, 10))
    assert {pin.partition("==")[0] for pin in lowest(text, (3, 10))} == _names(PROJECT["dependencies"])
