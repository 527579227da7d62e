"""The interface that a platform provides to operators, eager and compiled."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias

import numpy.typing as npt

from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.platforms.toolkit import Toolkit

#: An array of a platform's array module. Typed as numpy's; others have the same methods.
Raw: TypeAlias = npt.NDArray[Any]


class Platform(Protocol):
    """Where arrays live, main memory or one GPU: the array module that computes there, and the memory."""

    def __hash__(self) -> int:
        """Return a number that tells the platform from others."""

    @property
    def name(self) -> str:
        """The platform's name, such as ``"numpy"``."""

    @property
    def device(self) -> int | None:
        """The number of the GPU; None for main memory."""

    @property
    def toolkit(self) -> Toolkit | None:
        """What runs compiled code there; None where only the array module computes."""

    @property
    def xp(self) -> Any:
        """The array module passed to kernels, with numpy's functions. It is called within `computing`."""

    def computing(self) -> AbstractContextManager[Any]:
        """Return a context in which `xp` computes here, and floating-point errors silently give inf and nan.

        Where the GPU fails it raises DeviceError.
        """

    def reserve(self, size: int) -> Raw:
        """Allocate `size` bytes of uninitialized memory."""

    def view(self, memory: Raw, held: TensorType) -> Raw:
        """Return the start of allocated memory as an array of a known type."""

    def owned(self, raw: Raw, sources: Sequence[Raw | None]) -> Raw:
        """Return the array if it is in C order and shares no memory with `sources`, otherwise a copy."""

    def generator(self) -> Any:
        """Return the random generator of the platform's default device."""

    def to_host(self, raw: Raw) -> Raw:
        """Return an array of this platform as numpy's: itself where it is one, else a copy."""

    def from_host(self, raw: Raw) -> Raw:
        """Return an array of numpy as one of this platform: itself where it is one, else a copy."""

    def wait(self) -> None:
        """Wait until everything asked of the platform is computed."""
