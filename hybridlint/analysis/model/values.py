"""The lattice of values that a name can hold at a point of the flow. No error is ever reported for Unknown."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from hybridlint.analysis.model.arrays import (
    UNTYPED,
    BoundMethod,
    CapturedArray,
    Flows,
    Mode,
    NumpyArray,
    Outputs,
    ParameterRef,
    ShapeProvenance,
    Tensor,
)
from hybridlint.analysis.model.names import (
    External,
    LibraryInstance,
    MemberOf,
    ModuleFile,
    Namespace,
    OperatorRef,
    ScopeMaker,
    ScopeOf,
    TypeOf,
)
from hybridlint.runtime.facts.records import record

if TYPE_CHECKING:
    from pathlib import Path

    from hybridlint.text.source import SourceFile

__all__ = [
    "STATIC_UNKNOWN",
    "TEXT",
    "TRUE_OR_FALSE",
    "UNTYPED",
    "BlockRef",
    "BoundMethod",
    "CachedFunction",
    "CallableUnion",
    "CapturedArray",
    "Child",
    "ClassRef",
    "ContainerValue",
    "DataDependentValue",
    "EagerTracePair",
    "External",
    "Flows",
    "Function",
    "Hook",
    "LibraryInstance",
    "MemberOf",
    "Mode",
    "ModuleFile",
    "Namespace",
    "NoneSubstitute",
    "NumpyArray",
    "OperatorRef",
    "Outputs",
    "ParameterRef",
    "Partial",
    "ProjectClass",
    "ProjectModule",
    "ProjectObject",
    "RecordType",
    "ScopeMaker",
    "ScopeOf",
    "SelfRef",
    "ShapeProvenance",
    "StaticValue",
    "Tensor",
    "TypeOf",
    "Unknown",
    "Value",
]


@record(frozen=True, slots=True)
class Unknown:
    """A value about which nothing is known. `loose` marks a setting, as of `StaticValue`.

    `made` marks an attribute that only ``__init__`` stores, or what is computed from such: no tensor of a trace.
    `held` is set for the object that a block holds: the number of its instance, and the attribute. `fed` marks what an
    unknown block makes of tensors, and the parts of that.
    `omitted` is what takes its place where the caller omits an argument, if that is an array. `either` marks an
    argument that the function checks for being a list or tuple: it is a container of tensors, or else a tensor.
    """

    loose: bool = field(default=False, compare=False)
    made: bool = field(default=False, compare=False)
    held: tuple[int, str] | None = field(default=None, compare=False)
    fed: bool = field(default=False, compare=False)
    omitted: NoneSubstitute | None = field(default=None, compare=False)
    either: bool = field(default=False, compare=False)


@record(frozen=True, slots=True)
class NoneSubstitute:
    """An array, or a list of them, that a function makes where its argument is None; `by_default` it is."""

    argument: str
    made: Value
    by_default: bool = False


@record(frozen=True, slots=True)
class ContainerValue:
    """A Python container of values. `items` are its elements, None if their number is unknown; `each` is their join.

    `keys` are those of a dict, in the order of `items`, if all are known. A tuple with keys is a namedtuple; a "record"
    has its keys as attributes and cannot be iterated; a list with keys is what was a namedtuple, and lacks the names
    now. A "generator" is any iterator (``zip``), exhausted by iteration;
    a "view" is a view of a dict. `kept` is True if the container outlives the call, whatever names it; `filled` if it
    is known not to be empty. `info` is the class of a namedtuple that has methods of its own.
    """

    kind: Literal["list", "tuple", "dict", "set", "generator", "view", "deque", "record"] = "list"
    items: tuple[Value, ...] | None = None
    each: Value = field(default_factory=Unknown)
    keys: tuple[Any, ...] | None = None
    kept: bool = field(default=False, compare=False)
    filled: bool = field(default=False, compare=False)
    info: ProjectClass | None = field(default=None, compare=False)


@record(frozen=True, slots=True)
class StaticValue:
    """A Python value that is the same in every call of the block; `value` may be `STATIC_UNKNOWN`.

    `certain` marks values that no setting changes: results of tests that follow from kinds alone (``x is None`` of a
    tensor), constants, and settings that nobody changes. `numpy` marks a scalar of numpy's own types. `either` marks an
    unknown boolean. `among` lists the possible values of an otherwise unknown one. `loose` marks a setting of a block
    that its ``__init__`` hands to nothing else, so that no layer holds sizes to it. `asked` is the
    function of a library that was asked for the mode which this is. `length` is that of an unknown tuple or list, as
    the default of an argument and the calls of a class show it.
    """

    value: Any = None
    certain: bool = field(default=False, compare=False)
    numpy: bool = False
    either: bool = False
    among: tuple[Any, ...] | None = None
    loose: bool = field(default=False, compare=False)
    asked: str = field(default="", compare=False)
    length: int | None = field(default=None, compare=False)

    @property
    def is_boolean(self) -> bool:
        """Whether the value is True or False."""
        return self.either or isinstance(self.value, bool)

    @property
    def may_be_boolean(self) -> bool:
        """Whether the value is True or False wherever nobody sets something else: by the default of an argument."""
        return self.is_boolean or (bool(self.among) and all(isinstance(one, bool) for one in self.among or ()))


@record(frozen=True, slots=True)
class DataDependentValue:
    """A Python value read from a tensor, which exists only eagerly.

    `reason` is the attribute, method or builtin that read it; `sized` marks what follows from comparing a size. `tell`
    emits an event at the guard that has eager runs read it where the trace does without, if that is known.
    """

    reason: str
    sized: bool = field(default=False, compare=False)
    tell: Callable[..., None] | None = field(default=None, compare=False)


@record(frozen=True, slots=True)
class BlockRef:
    """A block. `layer` is the name of its class, `arguments` are those it was built with.

    `definition` is the class if its source is available, `info` the project's record of it, and `creation` the call
    that built the block. A choice of several blocks has an empty `layer` and lists them as `alternatives` if they are
    known; an alternative with an empty `layer` too means that it may also be something else, or nothing.
    `stray` is True for a block that the call itself or the module builds, so that no block has it as a child.
    """

    layer: str
    hybrid: bool | None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    definition: ast.ClassDef | None = None
    info: ProjectClass | None = None
    creation: ast.AST | None = None
    alternatives: tuple[BlockRef, ...] = ()
    stray: bool = False

    @property
    def known(self) -> tuple[BlockRef, ...]:
        """The known candidates for the block; just itself if it is not a choice."""
        return tuple(one for one in self.alternatives if one.layer) or (self,)

    @property
    def certain(self) -> bool:
        """Whether all candidates for the block are known."""
        return all(one.layer for one in self.alternatives or (self,))


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
class CachedFunction:
    """A function whose results are kept by its arguments, ``functools.lru_cache(function)``."""

    function: Function | Partial


@record(frozen=True, slots=True)
class CallableUnion:
    """One of several functions or operators, whichever a setting picks: ``self.hard if sharp else self.soft``.

    There may be plain objects of the project among them, or these alone. `optional` is True if it may be None instead.
    """

    functions: tuple[Value, ...]
    optional: bool = False


@record(frozen=True, slots=True)
class RecordType:
    """A class that only holds named values: ``namedtuple("Pair", ["first", "second"])``.

    `info` is its source, where it has methods.
    """

    fields: tuple[str, ...]
    defaults: Mapping[str, Value] = field(default_factory=dict)
    kind: Literal["tuple", "record"] = "tuple"
    info: ProjectClass | None = field(default=None, compare=False)


@record(frozen=True, slots=True)
class ClassRef:
    """A class whose source is available."""

    info: ProjectClass


@record(frozen=True, slots=True)
class SelfRef:
    """``self`` of the class being analyzed."""

    instance: ProjectObject


@record(frozen=True, slots=True)
class EagerTracePair:
    """A value that differs between the eager run and the trace, such as the class of an array.

    `tell` emits an event at the guard that parts the runs, if that is known.
    """

    eager: Value
    traced: Value
    tell: Callable[..., None] | None = field(default=None, compare=False, kw_only=True)


#: The reason of a `DataDependentValue` text that was read from a tensor and differs at the trace.
TEXT = "text"
STATIC_UNKNOWN: Any = type("StaticUnknown", (), {"__repr__": lambda self: "?"})()
TRUE_OR_FALSE = StaticValue(STATIC_UNKNOWN, either=True)

Value: TypeAlias = (
    Unknown
    | Tensor
    | Outputs
    | ContainerValue
    | StaticValue
    | DataDependentValue
    | NumpyArray
    | CapturedArray
    | BlockRef
    | ParameterRef
    | Namespace
    | Function
    | Partial
    | CachedFunction
    | CallableUnion
    | BoundMethod
    | RecordType
    | OperatorRef
    | External
    | ClassRef
    | SelfRef
    | EagerTracePair
)


@record(frozen=True)
class Child:
    """A block, or a container of blocks, that ``__init__`` stores on self."""

    node: ast.AST
    attribute: str
    value: Value
    container: Literal["list", "dict"] | None


@record(frozen=True)
class Hook:
    """A hook that ``__init__`` attaches to a child.

    `function` is called with `given` arguments at each call of the `block`; `module` holds the call that attaches it.
    `own` is whether a method of the block around does so, no other object or function.
    """

    node: ast.Call
    target: str
    function: Value
    block: Value
    given: int
    module: ProjectModule
    own: bool


class ProjectModule(Protocol):
    """A file of the project, and the meaning of its global names."""

    source: SourceFile

    @property
    def path(self) -> Path:
        """The file's path with symbolic links resolved."""

    @property
    def called_by_library(self) -> frozenset[str]:
        """The methods of a block that the library calls by itself."""

    @property
    def mode(self) -> Mode:
        """The mode of tensors outside of classes."""

    @property
    def definitions(self) -> Mapping[str, object]:
        """The last binding of each global name."""

    def value(self, name: str) -> Value | None:
        """Return the value of a global name; None if the module does not bind it."""

    def outer_value(self, node: ast.AST, name: str) -> Value | None:
        """Return the value that a function around a node binds to a name.

        None if the value is unknown or no function binds the name.
        """

    def expression(self, node: ast.expr, within: ast.AST | None = None) -> Value:
        """Return the value of a global expression, seen from the functions around a node if one is given."""

    def sets_once(self, name: str) -> bool:
        """Return whether a global name has only one assignment, or is imported."""

    def class_info(self, node: ast.ClassDef) -> ProjectClass:
        """Return the record of a class that this module defines."""


class ProjectClass(Protocol):
    """A class whose source is available."""

    node: ast.ClassDef

    @property
    def module(self) -> ProjectModule:
        """The file that defines it."""

    @property
    def methods(self) -> Mapping[str, ast.FunctionDef]:
        """The functions of its own body."""

    @property
    def stored(self) -> Mapping[str, frozenset[str]]:
        """The attributes of self that each of its own methods stores."""

    @property
    def lineage(self) -> tuple[ProjectClass, ...]:
        """The class and its ancestors whose source is available, nearest first."""

    @property
    def foreign_bases(self) -> tuple[str, ...]:
        """Dotted names of the ancestors that other libraries define."""

    @property
    def mode(self) -> Mode:
        """The mode of tensors in the class."""

    @property
    def hybrid(self) -> bool:
        """Whether its instances can be compiled."""

    @property
    def block(self) -> bool:
        """Whether its instances are blocks."""

    def stores(self, name: str) -> int:
        """Return the number of places in the files of the class and its ancestors that bind an attribute."""

    def makes(self, name: str) -> int:
        """Return the number of places in the ``__init__`` of the class and its ancestors that store an attribute."""

    def hands_on(self, name: str) -> bool:
        """Return whether an ``__init__`` of the class passes an attribute's value to a call, such as a layer's."""

    def method(self, name: str) -> tuple[ast.FunctionDef, ProjectClass] | None:
        """Return the method and the class that defines it."""

    def method_after(self, name: str, owner: ProjectClass) -> tuple[ast.FunctionDef, ProjectClass] | None:
        """Return the method that ``super().name`` calls in a method of `owner`."""


class ProjectObject(Protocol):
    """An object in the state that its ``__init__`` leaves."""

    attributes: dict[str, Value]
    local: bool
    imported: bool
    computed: list[Value]
    children: list[Child]
    hooks: list[Hook]
    around: list[Hook]
    added: list[Value]
    registered: set[ast.AST | None]
    offered: dict[ast.IfExp, ParameterRef]

    @property
    def info(self) -> ProjectClass:
        """The class of the object."""

    @property
    def changing(self) -> frozenset[str]:
        """Attributes that methods other than ``__init__`` store."""

    @property
    def refilled(self) -> frozenset[str]:
        """Attributes whose containers other methods change."""

    @property
    def parameters(self) -> dict[str, ParameterRef]:
        """The parameters that it declares, by attribute."""

    def register(self, value: Value) -> None:
        """Record that the blocks in a value are children although no attribute holds them."""

    def note(self, name: str, value: Value, node: ast.AST) -> None:
        """Record a parameter or child that ``self.name = value`` registers."""

    def note_filled(self, name: str, value: Value, node: ast.AST) -> None:
        """Record a container attribute that got children only after it was made."""
