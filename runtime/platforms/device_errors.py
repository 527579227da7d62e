"""Turns the failures of a GPU into errors of MXNet, each a sentence, for all users of the GPU."""

from __future__ import annotations

from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.platforms.toolkit import Toolkit

#: Codes of CUDA, the runtime's and the driver's, after which a process can ask nothing more of a GPU: no device, errors
#: of its memory that are not corrected, and kernels that broke off.
_LOST = frozenset({46, 100, 214, 219, 220, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719})


class DeviceError(MXNetError):
    """A GPU, its driver or a library of it has failed; `reason` is what it says."""

    def __init__(self, device: int | None, reason: str, told: str = "gpu({device}) has failed: {reason}") -> None:
        super().__init__(told.format(device=device, reason=reason))
        self.reason = reason


class DeviceMemoryError(DeviceError):
    """A GPU has not enough memory. What else is on it can be used on."""

    def __init__(self, device: int | None, reason: str) -> None:
        super().__init__(device, reason, "gpu({device}) is out of memory: {reason}")


class DeviceLost(DeviceError):
    """A GPU that this process cannot use any more."""

    def __init__(self, device: int | None, reason: str) -> None:
        told = (
            "gpu({device}) is lost to this process: {reason}; what is in main memory can be used on, and another "
            "process can use the GPU"
        )
        super().__init__(device, reason, told)


class Failures:
    """The failures of one GPU, as its toolkit names them. Once it is lost it is asked nothing more."""

    def __init__(self, device: int | None, toolkit: Toolkit) -> None:
        self._device = device
        self._toolkit = toolkit
        self.lost: str | None = None

    def within(self, inner: AbstractContextManager[Any]) -> AbstractContextManager[Any]:
        """Return a context around another one, in which failures become a `DeviceError`."""
        return _Told(self, inner)

    def told(self, error: BaseException) -> DeviceError | None:
        """Return the error to raise in place of another one; None for one that is no failure of the GPU."""
        if isinstance(error, self._toolkit.memory_errors):
            return DeviceMemoryError(self._device, first_line(error))
        # An ImportError without a name is one of CuPy's about a library of CUDA.
        if not isinstance(error, self._toolkit.failures) or (isinstance(error, ImportError) and error.name):
            return None
        if getattr(error, "status", None) in _LOST:
            self.lost = first_line(error)
            return DeviceLost(self._device, self.lost)
        return DeviceError(self._device, first_line(error))

    def require(self) -> None:
        """Raise DeviceLost if the GPU is lost."""
        if self.lost is not None:
            raise DeviceLost(self._device, self.lost)


class _Told(AbstractContextManager[Any]):
    __slots__ = ("_failures", "_inner")

    def __init__(self, failures: Failures, inner: AbstractContextManager[Any]) -> None:
        self._failures = failures
        self._inner = inner

    def __enter__(self) -> Any:
        self._failures.require()
        try:
            return self._inner.__enter__()
        except Exception as error:
            raise self._failures.told(error) or error from error

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        cause = error
        try:
            self._inner.__exit__(kind, error, trace)
        except Exception as another:
            # Leaving a GPU that is lost fails too: the first error tells why.
            cause = error or another
        told = None if cause is None else self._failures.told(cause)
        if told is not None:
            raise told from cause
        if cause is not error and cause is not None:
            raise cause


def first_line(error: BaseException) -> str:
    """Return the first line of what an error says, its class if that is nothing."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
