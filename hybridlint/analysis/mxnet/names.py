"""Meanings of dotted names: MXNet's modules by short names, namespaces of operators, and block classes."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    ContainerValue,
    External,
    Namespace,
    OperatorRef,
    StaticValue,
    Value,
)
from hybridlint.analysis.mxnet.classes import BASE_CLASSES, BLOCK, HYBRID_BLOCK
from hybridlint.analysis.mxnet.operators.results import operator_ref
from hybridlint.runtime.facts.abstract.layers import is_hybrid_layer

PACKAGE = "mxnet"
#: The root classes of blocks, by the end of their dotted names.
_ENDS = tuple(f".{name}" for name in sorted(BASE_CLASSES))
# The same module of mxnet under several names.
_ALIASES = {
    "mxnet.contrib.nd": "mxnet.nd.contrib",
    "mxnet.contrib.ndarray": "mxnet.nd.contrib",
    "mxnet.contrib.sym": "mxnet.sym.contrib",
    "mxnet.contrib.symbol": "mxnet.sym.contrib",
    "mxnet.ndarray": "mxnet.nd",
    "mxnet.symbol": "mxnet.sym",
    "mxnet.numpy": "mxnet.np",
    "mxnet.numpy_extension": "mxnet.npx",
}
_ROOTS = {"mxnet.nd": "nd", "mxnet.sym": "sym", "mxnet.np": "np", "mxnet.npx": "npx"}
#: Constants that numpy and math share, by name.
_CONSTANTS = {"newaxis": None, "pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "tau": math.tau}
#: The Python versions on which the supported MXNet runs.
_VERSION = (
    StaticValue(3, certain=True),
    StaticValue(STATIC_UNKNOWN, among=tuple(range(5, 14))),
    StaticValue(STATIC_UNKNOWN),
)
#: Names whose values are the same wherever a block runs.
_FIXED: dict[str, Value] = {
    "typing.TYPE_CHECKING": StaticValue(False, certain=True),
    "mxnet.__version__": StaticValue("1.9.1", certain=True),
    "sys.version_info": ContainerValue("tuple", _VERSION, keys=("major", "minor", "micro")),
}
SUBSPACES = frozenset(
    {"contrib", "random", "linalg", "image", "sparse", "op", "_internal", "np", "npx", "gen_op", "_op"}
)


@cache
def external(dotted: str) -> Value:
    """Return the value of a dotted name of another library; namespaces of operators are `Namespace`."""
    name = canonical(dotted)
    if name in _FIXED:
        return _FIXED[name]
    root, _, rest = name.partition(".")
    if root in {"numpy", "math"} and rest in _CONSTANTS:
        return StaticValue(_CONSTANTS[rest])
    if root != "mxnet" or not rest:
        return External(name)
    for prefix, short in _ROOTS.items():
        if name == prefix:
            return Namespace(short)
        if name.startswith(prefix + "."):
            return namespace_member(Namespace(short), name[len(prefix) + 1 :])
    return External(name)


def namespace_member(namespace: Namespace, dotted: str) -> Value:
    """Return the member of a namespace at an attribute path: a nested namespace or a function."""
    value: Any = namespace
    for part in dotted.split("."):
        if value == Namespace("np") and part in _CONSTANTS:
            value = StaticValue(_CONSTANTS[part])
        elif isinstance(value, Namespace) and part in SUBSPACES:
            value = Namespace(value.root, (*value.path, part))
        elif isinstance(value, Namespace):
            value = operator_ref(value, part)
        else:
            return External(f"mxnet.{namespace.root}.{dotted}")
    return value  # type: ignore[no-any-return]


def canonical(dotted: str) -> str:
    """Return a dotted name with mxnet's modules under their short names."""
    for long, short in _ALIASES.items():
        if dotted == long or dotted.startswith(long + "."):
            return short + dotted[len(long) :]
    return dotted


def import_meaning(packages: tuple[str, ...], module: str, name: str | None, level: int) -> Value | None:
    """Return what an import means in MXNet; None if it leads elsewhere. `packages` are those around the file."""
    parts = [part for part in (module, name) if part]
    dotted = ".".join(parts)
    if level == 0:
        return external(dotted) if dotted.startswith(PACKAGE) else None
    if packages[:1] != (PACKAGE,):
        return None
    own = external(".".join([*packages[: len(packages) - level + 1], *parts]))
    known = isinstance(own, Namespace | OperatorRef) or (isinstance(own, External) and own.name.endswith(_ENDS))
    return own if known else None


#: Beginnings of Gluon's names whose classes are no blocks.
_NO_BLOCKS = (
    *("mxnet.gluon.data", "mxnet.gluon.contrib.data", "mxnet.gluon.contrib.estimator", "mxnet.gluon.metric"),
    *(
        "mxnet.gluon.Parameter",
        "mxnet.gluon.parameter.",
        "mxnet.gluon.Constant",
        "mxnet.gluon.DeferredInitializationError",
    ),
    *("mxnet.gluon.Trainer", "mxnet.gluon.trainer.", "mxnet.gluon.utils."),
)


def is_block_name(dotted: str) -> bool:
    """Return whether a dotted name is one of Gluon's block classes."""
    return dotted.startswith("mxnet.gluon.") and not dotted.startswith(_NO_BLOCKS)


def is_hybrid_name(dotted: str) -> bool:
    """Return whether a dotted name is a Gluon class that can be hybridized."""
    name = dotted.rpartition(".")[2]
    return is_block_name(dotted) and name != BLOCK and (name == HYBRID_BLOCK or is_hybrid_layer(name) is not False)
