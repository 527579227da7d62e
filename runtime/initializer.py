"""Initial values of parameters, chosen by initializer and by the ending of the parameter's name."""

from __future__ import annotations

import json
import re
import warnings
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from hybridlint.runtime import random

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy.typing as npt

    from hybridlint.runtime.ndarray.ndarray import NDArray

C = TypeVar("C", bound="type[Initializer]")

_registry: dict[str, type[Initializer]] = {}

#: Ending of a parameter's name -> method that fills it, where the parameter brings no initializer of its own.
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
#: The same, where the name is given as a plain string.
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


def create(init: Any, *args: Any, **kwargs: Any) -> Any:
    """Return the initializer that is meant: one itself, a registered name, or the text that `dumps` writes.

    Raises AssertionError for a name that is not registered and for what is neither.
    """
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


class Initializer:
    """Fills arrays in place. Subclasses define `_init_weight`; keyword arguments are kept for `dumps`."""

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = kwargs
        self._verbose = False
        self._print_func: Callable[[Any], str] | None = None

    def set_verbosity(self, verbose: bool = False, print_func: Callable[[Any], str] | None = None) -> Initializer:
        """Switch on or off that each initialization is printed, with what `print_func` says of the array."""
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
            self._by_ending(desc, arr, _BY_ENDING_OF_STRING)
            return
        if desc.global_init is None:
            desc.global_init = self
        own = desc.attrs.get("__init__", "")
        if own:
            create(own)._init_weight(desc, arr)
            self._report(desc, own, arr)
            return
        self._by_ending(desc, arr, _BY_ENDING)

    def _by_ending(self, name: str, arr: NDArray, endings: Mapping[str, str]) -> None:
        ending = next((e for e in endings if name.endswith(e)), None)
        if ending is None:
            self._init_default(name, arr)
            return
        getattr(self, endings[ending])(name, arr)
        self._report(name, ending, arr)

    def _report(self, name: str, init: Any, arr: NDArray) -> None:
        if self._verbose:
            shown = self._print_func or (lambda x: str(x.asnumpy().std()))
            print(f"Initialized {name} as {init}: {shown(arr)}")

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
        _fill(arr, random.generator(arr.context).integers(-127, 127, arr.shape))

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


class Load:
    """Takes values from a dict or a file of arrays, and asks `default_init` for names that are not in it."""

    def __init__(self, param: Any, default_init: Any = None, verbose: bool = False) -> None:
        if isinstance(param, str):
            from hybridlint.runtime.serialization.params import load

            param = load(param)
        self.param = {k[4:] if k.startswith(("arg:", "aux:")) else k: v for k, v in param.items()}
        self.default_init = default_init
        self.verbose = verbose

    def __call__(self, name: str, arr: NDArray) -> None:
        """Fill `arr`. Raises AssertionError where the shapes differ or the name is unknown and there is no default."""
        found = self.param.get(name)
        if found is None:
            if self.default_init is None:
                raise AssertionError(f"Cannot Initialize {name}. Not found in loaded param and no default Initializer")
            self.default_init(name, arr)
            return
        if arr.shape != found.shape:
            raise AssertionError(
                f"Parameter {name} cannot be initialized from loading. "
                f"Shape mismatch, target {arr.shape} vs loaded {found.shape}"
            )
        arr[:] = found


class Mixed:
    """Asks the initializer of the first regular expression that matches the name."""

    def __init__(self, patterns: Sequence[str], initializers: Sequence[Any]) -> None:
        if len(patterns) != len(initializers):
            raise AssertionError(f"{len(patterns)} patterns for {len(initializers)} initializers")
        self.map = [(re.compile(p), i) for p, i in zip(patterns, initializers, strict=True)]

    def __call__(self, name: str, arr: NDArray) -> None:
        """Fill `arr`. Raises ValueError where no pattern matches."""
        for pattern, init in self.map:
            if pattern.match(name):
                init(name, arr)
                return
        raise ValueError(f'Parameter name {name} did not match any pattern. Add a ".*" pattern at the end.')


@alias("zeros")
@register
class Zero(Initializer):
    """Zeros."""

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = 0


@alias("ones")
@register
class One(Initializer):
    """Ones."""

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = 1


@register
class Constant(Initializer):
    """One value everywhere, or the values of an array."""

    def __init__(self, value: Any) -> None:
        super().__init__(value=value)
        self.value = value

    def _init_weight(self, _: str, arr: NDArray) -> None:
        _fill(arr, _plain(self.value))

    def dumps(self) -> str:
        """Return the initializer as JSON; an array becomes nested lists."""
        return json.dumps([type(self).__name__.lower(), {"value": _plain(self.value, listed=True)}])


@register
class Uniform(Initializer):
    """Values drawn evenly from (-scale, scale)."""

    def __init__(self, scale: float = 0.07) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def _init_weight(self, _: str, arr: NDArray) -> None:
        _uniform(arr, self.scale)


@register
class Normal(Initializer):
    """Values of a normal distribution with mean 0 and standard deviation `sigma`."""

    def __init__(self, sigma: float = 0.01) -> None:
        super().__init__(sigma=sigma)
        self.sigma = sigma

    def _init_weight(self, _: str, arr: NDArray) -> None:
        _normal(arr, self.sigma)


@register
class Orthogonal(Initializer):
    """A matrix (of the first dimension by all others) with orthogonal rows or columns, times `scale`."""

    def __init__(self, scale: float = 1.414, rand_type: str = "uniform") -> None:
        super().__init__(scale=scale, rand_type=rand_type)
        self.scale = scale
        self.rand_type = rand_type

    def _init_weight(self, _: str, arr: NDArray) -> None:
        rows, columns = arr.shape[0], int(np.prod(arr.shape[1:]))
        rng = random.generator(arr.context)
        draw = (
            rng.uniform(-1.0, 1.0, (rows, columns)) if self.rand_type == "uniform" else rng.normal(size=(rows, columns))
        )
        left, _values, right = np.linalg.svd(draw, full_matrices=False)
        _fill(arr, self.scale * (left if left.shape == draw.shape else right).reshape(arr.shape))


@register
class Xavier(Initializer):
    """Values whose spread follows from how many inputs and outputs a weight connects.

    The variance is ``magnitude / factor``: `factor_type` takes ``in``, ``out`` or their ``avg``; `rnd_type` is
    ``uniform`` or ``gaussian``. Raises ValueError for other words and for arrays of fewer than two dimensions.
    """

    def __init__(self, rnd_type: str = "uniform", factor_type: str = "avg", magnitude: float = 3) -> None:
        super().__init__(rnd_type=rnd_type, factor_type=factor_type, magnitude=magnitude)
        self.rnd_type = rnd_type
        self.factor_type = factor_type
        self.magnitude = float(magnitude)

    def _init_weight(self, name: str, arr: NDArray) -> None:
        if len(arr.shape) < 2:
            raise ValueError(f"Xavier initializer cannot be applied to vector {name}. It requires at least 2D.")
        kernel = float(np.prod(arr.shape[2:]))
        fan_out, fan_in = arr.shape[0] * kernel, arr.shape[1] * kernel
        factors = {"avg": (fan_in + fan_out) / 2, "in": fan_in, "out": fan_out}
        if self.factor_type not in factors:
            raise ValueError(f"Incorrect factor type {self.factor_type!r}")
        scale = float(np.sqrt(self.magnitude / factors[self.factor_type]))
        draw = {"uniform": _uniform, "gaussian": _normal}.get(self.rnd_type)
        if draw is None:
            raise ValueError(f"Unknown random type {self.rnd_type!r}")
        draw(arr, scale)


@register
class MSRAPrelu(Xavier):
    """Xavier's gaussian values, for layers followed by PReLU of the given slope."""

    def __init__(self, factor_type: str = "avg", slope: float = 0.25) -> None:
        super().__init__("gaussian", factor_type, 2.0 / (1 + slope**2))
        self._kwargs = {"factor_type": factor_type, "slope": slope}


@register
class Bilinear(Initializer):
    """The weight of a deconvolution that interpolates linearly."""

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, _: str, arr: NDArray) -> None:
        height, width = arr.shape[2:4]
        half = np.ceil(width / 2.0)
        centre = (2 * half - 1 - half % 2) / (2.0 * half)
        falls = [1 - np.abs(np.arange(size) / half - centre) for size in (height, width)]
        _fill(arr, np.broadcast_to(np.outer(*falls), arr.shape))


@register
class LSTMBias(Initializer):
    """Zeros, except that the biases of the forget gate (the second quarter) are `forget_bias`."""

    def __init__(self, forget_bias: float = 1.0) -> None:
        super().__init__(forget_bias=forget_bias)
        self.forget_bias = forget_bias

    def _init_weight(self, _: str, arr: NDArray) -> None:
        quarter = arr.shape[0] // 4
        values = np.zeros(arr.shape)
        values[quarter : 2 * quarter] = self.forget_bias
        _fill(arr, values)


def _fill(arr: NDArray, values: Any) -> None:
    arr[:] = np.asarray(values, dtype=arr.dtype)


def _uniform(arr: NDArray, scale: float) -> None:
    _fill(arr, random.generator(arr.context).uniform(-scale, scale, arr.shape))


def _normal(arr: NDArray, sigma: float) -> None:
    _fill(arr, random.generator(arr.context).normal(0.0, sigma, arr.shape))


def _plain(value: Any, *, listed: bool = False) -> npt.NDArray[Any] | Any:
    """Return an array of any kind as numpy's, or as lists; a number stays."""
    if hasattr(value, "asnumpy"):
        value = value.asnumpy()
    return value.tolist() if listed and isinstance(value, np.ndarray) else value
