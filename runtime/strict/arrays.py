"""Arrays that raise when user code asks them for something a Symbol cannot do, or does differently."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from hybridlint.runtime.facts.surface import TENSOR_LACKS, Lack, Mode
from hybridlint.runtime.ndarray.methods import ARITHMETIC, COMPARISONS
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.numpy.multiarray import ndarray
from hybridlint.runtime.strict.callers import is_guarded, is_ours

#: Attribute or method name -> code of the rule that explains it.
_CODES = {
    **dict.fromkeys(("shape", "size", "ndim"), "HYB101"),
    **dict.fromkeys(("dtype", "context", "ctx", "stype", "grad", "writable"), "HYB103"),
    "T": "HYB104",
    **dict.fromkeys(("asnumpy", "asscalar", "item", "tolist"), "HYB106"),
    **dict.fromkeys(("copy", "copyto", "as_in_context", "as_in_ctx"), "HYB107"),
    **dict.fromkeys(("detach", "attach_grad", "backward"), "HYB108"),
    "__bool__": "HYB401",
    "__setitem__": "HYB205",
    "__imod__": "HYB303",
    **dict.fromkeys(("__float__", "__int__"), "HYB505"),
    **dict.fromkeys(("__iadd__", "__isub__", "__imul__", "__itruediv__", "__imatmul__"), "HYB302"),
    **dict.fromkeys(("__iand__", "__ior__", "__ixor__"), "HYB302"),
    **dict.fromkeys(("__abs__", "__and__", "__or__", "__xor__", "__invert__", "__matmul__", "__rmatmul__"), "HYB305"),
    **dict.fromkeys(("__ceil__", "__floor__", "__round__", "__trunc__"), "HYB505"),
}
_OTHER_METHOD = "HYB109"
#: The problem with operator methods, by rule code.
_REASONS = {
    "HYB205": "a Symbol takes no items",
    "HYB302": "in-place operators raise on a Symbol",
    "HYB303": "`%=` changes an array eagerly, and makes another one once hybridized",
    "HYB305": "a Symbol of numpy mode has no such operator",
    "HYB401": "a Symbol has no truth value",
    "HYB505": "a Symbol is no number",
}


class NotHybridizableError(RuntimeError):
    """Code of a hybrid block fails, or behaves differently, once hybridized. `code` is the rule's code."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(f"{code}: {reason} (`hybridlint rule {code}` says what to write instead)")
        self.code = code
        self.reason = reason


def refuse(code: str, reason: str) -> NoReturn:
    """Raise NotHybridizableError."""
    raise NotHybridizableError(code, reason)


def _asked_by_user() -> bool:
    """Whether user code called the current method, and not under a test such as ``if F is mx.nd``."""
    frame = sys._getframe(2)
    return not is_ours(frame) and not is_guarded(frame)


class StrictArray(NDArray):
    """A legacy array that represents a Symbol."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> NDArray:
        if _asked_by_user() and not _is_whole(key, self._data.shape):
            silent = _selects_output(key)
            outcome = "is the whole tensor once hybridized, without any error" if silent else "raises once hybridized"
            refuse("HYB201" if silent else "HYB202", f"the subscript [{_spelled(key)}] {outcome}")
        return super().__getitem__(key)

    def __iter__(self) -> Iterator[NDArray]:
        if _asked_by_user():
            refuse("HYB207", "a Symbol gives its outputs one after the other, and no rows")
        return (super(StrictArray, self).__getitem__(k) for k in range(self._data.shape[0]))

    def __len__(self) -> int:
        if _asked_by_user():
            refuse("HYB206", "the length of a Symbol is the number of its outputs")
        return super().__len__()

    def __hash__(self) -> int:
        if _asked_by_user():
            refuse("HYB211", "a Symbol has no hash")
        return super().__hash__()

    def __contains__(self, value: Any) -> bool:
        if _asked_by_user():
            refuse("HYB405", "`in` asks for the truth of a Symbol")
        return any(bool(item) for item in (self == value).reshape((-1,)))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if _asked_by_user():
            refuse("HYB504", "functions of numpy take no Symbols")
        return super().__array__(dtype, copy)

    def reshape(self, *shape: Any, **kwargs: Any) -> NDArray:
        """Return a view of another shape."""
        if len(shape) > 1 and _asked_by_user():
            refuse("HYB110", "the second of several sizes is another parameter once hybridized: give a tuple")
        return super().reshape(*shape, **kwargs)


class StrictNumpyArray(ndarray):
    """An array of numpy mode that represents a Symbol."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> NDArray:
        keys = key if isinstance(key, tuple) else (key,)
        alone = not isinstance(key, tuple) and isinstance(key, int) and key == -1
        plain = all(isinstance(k, (int, np.integer, slice)) and not isinstance(k, bool) for k in keys)
        if (alone or not plain) and _asked_by_user():
            refuse("HYB204", f"the subscript [{_spelled(key)}] raises once hybridized")
        return super().__getitem__(key)

    def __iter__(self) -> Iterator[NDArray]:
        if _asked_by_user():
            refuse("HYB207", "a Symbol cannot be gone through row by row")
        return (super(StrictNumpyArray, self).__getitem__(k) for k in range(self._data.shape[0]))

    def __len__(self) -> int:
        if _asked_by_user():
            refuse("HYB206", "a Symbol has no length")
        return super().__len__()

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if _asked_by_user():
            refuse("HYB504", "functions of numpy take no Symbols")
        return super().__array__(dtype, copy)


def _is_whole(key: Any, shape: tuple[int, ...]) -> bool:
    """Whether a subscript selects everything, whatever the length, as item 0 of a vector of length 1 does."""
    if isinstance(key, slice):
        return key.start in {None, 0} and key.stop is None and key.step in {None, 1}
    return shape == (1,) and _selects_output(key)


def _selects_output(key: Any) -> bool:
    """Whether a Symbol with one output returns itself for this subscript."""
    if isinstance(key, slice):
        return key.start in {None, 0} and key.stop in {None, 1} and (key.step is None or key.step > 0)
    return type(key) is int and key == 0


def _spelled(key: Any) -> str:
    """Return a subscript as source code."""
    if isinstance(key, tuple):
        return ", ".join(map(_spelled, key))
    if isinstance(key, slice):
        parts = ["" if part is None else str(part) for part in (key.start, key.stop, key.step)]
        return ":".join(parts if key.step is not None else parts[:2])
    return "..." if key is Ellipsis else "an array" if isinstance(key, NDArray) else repr(key)


def _refusing_property(cls: type[NDArray], name: str, code: str, reason: str) -> property:
    def read(self: NDArray) -> Any:
        if _asked_by_user():
            refuse(code, reason)
        return getattr(super(cls, self), name)

    return property(read)


def _refusing_method(cls: type[NDArray], name: str, code: str, reason: str) -> Callable[..., Any]:
    original = getattr(cls, name)

    def method(self: NDArray, *args: Any) -> Any:
        if _asked_by_user():
            refuse(code, reason)
        return original(self, *args)

    method.__name__ = name
    return method


def _checked_operator(name: str) -> Callable[[NDArray, Any], Any]:
    """Return the method of an operator that requires equal shapes once compiled."""
    original = getattr(NDArray, name)

    def method(self: NDArray, other: Any) -> Any:
        if isinstance(other, NDArray) and _asked_by_user():
            if not isinstance(other, StrictArray):
                refuse("HYB503", "an NDArray stands beside a Symbol once hybridized")
            if self._data.shape != other._data.shape:
                shapes = f"{self._data.shape} and {other._data.shape}"
                refuse("HYB301", f"the operator does not broadcast {shapes} once hybridized")
        return original(self, other)

    method.__name__ = name
    return method


def _install(cls: type[NDArray], mode: Mode) -> None:
    """Make all names that Symbol lacks raise."""
    for name, lack in TENSOR_LACKS[mode].items():
        if name in vars(cls) or not hasattr(cls, name):
            continue
        code = _CODES.get(name, _OTHER_METHOD)
        plain = f"a Symbol has no `{name}`" if lack is Lack.MISSING else f"`{name}` raises on a Symbol"
        reason = _REASONS.get(code, plain) if name.startswith("__") else plain
        make = _refusing_method if name.startswith("__") else _refusing_property
        setattr(cls, name, make(cls, name, code, reason))


# Printing an array or its type must show the ordinary class name.
StrictArray.__name__, StrictNumpyArray.__name__ = NDArray.__name__, ndarray.__name__
_install(StrictArray, "legacy")
_install(StrictNumpyArray, "np")
for _name in [*(f"__{n}__" for n in (*ARITHMETIC, *COMPARISONS)), *(f"__r{n}__" for n in ARITHMETIC)]:
    setattr(StrictArray, _name, _checked_operator(_name))
