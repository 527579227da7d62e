"""Each module of fixers is tested by its own name, in the folder that mirrors its package."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint import fixers

HERE = Path(__file__).parent
MODULES = sorted(path for path in Path(fixers.__path__[0]).rglob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_module_has_tests_by_its_own_name(path: Path) -> None:
    room = path.parent.relative_to(fixers.__path__[0])
    assert "def test_" in (HERE / room / f"test_{path.name}").read_text("utf-8")


def test_fixers_are_found() -> None:
    assert len(MODULES) > 50
