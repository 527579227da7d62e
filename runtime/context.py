"""Contexts: the devices of arrays. Those of the CPU share one memory; each GPU has its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from hybridlint.runtime.core.scoped_values import ClassProperty, Current, Scoped
from hybridlint.runtime.platforms.devices import devices, on_gpu
from hybridlint.runtime.platforms.numpy_platform import NUMPY
from hybridlint.runtime.platforms.protocol import Platform

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self


def _outermost() -> Context:
    return Context("cpu", 0)


_current = Current(_outermost)
_GPU = 2


class Context(metaclass=Scoped):
    """A device: its type and number. Contexts with equal type and number are equal.

    In a ``with`` block, it is the default device of new arrays. Raises KeyError for an unknown device type.
    """

    devtype2str: ClassVar[dict[int, str]] = {1: "cpu", 2: "gpu", 3: "cpu_pinned", 5: "cpu_shared"}
    devstr2type: ClassVar[dict[str, int]] = {name: number for number, name in devtype2str.items()}

    __slots__ = ("device_id", "device_typeid")

    def __init__(self, device_type: str | Context, device_id: int = 0) -> None:
        if isinstance(device_type, Context):
            self.device_typeid: int = device_type.device_typeid
            self.device_id: int = device_type.device_id
            return
        self.device_typeid = self.devstr2type[device_type]
        self.device_id = device_id

    @property
    def device_type(self) -> str:
        """The device type, such as ``"cpu"``."""
        return self.devtype2str[self.device_typeid]

    def empty_cache(self) -> None:
        """Release cached device memory. CPU contexts cache none."""
        if platform_at(self) is not NUMPY:
            devices().release(self.device_id)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Context):
            return NotImplemented
        return self.device_typeid == other.device_typeid and self.device_id == other.device_id

    def __hash__(self) -> int:
        return hash((self.device_typeid, self.device_id))

    def __repr__(self) -> str:
        return f"{self.device_type}({self.device_id})"

    def __enter__(self) -> Self:
        _current.push(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        _current.pop()

    default_ctx = ClassProperty(_current)


def cpu(device_id: int = 0) -> Context:
    """Return a CPU context."""
    return Context("cpu", device_id)


def cpu_pinned(device_id: int = 0) -> Context:
    """Return a context of page-locked CPU memory, which is ordinary CPU memory in this runtime."""
    return Context("cpu_pinned", device_id)


def gpu(device_id: int = 0) -> Context:
    """Return a GPU context. Creating arrays on it raises MXNetError if no GPU is available."""
    return Context("gpu", device_id)


def num_gpus() -> int:
    """Return the number of usable GPUs."""
    return devices().count()


def gpu_memory_info(device_id: int = 0) -> tuple[int, int]:
    """Return free and total memory of a GPU in bytes. Raises MXNetError if it is unavailable."""
    on_gpu(device_id)
    return devices().memory(device_id)


def current_context() -> Context:
    """Return the context of the innermost ``with`` block, or ``cpu(0)``."""
    return _current.get()


def set_default(ctx: Context) -> None:
    """Make `ctx` the current context outside all ``with`` blocks."""
    _current.set_outermost(ctx)


def named(name: str | None) -> Context | None:
    """Return the context of a name such as ``gpu(0)``, as operators carry it; None for no such name."""
    match = re.fullmatch(r"(\w+)\((\d+)\)", name or "")
    return None if match is None or match[1] not in Context.devstr2type else Context(match[1], int(match[2]))


def platform_at(ctx: Context) -> Platform:
    """Return the platform of a context. Raises MXNetError, in a sentence, for a GPU that cannot be used."""
    return on_gpu(ctx.device_id) if ctx.device_typeid == _GPU else NUMPY


def require(ctx: Context) -> Context:
    """Return the context if arrays can be created there. Raises MXNetError otherwise."""
    platform_at(ctx)
    return ctx
