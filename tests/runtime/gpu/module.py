"""An array module that has only CuPy's names, signatures and dtypes, and computes with numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.runtime.gpu.arrays import current_device, ndarray, same_device, wrapped
from tests.runtime.gpu.calls import DeviceArray, call, opened, signature_of, ufunc_loop
from tests.runtime.gpu.surface import kept

_SURFACE = kept()
#: What ``ufunc.at`` and ``ufunc.reduce`` can do is not to be read off the package, only off its source: those that
#: scatter, for these dtypes, and two that reduce.
_SCATTERED = {"add", "subtract", "maximum", "minimum"}
_SCATTERED_DTYPES = {"int32", "float16", "float32", "float64", "uint32", "uint64", "complex64", "complex128"}
_REDUCED = {"add", "multiply"}


class Ufunc:
    """One of CuPy's ufuncs: inputs are arrays and numbers, options are `out`, `dtype` and `casting`."""

    def __init__(self, module: Module, name: str) -> None:
        self._module, self._name, self._numpy = module, name, _numpy(name)
        self.nin: int = _SURFACE["ufuncs"][name]["nin"]
        self.nout: int = _SURFACE["ufuncs"][name]["nout"]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        strange = kwargs.keys() - {"out", "dtype", "casting"}
        if strange:
            raise TypeError(f"Wrong arguments {strange}")
        for value in (*args, kwargs.get("out")):
            if isinstance(value, (np.ndarray, list, tuple)):
                raise TypeError(f"Unsupported type {type(value)}")
        self._module.check(args, kwargs)
        dtypes = ufunc_loop(self._name, tuple(map(_kind, args[: self.nin]))) if "dtype" not in kwargs else None
        with np.errstate(all="ignore"):
            result = self._numpy(*map(opened, args), **{k: opened(v) for k, v in kwargs.items()})
        out = kwargs.get("out", args[self.nin] if len(args) > self.nin else None)
        if out is not None:
            return out
        results = result if isinstance(result, tuple) else (result,)
        if dtypes is not None:
            results = tuple(r.astype(d, copy=False) for r, d in zip(results, dtypes, strict=True))
        found = wrapped(results, self._module.device_id)
        return found if self.nout > 1 else found[0]

    def at(self, a: Any, indices: Any, b: Any = None) -> None:
        if self._name not in _SCATTERED:
            raise NotImplementedError(f"`{self._name}.at` is not supported yet")
        if a.dtype.name not in _SCATTERED_DTYPES:
            raise TypeError(f"scatter_add only supports {', '.join(sorted(_SCATTERED_DTYPES))}, not {a.dtype}")
        self._module.check((a, indices, b), {})
        self._numpy.at(opened(a), opened(indices), opened(b))

    def reduce(self, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        if self._name not in _REDUCED:
            raise NotImplementedError(f"`{self._name}.reduce` is not supported yet")
        self._module.check((array, out), {})
        result = self._numpy.reduce(opened(array), axis=axis, dtype=dtype, out=opened(out), keepdims=keepdims)
        return wrapped(result, self._module.device_id) if out is None else out


class Namespace:
    """Functions of CuPy below a name, such as ``cupy.linalg``; the module itself has an empty one."""

    def __init__(self, module: Module | None, space: str) -> None:
        self._module = module
        self._space = space

    def __getattr__(self, name: str) -> Any:
        module = self._module or self
        assert isinstance(module, Module)
        path = f"{self._space}.{name}" if self._space else name
        if path in _SURFACE["ufuncs"]:
            found: Any = Ufunc(module, path)
        elif path in _SURFACE["functions"]:
            found = _function(module, path)
        elif path in _SURFACE["others"]:
            found = _numpy(path)
        elif any(known.startswith(f"{path}.") for known in _SURFACE["functions"]):
            found = Namespace(module, path)
        else:
            raise AttributeError(f"module 'cupy' has no attribute {path!r}")
        setattr(self, name, found)
        return found


class Module(Namespace):
    """``cupy``: it computes on the current device, and reaches the arrays of no other."""

    ndarray = ndarray

    def __init__(self) -> None:
        super().__init__(None, "")

    @property
    def device_id(self) -> int:
        """The number of the current device."""
        return current_device()

    def check(self, args: Any, kwargs: Any) -> None:
        """Raise ValueError for an array of another device."""
        same_device((*args, *kwargs.values()))

    def asnumpy(self, a: Any) -> Any:
        return a.get() if isinstance(a, ndarray) else np.asarray(a)


def _function(module: Module, path: str) -> Any:
    function, known = _numpy(path), signature_of("functions", path)

    def run(*args: Any, **kwargs: Any) -> Any:
        module.check(args, kwargs)
        result = call(path, function, known, args, kwargs)
        out = kwargs.get("out")
        return out if isinstance(out, DeviceArray) else wrapped(result, module.device_id, (*args, *_parts(args)))

    run.__name__ = path
    return run


def _parts(args: Any) -> Any:
    return [part for value in args if isinstance(value, (list, tuple)) for part in value]


def _kind(value: Any) -> Any:
    return value._held.dtype if isinstance(value, ndarray) else getattr(value, "dtype", type(value))


def _numpy(path: str) -> Any:
    found: Any = np
    for name in path.split("."):
        found = getattr(found, name)
    return found
