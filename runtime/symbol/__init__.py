"""``mx.sym``: operators that build a graph instead of computing."""

from __future__ import annotations

from hybridlint.runtime.namespaces import NUMPY_MODE, fill
from hybridlint.runtime.symbol import _internal, contrib, image, linalg, op, random
from hybridlint.runtime.symbol.arithmetic import hypot, maximum, minimum, pow, power
from hybridlint.runtime.symbol.creation import (
    Group,
    Variable,
    arange,
    eye,
    full,
    histogram,
    linspace,
    load,
    load_json,
    ones,
    split_v2,
    var,
    zeros,
)
from hybridlint.runtime.symbol.functions import make_function
from hybridlint.runtime.symbol.symbol import Symbol

__getattr__, __dir__ = fill("", make_function, globals(), NUMPY_MODE)
