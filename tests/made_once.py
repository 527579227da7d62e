"""What a fixture makes at a cost, once for all processes of a run instead of once in each."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[], Any]) -> Any:
    """Return what `make` returns, by way of JSON; who asks later for the same name gets what the first made."""
    own = factory.getbasetemp()
    shared = "PYTEST_XDIST_WORKER" in os.environ and sys.platform != "win32"
    folder = own.parent if shared else own
    made = folder / f"{name}.json"
    with _alone(folder / f"{name}.lock"):
        if not made.exists():
            made.write_text(json.dumps(make()), encoding="utf-8")
        return json.loads(made.read_text(encoding="utf-8"))


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep other processes out of the code inside, where the system knows such locks."""
    with path.open("w", encoding="utf-8") as lock:
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
