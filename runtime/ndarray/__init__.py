"""``mx.nd``: operators that compute at once on NDArrays."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.core.namespaces import NUMPY_MODE, fill
from hybridlint.runtime.ndarray import _internal, contrib, image, linalg, methods, op, random, sparse
from hybridlint.runtime.ndarray.arithmetic import (
    add,
    divide,
    equal,
    greater,
    greater_equal,
    lesser,
    lesser_equal,
    logical_and,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    modulo,
    multiply,
    not_equal,
    power,
    subtract,
    true_divide,
)
from hybridlint.runtime.ndarray.creation import (
    arange,
    array,
    concatenate,
    empty,
    eye,
    full,
    histogram,
    linspace,
    moveaxis,
    onehot_encode,
    ones,
    split_v2,
    zeros,
)
from hybridlint.runtime.ndarray.exchange import from_dlpack, from_numpy, to_dlpack_for_read, to_dlpack_for_write
from hybridlint.runtime.ndarray.functions import make_function
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.platforms.devices import devices
from hybridlint.runtime.platforms.failed import raise_unread
from hybridlint.runtime.serialization.params import load, load_frombuffer, save


def Custom(*args: Any, op_type: str | None = None, out: Any = None, name: str | None = None, **kwargs: Any) -> Any:
    """Run a registered custom operator; inputs by position or by name. Raises MXNetError if it is not registered."""
    from hybridlint.runtime.operator.custom import find

    tensors = {k: v for k, v in kwargs.items() if isinstance(v, NDArray)}
    params = {"op_type": op_type, **{k: v for k, v in kwargs.items() if k not in tensors}}
    return make_function(find(params), "Custom")(*args, out=out, **tensors)


def CachedOp(sym: Any, flags: Any = ()) -> Any:
    """Return the compiled form of a symbol, to be called on arrays in the order of its inputs."""
    from hybridlint.runtime.compiled import cached_op

    return cached_op.CachedOp(sym, flags)


def waitall() -> None:
    """Wait until everything is computed: at once on the CPU. Raises MXNetError if something could not be."""
    devices().wait()
    raise_unread()


__getattr__, __dir__ = fill("", make_function, globals(), NUMPY_MODE)
