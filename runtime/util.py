"""The switches of numpy mode: whether zero-dimensional shapes are allowed, and whether arrays are `mx.np.ndarray`."""

from __future__ import annotations

import functools
import inspect
import os
import threading
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

T = TypeVar("T")


class _Mode(threading.local):
    """The two switches of a thread."""

    shape = False
    array = False


_mode = _Mode()


def is_np_shape() -> bool:
    """Return whether shapes follow numpy: ``()`` is a scalar, 0 an empty dimension, -1 an unknown one."""
    return _mode.shape


def is_np_array() -> bool:
    """Return whether blocks compute on `mx.np.ndarray` rather than on NDArray."""
    return _mode.array


def set_np_shape(active: bool | int) -> bool:
    """Switch numpy shapes on or off, and return the previous setting."""
    before, _mode.shape = _mode.shape, bool(active)
    return before


def set_np(shape: bool = True, array: bool = True) -> None:
    """Switch numpy mode on. Raises ValueError for numpy arrays without numpy shapes."""
    if array and not shape:
        raise ValueError("NumPy Shape semantics is required in using NumPy array semantics.")
    _mode.shape, _mode.array = bool(shape), bool(array)


def reset_np() -> None:
    """Switch numpy mode off."""
    set_np(shape=False, array=False)


class _Scope:
    """Set the switches inside a with block; None leaves one as it is."""

    def __init__(self, shape: bool | None, array: bool | None) -> None:
        self._wanted = (shape, array)
        self._before: list[tuple[bool, bool]] = []

    def __enter__(self) -> None:
        self._before.append((_mode.shape, _mode.array))
        shape, array = self._wanted
        if shape is not None:
            _mode.shape = shape
        if array is not None:
            _mode.array = array

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        _mode.shape, _mode.array = self._before.pop()


class _NumpyShapeScope(_Scope):
    """A scope in which numpy's shapes, with sizes of 0 and no dimensions, are on or off."""

    def __init__(self, is_np_shape: bool) -> None:
        super().__init__(bool(is_np_shape), None)
        self._is_np_shape = bool(is_np_shape)


class _NumpyArrayScope(_Scope):
    """A scope in which blocks create arrays of numpy mode, or legacy ones."""

    def __init__(self, is_np_array: bool) -> None:
        super().__init__(None, bool(is_np_array))
        self._is_np_array = bool(is_np_array)


def np_shape(active: bool = True) -> _Scope:
    """Return a scope in which numpy's shapes, with sizes of 0 and no dimensions, are on or off."""
    return _NumpyShapeScope(active)


def np_array(active: bool = True) -> _Scope:
    """Return a scope in which blocks create arrays of numpy mode, or legacy ones."""
    return _NumpyArrayScope(active)


def use_np_shape(func: T) -> T:
    """Decorate a function or a class so that it runs with numpy shapes. Raises TypeError for anything else."""
    return cast("T", _decorate(func, lambda: _Scope(True, None)))


def use_np_array(func: T) -> T:
    """Decorate a function or a class so that it runs with numpy arrays. Raises TypeError for anything else."""
    return cast("T", _decorate(func, lambda: _Scope(None, True)))


def use_np(func: T) -> T:
    """Decorate a function or a class so that it runs in numpy mode. Raises TypeError for anything else."""
    return cast("T", _decorate(func, lambda: _Scope(True, True)))


def getenv(name: str) -> str | None:
    """Return an environment variable, or None if it is not set."""
    return os.environ.get(name)


def setenv(name: str, value: str | None) -> None:
    """Set an environment variable; None removes it."""
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def set_module(module: str) -> Callable[[T], T]:
    """Return a decorator that makes a function or class say that it is of a module."""

    def decorate(target: T) -> T:
        cast("Any", target).__module__ = module
        return target

    return decorate


def get_gpu_count() -> int:
    """Return the number of GPUs: there is none."""
    return 0


def get_gpu_memory(gpu_dev_id: int) -> NoReturn:
    """Raise MXNetError: there is no GPU."""
    from hybridlint.runtime.base import MXNetError

    raise MXNetError(f"get_gpu_memory: there is no gpu({gpu_dev_id}): this runtime computes on the CPU only")


def get_cuda_compute_capability(ctx: Any) -> NoReturn:
    """Raise ValueError for a context that is not a GPU, else MXNetError: this runtime has no GPU."""
    if ctx.device_type != "gpu":
        raise ValueError(f"Expecting a gpu context to get cuda compute capability, while received ctx {ctx}")
    get_gpu_memory(ctx.device_id)


def _decorate(target: Any, scope: Callable[[], _Scope]) -> Any:
    if inspect.isclass(target):
        # What is inherited runs in numpy mode as well: so it is `initialize` that makes parameters of numpy mode.
        members = {name: member for klass in reversed(target.__mro__[:-1]) for name, member in vars(klass).items()}
        for name, member in members.items():
            if name not in vars(target) and not isinstance(member, (property, FunctionType)):
                continue
            wrapped = _decorate_member(member, scope)
            if wrapped is not member:
                setattr(target, name, wrapped)
        return target
    if not callable(target):
        raise TypeError(f"numpy mode decorates functions and classes, but got {target} of type {type(target)}")
    return _wrap(target, scope)


def _decorate_member(member: Any, scope: Callable[[], _Scope]) -> Any:
    if isinstance(member, property):
        read, write, delete = (f and _wrap(f, scope) for f in (member.fget, member.fset, member.fdel))
        return property(read, write, delete, member.__doc__)
    if isinstance(member, (staticmethod, classmethod)):
        return type(member)(_wrap(member.__func__, scope))
    return _wrap(member, scope) if inspect.isfunction(member) else member


def _wrap(function: Callable[..., Any], scope: Callable[[], _Scope]) -> Callable[..., Any]:
    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        with scope():
            return function(*args, **kwargs)

    return run
