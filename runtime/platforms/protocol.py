"""The interface that a platform provides to operators, eager and compiled."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias

import numpy.typing as npt

from hybridlint.runtime.facts.types import TensorType

#: An array of a platform's array module. Typed as numpy's; others have the same methods.
Raw: TypeAlias = npt.NDArray[Any]


class Platform(Protocol):
    """A kind of device: its array module and its memory."""

    @property
    def name(self) -> str:
        """The platform's name, such as ``"numpy"``."""

    @property
    def xp(self) -> Any:
        """The array module passed to kernels, with numpy's functions."""

    def quiet(self) -> AbstractContextManager[Any]:
        """Return a context in which floating-point errors silently give inf and nan."""

    def reserve(self, size: int) -> Raw:
        """Allocate `size` bytes of uninitialized memory."""

    def view(self, memory: Raw, held: TensorType) -> Raw:
        """Return the start of allocated memory as an array of a known type."""

    def owned(self, raw: Raw, sources: Sequence[Raw | None]) -> Raw:
        """Return the array if it is in C order and shares no memory with `sources`, otherwise a copy."""

    def generator(self) -> Any:
        """Return the random generator of the platform's default device."""
