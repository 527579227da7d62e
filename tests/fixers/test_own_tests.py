"""Each module of fixers is tested by its own name, in the folder that mirrors its package."""

from __future__ import annotations

from pathlib import Path

from hybridlint import fixers

HERE = Path(__file__).parent
MODULES = sorted(path for path in Path(fixers.__path__[0]).rglob("*.py") if path.stem != "__init__")


def test_a_module_has_tests_by_its_own_name() -> None:
    tests = [HERE / path.parent.relative_to(fixers.__path__[0]) / f"test_{path.name}" for path in MODULES]
    assert [path for path in tests if not path.exists() or "def test_" not in path.read_text("utf-8")] == []


def test_fixers_are_found() -> None:
    assert len(MODULES) > 50
