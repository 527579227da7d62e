"""``mx.nd``: operators that compute at once on NDArrays."""

from __future__ import annotations

from hybridlint.runtime.namespaces import NUMPY_MODE, fill
from hybridlint.runtime.ndarray import _internal, contrib, image, linalg, op, random
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
from hybridlint.runtime.ndarray.functions import make_function
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.serialization.params import load, save


def waitall() -> None:
    """Wait until everything is computed: at once here."""


__getattr__, __dir__ = fill("", make_function, globals(), NUMPY_MODE)
