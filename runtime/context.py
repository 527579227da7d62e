"""Devices. Arrays of all CPU contexts share one memory; GPUs are not supported yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.core.scoped_values import ClassProperty, Current, Scoped

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self


def _outermost() -> Context:
    return Context("cpu", 0)


_current = Current(_outermost)


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
        require(self)

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
    return 0


def gpu_memory_info(device_id: int = 0) -> tuple[int, int]:
    """Return free and total memory of a GPU in bytes. Raises MXNetError if it is unavailable."""
    require(gpu(device_id))
    raise MXNetError(f"gpu_memory_info: nothing is known of gpu({device_id})")


def current_context() -> Context:
    """Return the context of the innermost ``with`` block, or ``cpu(0)``."""
    return _current.get()


def set_default(ctx: Context) -> None:
    """Make `ctx` the current context outside all ``with`` blocks."""
    _current.set_outermost(ctx)


def require(ctx: Context) -> Context:
    """Return the context if arrays can be created there. Raises MXNetError otherwise."""
    if ctx.device_type == "gpu":
        raise MXNetError(f"{ctx} cannot be used: this runtime computes on the CPU only; use mx.cpu()")
    return ctx
