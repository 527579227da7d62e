"""The base class of initializers, with the name registry and the dispatch on the ending of a parameter's name."""

from __future__ import annotations

import json
import logging
import warnings
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from hybridlint.runtime import random

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hybridlint.runtime.ndarray.ndarray import NDArray

C = TypeVar("C", bound="type[Initializer]")

_registry: dict[str, type[Initializer]] = {}

#: Ending of a parameter's name -> method that fills it, for parameters without an initializer of their own.
_BY_ENDING = {
    "weight": "_init_weight",
    "bias": "_init_bias",
    "gamma": "_init_gamma",
    "beta": "_init_beta",
    "min": "_init_zero",
    "max": "_init_one",
    "weight_quantize": "_init_quantized_weight",
    "bias_quantize": "_init_quantized_bias",
}
#: The same for a name given as a plain string.
_BY_ENDING_OF_STRING = {
    "weight": "_init_weight",
    "bias": "_init_bias",
    "gamma": "_init_gamma",
    "beta": "_init_beta",
    "moving_mean": "_init_zero",
    "running_mean": "_init_zero",
    "moving_var": "_init_one",
    "moving_inv_var": "_init_zero",
    "moving_avg": "_init_zero",
    "min": "_init_zero",
    "max": "_init_one",
}


class InitDesc(str):
    """A parameter's name with its attributes, as initializers are called with."""

    attrs: Mapping[str, Any]
    global_init: Any

    def __new__(cls, name: str, attrs: Mapping[str, Any] | None = None, global_init: Any = None) -> InitDesc:
        """Return the name with attributes; ``attrs["__init__"]`` is the parameter's own initializer."""
        self = super().__new__(cls, name)
        self.attrs = attrs or {}
        self.global_init = global_init
        return self


def register(klass: C) -> C:
    """Make an initializer class available under its name in lower case. Usable as a decorator."""
    name = klass.__name__.lower()
    if name in _registry and _registry[name] is not klass:
        warnings.warn(
            f"new initializer {klass} overrides the registered {_registry[name]} of name {name}", stacklevel=2
        )
    _registry[name] = klass
    return klass


def alias(*names: str) -> Callable[[C], C]:
    """Return a decorator that makes a class available under more names."""

    def decorate(klass: C) -> C:
        for name in names:
            _registry[name.lower()] = klass
        return klass

    return decorate


def create(init: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Return the initializer given as an instance, a registered name, or the text written by `dumps`.

    Raises AssertionError for an unregistered name and for other objects.
    """
    from hybridlint.runtime.initializer.chosen import Load, Mixed

    if isinstance(init, (Initializer, Load, Mixed)):
        return init
    if not isinstance(init, str):
        raise AssertionError(f"initializer must be of string type, got {init!r}")
    if init.startswith("["):
        name, params = json.loads(init)
        return create(name, **params)
    klass = _registry.get(init.lower())
    if klass is None:
        raise AssertionError(f"{init} is not registered. Please register with initializer.register first")
    return klass(*args, **kwargs)


def _plain(value: Any) -> Any:
    """Return an argument as JSON has it: arrays as lists."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value.asnumpy().tolist() if hasattr(value, "asnumpy") else value


class Initializer:
    """Fills arrays in place. Subclasses define `_init_weight`; keyword arguments are kept for `dumps`."""

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = {name: _plain(value) for name, value in kwargs.items()}
        self._verbose = False
        self._print_func: Callable[[Any], str] | None = None

    def set_verbosity(self, verbose: bool = False, print_func: Callable[[Any], str] | None = None) -> Initializer:
        """Switch printing of each initialization on or off; `print_func` formats the array."""
        self._verbose = verbose
        self._print_func = print_func
        return self

    def dumps(self) -> str:
        """Return the initializer as JSON: its name and arguments."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __call__(self, desc: str, arr: NDArray) -> None:
        """Fill `arr` as the name `desc` and its attributes ask for. Raises ValueError for an unknown kind of name."""
        if not isinstance(desc, InitDesc):
            warnings.warn("an initializer is called with an InitDesc and an array", DeprecationWarning, stacklevel=2)
            self._by_ending_(desc, arr, _BY_ENDING_OF_STRING)
            return
        if desc.global_init is None:
            desc.global_init = self
        own = desc.attrs.get("__init__", "")
        if own:
            create(own)._init_weight(desc, arr)
            self._report_(desc, own, arr)
            return
        self._by_ending_(desc, arr, _BY_ENDING)

    def _by_ending_(self, name: str, arr: NDArray, endings: Mapping[str, str]) -> None:
        ending = next((e for e in endings if name.endswith(e)), None)
        if ending is None:
            self._init_default(name, arr)
            return
        getattr(self, endings[ending])(name, arr)
        if isinstance(name, InitDesc):
            self._report_(name, ending, arr)

    def _report_(self, name: str, init: Any, arr: NDArray) -> None:
        if self._verbose:
            shown = self._print_func or _root_mean_square
            logging.info("Initialized %s as %s: %s", name, init, shown(arr))

    def _init_weight(self, name: str, arr: NDArray) -> None:
        raise NotImplementedError(f"{type(self).__name__} must define _init_weight")

    def _init_bias(self, _: str, arr: NDArray) -> None:
        arr[:] = 0.0

    _init_beta = _init_bias
    _init_zero = _init_bias

    def _init_gamma(self, _: str, arr: NDArray) -> None:
        arr[:] = 1.0

    _init_one = _init_gamma

    def _init_quantized_weight(self, _: str, arr: NDArray) -> None:
        fill(arr, random.generator(arr.context).integers(-127, 127, arr.shape))

    def _init_quantized_bias(self, _: str, arr: NDArray) -> None:
        arr[:] = 0

    def _init_default(self, name: str, _: NDArray) -> None:
        raise ValueError(
            f"Unknown initialization pattern for {name}. Default initialization knows the endings "
            f"{', '.join(_BY_ENDING)}; give the parameter an initializer of its own with init="
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Initializer):
            return NotImplemented
        return type(self) is type(other) and self._kwargs == other._kwargs

    __hash__ = None  # type: ignore[assignment]


def _root_mean_square(arr: NDArray) -> str:
    values = arr.asnumpy()
    return str(np.linalg.norm(values) / np.sqrt(np.float32(values.size)))


def fill(arr: NDArray, values: Any) -> None:
    """Write values into an array, cast to its dtype."""
    arr[:] = np.asarray(values, dtype=arr.dtype)
