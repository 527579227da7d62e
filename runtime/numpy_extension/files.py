"""``npx.save`` and ``npx.load``: files of arrays of numpy mode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.numpy.multiarray import as_array, ndarray
from hybridlint.runtime.serialization import params


def save(file: str, arr: ndarray | Sequence[ndarray] | Mapping[str, ndarray]) -> None:
    """Write an array, a list of arrays or a dict of named arrays. Raises TypeError for legacy arrays."""
    given = [arr] if isinstance(arr, NDArray) else arr
    values = given.values() if isinstance(given, Mapping) else given
    if any(not isinstance(v, ndarray) for v in values):
        raise TypeError("only arrays of numpy mode can be saved")
    params.save(file, given)


def load(file: str) -> list[ndarray] | dict[str, ndarray]:
    """Read a file of arrays: a dict where they have names, otherwise a list. Raises MXNetError."""
    found = params.load(file)
    if isinstance(found, dict):
        return {name: as_array(value._data) for name, value in found.items()}
    return [as_array(value._data) for value in found]
