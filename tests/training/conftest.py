"""Large graphs have native code at their first call here: what is tested is that code."""

import pytest

from hybridlint.runtime.compiled import tiers


@pytest.fixture(autouse=True)
def native_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no graph count as large."""
    monkeypatch.setattr(tiers, "LARGE", 10**9)
