"""Events that the interpreter emits for rules: one frozen dataclass for each thing that a rule can ask about.

Events are semantic: a rule never depends on how something is spelled. No event is emitted for code that can only run
eagerly (under ``if F is mx.nd``) or whose operands are unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import field
from typing import Literal, overload

from hybridlint.analysis.model.seen import Seen
from hybridlint.analysis.model.values import Block, Mode, Namespace, Tensor, Value
from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.registry import Operator
from hybridlint.text import cst
from hybridlint.text.concrete import argument_at, expression_at, statement_at
from hybridlint.text.source import SourceFile


@record(frozen=True, slots=True)
class CallSite:
    """A call, or the read of a property, that the interpreter passed through: its file, and the function around it."""

    node: ast.Call | ast.Attribute
    source: SourceFile
    caller: str


@record(frozen=True, slots=True)
class Frame:
    """The place of an event: the file, the class and function, and the meaning of names there."""

    source: SourceFile
    class_name: str | None
    function: ast.FunctionDef | ast.Lambda | None
    #: The name of the operator namespace here, usually "F"; None if there is none in scope.
    functions: str | None
    mode: Mode
    #: The call sites that led here, outermost first.
    calls: tuple[CallSite, ...] = ()
    #: The statement around the event.
    statement: ast.stmt | None = None
    #: Names that hold the same array as the event's value, where the event may change that in place.
    aliases: frozenset[str] = frozenset()
    #: Whether the values belong to one step of a loop: what is right for them may be wrong for other steps.
    unrolled: bool = False
    #: Whether the event's syntax is synthetic: ``operator.getitem(x, 0)`` is reported as ``x[0]``.
    rewritten: bool = False
    #: Whether the uses of the event's value would also suit a list, and nothing shows that it is a tensor.
    presumed: bool = False
    #: Whether the event's values are certain, rather than merely possible.
    certain: bool = True
    #: What was seen in all executions of the code, complete only once the analysis has ended.
    seen: Seen = field(default_factory=Seen, compare=False)

    @overload
    def concrete(self, node: ast.expr) -> cst.BaseExpression: ...
    @overload
    def concrete(self, node: ast.keyword) -> cst.Arg: ...
    @overload
    def concrete(self, node: ast.stmt) -> cst.BaseStatement | cst.BaseSmallStatement: ...
    def concrete(self, node: ast.expr | ast.stmt | ast.keyword) -> cst.CSTNode:
        """Return a node of the file as a concrete syntax tree, with whitespace and comments, parsed on demand.

        An expression includes the parentheses around it only if they span several lines.
        """
        if isinstance(node, ast.expr):
            return expression_at(self.source, node)
        return argument_at(self.source, node) if isinstance(node, ast.keyword) else statement_at(self.source, node)


@record(frozen=True, slots=True)
class Event:
    """Base of all events. `node` is what a finding underlines."""

    node: ast.AST
    frame: Frame

    @property
    def concrete(self) -> cst.CSTNode:
        """The event's node as a concrete syntax tree. Raises TypeError if it is neither expression nor statement."""
        if not isinstance(self.node, ast.expr | ast.stmt | ast.keyword):
            raise TypeError(f"{type(self.node).__name__} has no concrete syntax of its own")
        return self.frame.concrete(self.node)


@record(frozen=True, slots=True, eq=False, repr=False)
class AttributeRead(Event):
    """``value.name``, for a tensor, several outputs or a parameter, or for a name that the namespace F lacks.

    Also emitted for special methods that Symbol lacks: in numpy mode ``~x`` reads ``__invert__``, ``abs(x)`` reads
    ``__abs__``.
    """

    value: Value
    name: str


@record(frozen=True, slots=True, eq=False, repr=False)
class AttributeStore(Event):
    """``value.name = ...``, where value is a tensor. `node` is the target."""

    value: Value
    name: str


@record(frozen=True, slots=True)
class Arguments:
    """The arguments of a call: nodes and values, positional and by keyword."""

    nodes: tuple[ast.expr, ...]
    values: tuple[Value, ...]
    keyword_nodes: Mapping[str, ast.expr]
    keywords: Mapping[str, Value]


NOTHING = Arguments((), (), {}, {})


@record(frozen=True, slots=True, eq=False, repr=False)
class MethodCall(Event):
    """``receiver.name(...)`` on a tensor, on several outputs, or on a Parameter (``self.weight.data()``).

    `operator` is the operator that the method calls.
    """

    receiver: Value
    name: str
    arguments: Arguments
    operator: Operator | None
    result: Value


@record(frozen=True, slots=True, eq=False, repr=False)
class OpCall(Event):
    """A call of an operator or function through a namespace: F, nd, sym, np (mx.np) or npx.

    `operator` is None if the name is no registered operator. `failure` is the reason why the argument types are proved
    incompatible: in either run for an operator, only at the trace for functions that broadcast eagerly (F.maximum).
    """

    namespace: Namespace
    name: str
    arguments: Arguments
    operator: Operator | None
    result: Value
    failure: str | None = None


@record(frozen=True, slots=True, eq=False, repr=False)
class BlockCall(Event):
    """A call of a child block, or of the ``unroll`` method of a recurrent cell.

    `unrolled` is True for the latter. `stray` is True for a block with parameters that is not registered as a child
    anywhere.
    """

    block: Block
    arguments: Arguments
    result: Value
    unrolled: bool = False
    stray: bool = False


@record(frozen=True, slots=True, eq=False, repr=False)
class CompiledCall(Event):
    """A call of a compiled block by code that runs eagerly around it.

    `other` is a call of the same block by the same code with inputs of another structure; None if there is none.
    """

    block: Block
    arguments: Arguments
    other: ast.AST | None = None


@record(frozen=True, slots=True, eq=False, repr=False)
class LostName(Event):
    """A read of a name of a namedtuple that a compiled block has returned, or got, as a list.

    `returned` is where a block returns it, if it is not known to be the block whose output is read. `maker` is the name
    that the file has for the namedtuple's class; None if it has none, or several.
    """

    name: str
    returned: ast.AST | None = None
    maker: str | None = None


@record(frozen=True, slots=True, eq=False, repr=False)
class UnboundCall(Event):
    """A call of a function or of a child block that cannot bind its arguments, with the reason."""

    reason: str


@record(frozen=True, slots=True, eq=False, repr=False)
class ForeignCall(Event):
    """A tensor passed to a library's function (numpy, math, copy ...), or to a builtin that returns no Python value.

    `function` is its full dotted name: "numpy.exp", "math.sqrt", "copy.deepcopy", "abs". "autograd.Function" stands for
    all instances of its subclasses.
    """

    function: str
    arguments: Arguments
    operator: Operator | None


@record(frozen=True, slots=True, eq=False, repr=False)
class Binary(Event):
    """A binary operator or comparison with at least one tensor.

    `failure` is the InferError's reason if Symbol's operator is proved to reject these operands. `suspicious` is True
    if that is unproved, but the shapes are unrelated and one operand seems meant to be broadcast.
    """

    symbol: str
    left: Value
    right: Value
    left_node: ast.expr
    right_node: ast.expr
    operator: Operator | None
    failure: str | None
    result: Value
    suspicious: bool = False


@record(frozen=True, slots=True, eq=False, repr=False)
class Negation(Event):
    """``-value`` of a tensor."""

    value: Value


@record(frozen=True, slots=True, eq=False, repr=False)
class InPlace(Event):
    """``target += value`` on a tensor. `node` is the ast.AugAssign; `symbol` is "+="."""

    symbol: str
    target: Value
    value: Value
    operator: Operator | None


@record(frozen=True, slots=True, eq=False, repr=False)
class Subscript(Event):
    """A read of ``value[index]``. `node` is the ast.Subscript; `keys` are the parts of the index, one per dimension."""

    value: Value
    keys: tuple[ast.expr, ...]
    key_values: tuple[Value, ...]
    result: Value


@record(frozen=True, slots=True, eq=False, repr=False)
class Store(Event):
    """``value[index] = new``. `node` is the ast.Assign."""

    value: Value
    target: ast.Subscript
    new: Value


@record(frozen=True, slots=True, eq=False, repr=False)
class Branch(Event):
    """A test of the truth of a tensor, or of a value read from one. `node` is the statement or expression."""

    kind: Literal["if", "while", "ternary", "assert", "and", "or", "not", "in", "comprehension"]
    condition: ast.expr
    value: Value


#: The ways (``Concretize.how``) to take a tensor row by row.
ITERATING = frozenset(
    {"iteration", "comprehension", "for", "enumerate", "zip", "map", "filter", "reversed", "iter", "next"}
)


@record(frozen=True, slots=True, eq=False, repr=False)
class Concretize(Event):
    """A conversion of a tensor to Python values. `node` is the call, the iterated expression or the assignment.

    `how` is the builtin's name ("len", "float", "sum", "max", "list", "zip", "map", "set" ...) or "iteration" (for and
    comprehensions), "unpacking", "star" (``*x``), "reduce", "range" (of a value read from a tensor), "format", or
    "hash" (a member of a set, a key, an argument of a cached function).
    """

    how: str
    value: Value


@record(frozen=True, slots=True, eq=False, repr=False)
class Guard(Event):
    """A branch on the kind of array: isinstance, hasattr, ``F is mx.nd``. `differs` if the two results differ.

    `raises` is True for a ``try`` whose body fails only at the trace, so that the trace runs the handler instead.
    `guess` is True if the trace takes a setting in place of a size: the results differ for all sizes but one. `chooses`
    is True if the size then chooses between two computations, and `moves` if only eager runs change what the block
    computes with in later calls.
    """

    how: str
    differs: bool
    raises: bool = False
    guess: bool = False
    chooses: bool = False
    moves: bool = False


@record(frozen=True, slots=True, eq=False, repr=False)
class Scope(Event):
    """``with autograd.pause()`` and similar scopes around operators.

    `name` is "pause", "record", "train_mode" or "predict_mode", or "name_scope" for ``with self.name_scope()``. `modal`
    is True if something in the scope may behave differently in train mode, `flows` if a result of the scope is used
    after it and lets gradients pass.
    """

    name: str
    modal: bool
    flows: bool
    #: Whether every call enters it, whatever the settings are.
    sure: bool = True


@record(frozen=True, slots=True, eq=False, repr=False)
class ControlFlow(Event):
    """An argument of `foreach`, `while_loop` or `cond` (`name`) that the Symbol form rejects, with the reason.

    `node` is the argument; `backward` is True if only computing gradients fails.
    """

    name: str
    reason: str
    backward: bool


@record(frozen=True, slots=True, eq=False, repr=False)
class SideEffect(Event):
    """An effect that happens only once, at the trace. `target` is the source text of what it writes to.

    `kind` is "print", "log", "warning", "append" (any change of a container that outlives the call), "attribute" (a
    store on self, a class or a child), "global", "nonlocal", "set_data" (of a Parameter), "buffer" (a write into an
    NDArray), "hook" (put on a child by ``__init__``) or "file".
    """

    kind: str
    target: str
    #: Whether the call reads the target's state from earlier calls before it writes.
    carried: bool = False
    #: The control flow operator whose function has the effect, on something that the function did not make itself.
    body: str | None = None
    #: Whether the target only sums up times and counts, which nothing in the file computes with.
    tally: bool = False
    #: Whether what is stored in an attribute depends on the inputs, or is not known.
    data: bool = True

    @property
    def reports(self) -> bool:
        """Whether it only tells people something."""
        return self.kind in {"print", "log", "warning"}


@record(frozen=True, slots=True, eq=False, repr=False)
class TraceConstant(Event):
    """A Python value that is frozen when the block is traced.

    `source_of_value` is the full dotted name of the function ("random.random", "numpy.random.rand", "time.time",
    "autograd.is_training"), or the attribute that changes from call to call ("self.count").
    """

    source_of_value: str
    used: bool


@record(frozen=True, slots=True, eq=False, repr=False)
class Adjusted(Event):
    """A setting that traced code reads although code outside of the trace changes it between calls.

    `node` is the read, `place` the change, and `by` the method or function around that.
    """

    name: str
    place: ast.AST
    by: str


@record(frozen=True, slots=True, eq=False, repr=False)
class Return(Event):
    """The return value of hybrid_forward.

    `inputs` are the arguments and parameters that are returned unchanged. It is empty for a block that another block of
    the file has as a child, where they are no outputs of the graph.
    """

    value: Value
    inputs: tuple[Tensor, ...]
    #: Whether the block may return elsewhere too.
    one_of_several: bool = False


@record(frozen=True, slots=True, eq=False, repr=False)
class ChildDef(Event):
    """``self.name = SomeBlock(...)`` in the ``__init__`` of a hybrid class.

    `container` is set if the block is put into a list or dict, which registers no children. Not emitted for blocks
    without parameters, which need not be registered. `idle` is set if nothing calls the block, so that its parameters
    get no shapes while those of other children wait for them: to the settings under which that is so, if there are any.
    """

    owner: str
    attribute: str
    child: Value
    container: Literal["list", "dict"] | None
    idle: str | None = None


@record(frozen=True, slots=True, eq=False, repr=False)
class UnusedResult(Event):
    """A call of a child with parameters, or of a part of it, `child`, whose result reaches no output of `owner`.

    Its parameters get no shapes while those of other children wait for them.
    """

    owner: str
    child: str


@record(frozen=True, slots=True, eq=False, repr=False)
class BlockDef(Event):
    """A class that is a HybridBlock. `node` is the ast.ClassDef; `methods` by name."""

    methods: Mapping[str, ast.FunctionDef]
    bases: tuple[str, ...]
    mode: Mode


@record(frozen=True, slots=True, eq=False, repr=False)
class PlainBlockDef(Event):
    """A class that is a Gluon block and no HybridBlock. `node` is the ast.ClassDef, `forward` its own method."""

    forward: ast.FunctionDef


@record(frozen=True, slots=True, eq=False, repr=False)
class Signature(Event):
    """The signature of a hybrid_forward with the parameters that the class declares.

    `unused` are those that no code reads, `required` those without a default. `for_functions` is the name of the input
    that stands where `F` is passed; None if the signature has an `F`. `later` is whether something is unused, and the
    first batch determines sizes of parameters of the block. `inner` is whether other blocks of the file have blocks of
    this class as parts of their graphs.
    """

    parameters: frozenset[str]
    unused: frozenset[str]
    required: frozenset[str] = frozenset()
    for_functions: str | None = None
    later: bool = False
    inner: bool = False


@record(frozen=True, slots=True, eq=False, repr=False)
class Unfinished(Event):
    """A function that needs more steps than the interpreter allows, or code that is too `deep` for it.

    Code from line `row` on was not analyzed.
    """

    name: str
    row: int
    deep: bool = False


@record(frozen=True, slots=True, eq=False, repr=False)
class UnlistedParameter(Event):
    """A parameter that `hybrid_forward` gets and ``collect_params`` does not: ``self.name = gluon.Parameter(...)``."""

    name: str


@record(frozen=True, slots=True, eq=False, repr=False)
class ParameterDef(Event):
    """A parameter that ``__init__`` declares by name, ``self.params.get("name", ...)``.

    `prefix` is the prefix that the class itself puts before its names, None if it leaves that to its caller.
    """

    name: str
    prefix: str | None
