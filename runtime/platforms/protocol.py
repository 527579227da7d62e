"""What a platform must offer for operators, eager and compiled, to run on it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias

import numpy.typing as npt

from hybridlint.runtime.types import TensorType

#: An array of a platform's array module. Only numpy's is typed; others have its methods.
Raw: TypeAlias = npt.NDArray[Any]


class Platform(Protocol):
    """A kind of device: who computes on it, and where its arrays live."""

    @property
    def name(self) -> str:
        """Name of the platform, such as ``"numpy"``."""

    @property
    def xp(self) -> Any:
        """The array module with numpy's functions that kernels are called with."""

    def quiet(self) -> AbstractContextManager[Any]:
        """Return a context in which floating-point errors give inf and nan without a warning."""

    def reserve(self, size: int) -> Raw:
        """Return `size` bytes of memory, uninitialized."""

    def view(self, memory: Raw, held: TensorType) -> Raw:
        """Return the beginning of reserved memory as an array of a known type."""

    def owned(self, raw: Raw, sources: Sequence[Raw | None]) -> Raw:
        """Return the array itself where it shares no memory with `sources` and is in C order; otherwise a copy."""

    def generator(self) -> Any:
        """Return the generator of random numbers of the platform's default device."""
