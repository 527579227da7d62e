"""A fixture for tests of native code: no graph counts as large, so that each has native code at its first call."""

import pytest

from hybridlint.runtime.compiled import tiers


@pytest.fixture(autouse=True)
def native_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile every graph at its first call."""
    monkeypatch.setattr(tiers, "LARGE", 10**9)
