"""The lattice: what a name can hold at a point of the flow. Unknown is never reported as an error."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from hybridlint.analysis.model.frozen import record
from hybridlint.runtime.registry import Operator
from hybridlint.runtime.types import TensorType

if TYPE_CHECKING:
    from hybridlint.analysis.project.instances import Instance
    from hybridlint.analysis.project.program import ClassInfo

UNTYPED = TensorType()
Mode: TypeAlias = Literal["legacy", "np"]
#: Whether a gradient can pass: "perhaps" where only what is not known may let it, which counts as true.
Flows: TypeAlias = bool | Literal["perhaps"]


@record(frozen=True, slots=True)
class Lineage:
    """A shape as changes of another: `root` stands for an unknown shape, `steps` for what was done to it since.

    Steps are "reduced" (a dimension became 1), "dropped" (reduced and gone), "squeezed" (one of size 1 is gone),
    "added" (of size 1), "stacked" (a new one of any size) and "scalar" (all became one number). `alike` are other
    shapes that are that of `root` wherever the trace comes through: no operator of Symbols has broadcast them. `axis`
    is where the last step has added a dimension, None where that is not known or was another step.
    """

    root: int
    steps: tuple[str, ...] = ()
    alike: frozenset[int] = frozenset()
    axis: int | None = None

    def related(self, other: Lineage) -> bool:
        """Whether both are changes of one shape."""
        return not (self.alike | {self.root}).isdisjoint(other.alike | {other.root})

    def then(self, *steps: str) -> Lineage:
        """Return what this shape becomes by further changes."""
        return Lineage(self.root, (*self.steps, *steps), self.alike)

    def like(self, other: Lineage) -> Lineage:
        """Return this shape, which is known to be that of another tensor as well."""
        same = other.alike | {other.root} if self.steps == other.steps == () or self.related(other) else frozenset()
        return Lineage(self.root, self.steps, self.alike | same - {self.root})


@record(frozen=True, slots=True)
class Unknown:
    """Nothing is known."""


@record(frozen=True, slots=True)
class Tensor:
    """One array: an NDArray eagerly, a Symbol of one output at the trace.

    `origin` says where it came from: "argument", "parameter", "operator" or "constant", which depends on no input. What
    was taken from a list that is an argument ("element") may be a list again, so its subscripts are not told.

    `identity` is equal for two values that are the same array object (aliases), None where that is not known. `lineage`
    relates the shape to that of other tensors where the shape itself is not known. `optional` is an argument whose
    default is None, `presumed` one that is used as lists are too and of which nothing else is told. `random_scalar` is
    one number drawn eagerly where the trace draws one for each element. `flows` tells whether a gradient can pass from
    it to what it was made of.
    """

    type: TensorType = UNTYPED
    mode: Mode = "legacy"
    origin: str = "operator"
    identity: int | None = None
    random_scalar: bool = False
    lineage: Lineage | None = None
    optional: bool = False
    flows: Flows = True
    presumed: bool = False


@record(frozen=True, slots=True)
class Outputs:
    """The several outputs of one operator: a list of NDArrays eagerly, one Symbol with many outputs at the trace.

    `operator` is the name of the function that was called; empty where several may have been. `lineage` is that of each
    of them.
    """

    types: tuple[TensorType, ...] | None = None
    mode: Mode = "legacy"
    operator: str = ""
    flows: Flows = True
    lineage: Lineage | None = None


@record(frozen=True, slots=True)
class Items:
    """A Python container of values; `items` None where their number is not known, `each` what they have in common.

    `keys` are those of a dict, in the order of `items`, where they are all known. A tuple with keys is a namedtuple; a
    "record" has its keys for attributes and nothing to go through. A "generator" is any iterator (``zip``), used
    up by going through it; a "view" is one of a dict.
    `kept` is set where it outlives the call, whatever name it has in it; `filled` where it is known not to be empty.
    """

    kind: Literal["list", "tuple", "dict", "set", "generator", "view", "deque", "record"] = "list"
    items: tuple[Value, ...] | None = None
    each: Value = field(default_factory=Unknown)
    keys: tuple[Any, ...] | None = None
    kept: bool = field(default=False, compare=False)
    filled: bool = field(default=False, compare=False)


@record(frozen=True, slots=True)
class Static:
    """A Python value that is the same whenever the block runs; `value` is `STATIC_UNKNOWN` where only that is known.

    `certain` marks the outcome of a test that follows from kinds alone (``x is None`` of a tensor), which no setting
    changes, constants, and settings that nobody sets otherwise; `numpy` marks a scalar of numpy's own types. `either`
    is set where the value is True or False, it is not known which. `among` are the only values possible where it is
    not known which of them it is.
    """

    value: Any = None
    certain: bool = field(default=False, compare=False)
    numpy: bool = False
    either: bool = False
    among: tuple[Any, ...] | None = None

    @property
    def is_boolean(self) -> bool:
        """Whether the value is True or False."""
        return self.either or isinstance(self.value, bool)


@record(frozen=True, slots=True)
class Concrete:
    """A Python value that was read from a tensor: it exists eagerly only. `reason` names what read it."""

    reason: str


@record(frozen=True, slots=True)
class NumpyArray:
    """An array of the real numpy."""

    type: TensorType = field(default_factory=TensorType)


@record(frozen=True, slots=True)
class ForeignTensor:
    """An NDArray in either mode, made by nd.* or `Parameter.data()`: it does not mix with Symbols.

    `kept` is set where it outlives the call, as an attribute of the block.
    """

    type: TensorType = UNTYPED
    kept: bool = False


@record(frozen=True, slots=True)
class Block:
    """A Gluon block held by self or by a name. `layer` is the class's name, `arguments` what it was built with.

    `definition` is the class where its source is at hand and `info` what the project knows of it; `creation` is the
    call that built the block. One of several has an empty `layer`, and them as `alternatives` where they are known:
    among them is one that has neither where it may also be something else, or nothing.
    `stray` is one that the call itself builds, or the module, so that no block has it as a child.
    """

    layer: str
    hybrid: bool | None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    definition: ast.ClassDef | None = None
    info: ClassInfo | None = None
    creation: ast.AST | None = None
    alternatives: tuple[Block, ...] = ()
    stray: bool = False

    @property
    def known(self) -> tuple[Block, ...]:
        """The blocks that it may be, as far as anything is known of them; itself where it is one."""
        return tuple(one for one in self.alternatives if one.layer) or (self,)

    @property
    def certain(self) -> bool:
        """Whether it is one of the blocks that are known, and nothing else."""
        return all(one.layer for one in self.alternatives or (self,))


@record(frozen=True, slots=True)
class ParameterRef:
    """A Parameter object (``self.weight``), not its array.

    `trained` tells whether it gets gradients. `late` are the axes whose sizes the first batch tells.
    """

    type: TensorType = UNTYPED
    trained: bool = True
    late: frozenset[int] = frozenset()


@record(frozen=True, slots=True)
class Namespace:
    """A namespace of operators: `root` is "F", "nd", "sym", "np" (mx.np) or "npx", `path` what follows ("contrib")."""

    root: str
    path: tuple[str, ...] = ()


@record(frozen=True, slots=True)
class Function:
    """A Python function whose body the interpreter may enter. `bound` are arguments given already, self among them.

    `defaults` are those of its parameters whose values were computed where the function was made.
    """

    node: ast.FunctionDef | ast.Lambda
    closure: Any = None
    bound: tuple[Value, ...] = ()
    defaults: Mapping[str, Value] = field(default_factory=dict, hash=False)


@record(frozen=True, slots=True)
class Partial:
    """A callable with arguments that it was given already: ``functools.partial(callee, ...)``."""

    callee: Value
    values: tuple[Value, ...] = ()
    keywords: Mapping[str, Value] = field(default_factory=dict)


@record(frozen=True, slots=True)
class BoundMethod:
    """A method of a tensor that was looked up but not called yet: ``x.asnumpy``."""

    receiver: Tensor
    name: str


@record(frozen=True, slots=True)
class RecordType:
    """A class that holds values under names and does nothing else: ``namedtuple("Pair", ["first", "second"])``."""

    fields: tuple[str, ...]
    defaults: Mapping[str, Value] = field(default_factory=dict)
    kind: Literal["tuple", "record"] = "tuple"


@record(frozen=True, slots=True)
class OperatorRef:
    """An operator function that was looked up but not called yet (``F.relu``)."""

    namespace: Namespace
    name: str
    operator: Operator | None


@record(frozen=True, slots=True)
class External:
    """Something of another library, by its full dotted name: "mxnet.gluon.nn.Dense", "time.time", "builtins.len"."""

    name: str


@record(frozen=True, slots=True)
class ClassRef:
    """A class whose source is at hand."""

    info: ClassInfo


@record(frozen=True, slots=True)
class This:
    """``self`` of the class that is analyzed."""

    instance: Instance


@record(frozen=True, slots=True)
class Divergent:
    """A Python value that is one thing in an eager run and another at the trace: ``isinstance(x, nd.NDArray)``."""

    eager: Value
    traced: Value


STATIC_UNKNOWN: Any = type("StaticUnknown", (), {"__repr__": lambda self: "?"})()
TRUE_OR_FALSE = Static(STATIC_UNKNOWN, either=True)

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
    | Partial
    | BoundMethod
    | RecordType
    | OperatorRef
    | External
    | ClassRef
    | This
    | Divergent
)
