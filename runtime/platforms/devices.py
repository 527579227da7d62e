"""The GPUs that this process can use: CuPy's, unless others stand in for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.platforms.protocol import Platform


class Devices(Protocol):
    """A kind of GPU, as a library makes it available."""

    def missing(self) -> str | None:
        """Return a sentence that says what to do to use a GPU; None if a GPU can be used."""

    def count(self) -> int:
        """Return the number of GPUs, 0 where something is missing."""

    def platform(self, number: int) -> Platform:
        """Return the platform of the GPU with this number, always the same one. It is there."""

    def holder(self, raw: Any) -> int | None:
        """Return the number of the GPU that holds an array; None for what is no array of a GPU."""

    def memory(self, number: int) -> tuple[int, int]:
        """Return free and total memory of a GPU in bytes."""

    def wait(self) -> None:
        """Wait for all computations on the GPUs in use. A GPU that is lost is not waited for again."""

    def release(self, number: int) -> None:
        """Give the memory of a GPU back that is kept for arrays to come."""


_chosen: list[Devices] = []


def devices() -> Devices:
    """Return the GPUs in use."""
    if not _chosen:
        from hybridlint.runtime.platforms.cupy_platform import CUPY

        _chosen.append(CUPY)
    return _chosen[-1]


@contextmanager
def using(others: Devices) -> Iterator[None]:
    """Use other GPUs within a ``with`` block, such as those of a test."""
    devices()
    _chosen.append(others)
    try:
        yield
    finally:
        _chosen.pop()


def on_gpu(number: int) -> Platform:
    """Return the platform of a GPU. Raises MXNetError, in a sentence, where it cannot be used."""
    found = devices()
    lacking = found.missing()
    if lacking is not None:
        raise MXNetError(f"gpu({number}) cannot be used: {lacking}")
    count = found.count()
    if not 0 <= number < count:
        there = "gpu(0) is the only GPU" if count == 1 else f"the GPUs are gpu(0) to gpu({count - 1})"
        raise MXNetError(f"gpu({number}) cannot be used: {there}")
    return found.platform(number)
