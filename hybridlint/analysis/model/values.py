"""The lattice of values that a name can hold at a point of the flow. No error is ever reported for Unknown."""

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
#: Whether a gradient can pass. "perhaps": only through an unknown value; it counts as true.
Flows: TypeAlias = bool | Literal["perhaps"]


@record(frozen=True, slots=True)
class Lineage:
    """A shape as changes to another: `root` identifies an unknown shape, `steps` are the changes made to it since.

    Steps are "reduced" (a dimension became 1), "dropped" (a dimension was reduced and removed), "squeezed" (a dimension
    of size 1 was removed), "added" (one of size 1 was inserted), "stacked" (one of any size was inserted) and "scalar"
    (the whole tensor became one number). `alike` are other shapes that must equal that of `root` for the trace to
    succeed, because a Symbol operator without broadcasting combined them. `axis` is the position of the dimension that
    the last step added, None if it is unknown or the last step was another one.
    """

    root: int
    steps: tuple[str, ...] = ()
    alike: frozenset[int] = frozenset()
    axis: int | None = None

    def related(self, other: Lineage) -> bool:
        """Return whether both derive from the same shape."""
        return not (self.alike | {self.root}).isdisjoint(other.alike | {other.root})

    def then(self, *steps: str) -> Lineage:
        """Return this lineage with further steps."""
        return Lineage(self.root, (*self.steps, *steps), self.alike)

    def like(self, other: Lineage) -> Lineage:
        """Return this lineage, whose shape is known to equal that of another tensor."""
        same = other.alike | {other.root} if self.steps == other.steps == () or self.related(other) else frozenset()
        return Lineage(self.root, self.steps, self.alike | same - {self.root})


@record(frozen=True, slots=True)
class Unknown:
    """A value about which nothing is known."""


@record(frozen=True, slots=True)
class Tensor:
    """One array: an NDArray eagerly, a Symbol with one output at the trace.

    `origin` is where it came from: "argument", "parameter", "operator", "constant" (it depends on no input) or
    "element" (an item of a list argument, which may itself be a list, so its subscripts are not reported).

    `identity` is equal for two values that are the same array object (aliases), None if unknown. `lineage` relates the
    shape to other tensors' when the shape itself is unknown. `optional` marks an argument whose default is None,
    `presumed` one whose uses would also suit a list and of which nothing else is known. `random_scalar` marks one
    number drawn eagerly where the trace draws one per element. `flows` is whether a gradient can pass from it to the
    values that it was computed from.
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

    `operator` is the name of the called function, empty if there were several candidates. `lineage` is that of each
    output.
    """

    types: tuple[TensorType, ...] | None = None
    mode: Mode = "legacy"
    operator: str = ""
    flows: Flows = True
    lineage: Lineage | None = None


@record(frozen=True, slots=True)
class Items:
    """A Python container of values; `items` is None if their number is unknown, `each` is their join.

    `keys` are those of a dict, in the order of `items`, if all are known. A tuple with keys is a namedtuple; a "record"
    has its keys as attributes and cannot be iterated. A "generator" is any iterator (``zip``), exhausted by iteration;
    a "view" is a view of a dict. `kept` is True if the container outlives the call, whatever names it; `filled` if it
    is known not to be empty.
    """

    kind: Literal["list", "tuple", "dict", "set", "generator", "view", "deque", "record"] = "list"
    items: tuple[Value, ...] | None = None
    each: Value = field(default_factory=Unknown)
    keys: tuple[Any, ...] | None = None
    kept: bool = field(default=False, compare=False)
    filled: bool = field(default=False, compare=False)


@record(frozen=True, slots=True)
class Static:
    """A Python value that is the same in every call of the block; `value` is `STATIC_UNKNOWN` if only that is known.

    `certain` marks values that no setting changes: results of tests that follow from kinds alone (``x is None`` of a
    tensor), constants, and settings that nobody changes. `numpy` marks a scalar of numpy's own types. `either` marks an
    unknown boolean. `among` lists the possible values of an otherwise unknown one.
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
    """A Python value read from a tensor, which exists only eagerly. `reason` names what read it."""

    reason: str


@record(frozen=True, slots=True)
class NumpyArray:
    """An array of numpy itself."""

    type: TensorType = field(default_factory=TensorType)


@record(frozen=True, slots=True)
class ForeignTensor:
    """An NDArray in either run, made by nd.* or `Parameter.data()`, which cannot be mixed with Symbols.

    `kept` is True if it outlives the call, as an attribute of the block.
    """

    type: TensorType = UNTYPED
    kept: bool = False


@record(frozen=True, slots=True)
class Block:
    """A Gluon block. `layer` is the name of its class, `arguments` are those it was built with.

    `definition` is the class if its source is available, `info` the project's record of it, and `creation` the call
    that built the block. A choice of several blocks has an empty `layer` and lists them as `alternatives` if they are
    known; an alternative with an empty `layer` too means that it may also be something else, or nothing.
    `stray` is True for a block that the call itself or the module builds, so that no block has it as a child.
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
        """The known candidates for the block; just itself if it is not a choice."""
        return tuple(one for one in self.alternatives if one.layer) or (self,)

    @property
    def certain(self) -> bool:
        """Whether all candidates for the block are known."""
        return all(one.layer for one in self.alternatives or (self,))


@record(frozen=True, slots=True)
class ParameterRef:
    """A Parameter object (``self.weight``), as opposed to its array.

    `trained` is whether it gets gradients. `late` are the axes whose sizes are inferred from the first batch.
    """

    type: TensorType = UNTYPED
    trained: bool = True
    late: frozenset[int] = frozenset()


@record(frozen=True, slots=True)
class Namespace:
    """A namespace of operators: `root` is "F", "nd", "sym", "np" (mx.np) or "npx", `path` the rest ("contrib")."""

    root: str
    path: tuple[str, ...] = ()


@record(frozen=True, slots=True)
class Function:
    """A Python function that the interpreter can enter. `bound` are arguments already bound, including self.

    `defaults` holds the parameter defaults that were evaluated where the function was defined.
    """

    node: ast.FunctionDef | ast.Lambda
    closure: Any = None
    bound: tuple[Value, ...] = ()
    defaults: Mapping[str, Value] = field(default_factory=dict, hash=False)


@record(frozen=True, slots=True)
class Partial:
    """A callable with some arguments already bound: ``functools.partial(callee, ...)``."""

    callee: Value
    values: tuple[Value, ...] = ()
    keywords: Mapping[str, Value] = field(default_factory=dict)


@record(frozen=True, slots=True)
class BoundMethod:
    """A tensor's method that was looked up but not yet called: ``x.asnumpy``."""

    receiver: Tensor
    name: str


@record(frozen=True, slots=True)
class RecordType:
    """A class that only holds named values: ``namedtuple("Pair", ["first", "second"])``."""

    fields: tuple[str, ...]
    defaults: Mapping[str, Value] = field(default_factory=dict)
    kind: Literal["tuple", "record"] = "tuple"


@record(frozen=True, slots=True)
class OperatorRef:
    """An operator function that was looked up but not yet called (``F.relu``)."""

    namespace: Namespace
    name: str
    operator: Operator | None


@record(frozen=True, slots=True)
class External:
    """A member of another library, by its full dotted name: "mxnet.gluon.nn.Dense", "time.time", "builtins.len"."""

    name: str


@record(frozen=True, slots=True)
class ClassRef:
    """A class whose source is available."""

    info: ClassInfo


@record(frozen=True, slots=True)
class This:
    """``self`` of the class being analyzed."""

    instance: Instance


@record(frozen=True, slots=True)
class Divergent:
    """A Python value that differs between an eager run and the trace: ``isinstance(x, nd.NDArray)``."""

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
