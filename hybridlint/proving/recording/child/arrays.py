"""Storage of input arrays, if requested: the first call of each kind, in a file of its own."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

#: Largest total size, in bytes, of the arrays stored for one call.
MOST_BYTES = 64 << 20


class Arrays:
    """Files under `folder` with the arrays of calls, each array keyed by its place: ``x``, ``states[0]``."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._count: dict[str, int] = {}

    def copied(self, args: Sequence[Any]) -> list[Any]:
        """Return copies of the arrays, nested as given, None for other values; an empty list if they are too large."""
        copies = [_copied(value) for value in args]
        size = sum(leaf.nbytes for k, value in enumerate(copies) for _, leaf in _leaves(value, str(k)))
        return copies if size <= MOST_BYTES else []

    def kept(self, key: str, names: Sequence[str], copies: Sequence[Any]) -> str:
        """Write the inputs of a call, and return the name of the file in the folder."""
        self._count[key] = self._count.get(key, 0) + 1
        name = f"{re.sub('[^A-Za-z0-9]+', '-', key)}-{self._count[key]}.npz"
        os.makedirs(self.folder, exist_ok=True)
        arrays = {place: leaf for k, value in enumerate(copies) for place, leaf in _leaves(value, names[k])}
        np.savez(os.path.join(self.folder, name), **arrays)
        return name


def _copied(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_copied(item) for item in value]
    return value.asnumpy() if hasattr(value, "asnumpy") else None


def _leaves(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list):
        for k, item in enumerate(value):
            yield from _leaves(item, f"{place}[{k}]")
    elif value is not None:
        yield place, value
