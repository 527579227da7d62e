"""The meaning of imported names: full dotted names, and operator namespaces."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from hybridlint.analysis.model.values import STATIC_UNKNOWN, External, Items, Namespace, Static, Value
from hybridlint.analysis.mxnet.operators import operator_ref

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
_BUILTINS = {"Ellipsis": Static(Ellipsis), "__debug__": Static(True, certain=True)}
#: The Python versions on which the supported MXNet runs.
_VERSION = (Static(3, certain=True), Static(STATIC_UNKNOWN, among=tuple(range(5, 14))), Static(STATIC_UNKNOWN))
#: Names whose values are the same wherever a block runs.
_FIXED: dict[str, Value] = {
    "typing.TYPE_CHECKING": Static(False, certain=True),
    "mxnet.__version__": Static("1.9.1", certain=True),
    "sys.version_info": Items("tuple", _VERSION, keys=("major", "minor", "micro")),
}
SUBSPACES = frozenset(
    {"contrib", "random", "linalg", "image", "sparse", "op", "_internal", "np", "npx", "gen_op", "_op"}
)


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name: its module, the name inside it (None: the module itself), and the number of leading dots."""

    module: str
    name: str | None
    level: int = 0

    @property
    def dotted(self) -> str:
        """The full dotted name, without the dots of a relative import."""
        return self.module if self.name is None else f"{self.module}.{self.name}".lstrip(".")


def imports(body: Iterator[ast.AST]) -> Iterator[tuple[str, Import]]:
    """Yield each name that import statements among the nodes bind, with its `Import`."""
    for node in body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.partition(".")[0]
                yield bound, Import(alias.name if alias.asname else bound, None)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, Import(node.module or "", alias.name, node.level)


def builtin(name: str) -> Value:
    """Return the meaning of a name that the program does not bind: a builtin, or Unknown."""
    return _BUILTINS.get(name) or External(f"builtins.{name}")


@cache
def external(dotted: str) -> Value:
    """Return the value of a dotted name of another library; namespaces of operators are `Namespace`."""
    name = canonical(dotted)
    if name in _FIXED:
        return _FIXED[name]
    root, _, rest = name.partition(".")
    if root in {"numpy", "math"} and rest in _CONSTANTS:
        return Static(_CONSTANTS[rest])
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
            value = Static(_CONSTANTS[part])
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
