"""Operations of a GPU beyond an array module: running code compiled for it, and replaying launches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

#: A function on the device: launched with so many blocks of so many threads, on addresses and numbers.
Launcher: TypeAlias = Callable[[tuple[int], tuple[int], tuple[Any, ...]], None]


class Toolkit(Protocol):
    """Compiled code on one GPU. Everything is called within the platform's `computing`."""

    @property
    def failures(self) -> tuple[type[Exception], ...]:
        """What is raised where the GPU, its driver or a library of it fails."""

    @property
    def memory_errors(self) -> tuple[type[Exception], ...]:
        """What is raised where there is not enough memory."""

    @property
    def compiler(self) -> str:
        """What compiles, in a few words."""

    def functions(self, source: str, names: Sequence[str]) -> Sequence[Launcher]:
        """Compile CUDA's C and return its functions with these names. Raises one of `failures`."""

    def address(self, raw: Any) -> int:
        """Return the address of an array's first element."""

    def captured(self, work: Callable[[], None]) -> Callable[[], None]:
        """Return a function that runs again what some launches did, on the same memory, as one launch.

        `work` is called once to record it, and does nothing then. Raises one of `failures`.
        """
