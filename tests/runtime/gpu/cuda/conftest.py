"""Products that cuBLAS computes, whatever their size, for the tests that ask for them."""

import pytest

from hybridlint.runtime.compiled.engines.cuda import schedule


@pytest.fixture
def by_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "MOST_FOLDED", 0)
