"""The lattice: what a name can hold at a point of the flow. Unknown is never reported as an error."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from hybridlint.runtime.registry import Operator
from hybridlint.runtime.types import TensorType

Mode: TypeAlias = Literal["legacy", "np"]


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nothing is known."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """One array: an NDArray eagerly, a Symbol of one output at the trace.

    `origin` says where it came from, for messages ("argument", "parameter", "operator", ...); `identity` is equal for
    two values that are the same array object (aliases), None where that is not known.
    """

    type: TensorType = TensorType()
    mode: Mode = "legacy"
    origin: str = "operator"
    identity: int | None = None
    random_scalar: bool = False


@dataclass(frozen=True, slots=True)
class Outputs:
    """The several outputs of one operator: a list of NDArrays eagerly, one Symbol with many outputs at the trace."""

    types: tuple[TensorType, ...] | None = None
    mode: Mode = "legacy"


@dataclass(frozen=True, slots=True)
class Items:
    """A Python list, tuple or dict of values; `items` None where their number is not known, `each` what they have in common."""

    kind: Literal["list", "tuple", "dict", "set"] = "list"
    items: tuple[Value, ...] | None = None
    each: Value = field(default_factory=Unknown)


@dataclass(frozen=True, slots=True)
class Static:
    """A Python value that is the same whenever the block runs; `value` is `STATIC_UNKNOWN` where only that is known."""

    value: Any = None


@dataclass(frozen=True, slots=True)
class Concrete:
    """A Python value that was read from a tensor's data or shape: it exists eagerly only (`reason` names what read it)."""

    reason: str


@dataclass(frozen=True, slots=True)
class NumpyArray:
    """An array of the real numpy."""


@dataclass(frozen=True, slots=True)
class ForeignTensor:
    """An NDArray in either mode, made by nd.* or `Parameter.data()`: it does not mix with Symbols."""

    type: TensorType = TensorType()


@dataclass(frozen=True, slots=True)
class Block:
    """A Gluon block held by self or by a name. `layer` is the class's name, `arguments` what it was built with."""

    layer: str
    hybrid: bool | None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    definition: ast.ClassDef | None = None


@dataclass(frozen=True, slots=True)
class ParameterRef:
    """A Parameter object (``self.weight``), not its array."""

    type: TensorType = TensorType()


@dataclass(frozen=True, slots=True)
class Namespace:
    """A namespace of operators: `root` is "F", "nd", "sym", "np" (mx.np), "numpy" or "math", `path` what follows ("contrib")."""

    root: str
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Function:
    """A Python function whose body the interpreter may enter."""

    node: ast.FunctionDef | ast.Lambda
    closure: Any = None


@dataclass(frozen=True, slots=True)
class OperatorRef:
    """An operator function that was looked up but not called yet (``F.relu``)."""

    namespace: Namespace
    name: str
    operator: Operator | None


STATIC_UNKNOWN: Any = type("StaticUnknown", (), {"__repr__": lambda self: "?"})()

Value: TypeAlias = (
    Unknown
    | Tensor
    | Outputs
    | Items
    | Static
    | Concrete
    | NumpyArray
    | ForeignTensor
    | Block
    | ParameterRef
    | Namespace
    | Function
    | OperatorRef
)
