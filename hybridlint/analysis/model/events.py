"""What the interpreter tells rules: one frozen dataclass for each thing that a rule can ask about.

Events are semantic: a rule never asks how something is spelled. They are not emitted for code that can only run
eagerly (under ``if F is mx.nd``) or whose operands are unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import field
from typing import Literal, overload

from hybridlint.analysis.model.frozen import record
from hybridlint.analysis.model.values import Block, Mode, Namespace, Tensor, Value
from hybridlint.analysis.run.seen import Seen
from hybridlint.runtime.registry import Operator
from hybridlint.text import cst
from hybridlint.text.concrete import argument_at, expression_at, statement_at
from hybridlint.text.source import SourceFile


@record(frozen=True, slots=True)
class CallSite:
    """A call through which the interpreter came: the node, the file that it stands in, and the function around it."""

    node: ast.Call
    source: SourceFile
    caller: str


@record(frozen=True, slots=True)
class Frame:
    """Where an event happens: the file, the class and function, and what names mean there."""

    source: SourceFile
    class_name: str | None
    function: ast.FunctionDef | ast.Lambda | None
    #: What the operator namespace is called here, usually "F"; None where there is none in reach.
    functions: str | None
    mode: Mode
    #: The call sites through which the interpreter came here, outermost first.
    calls: tuple[CallSite, ...] = ()
    #: The statement that the event happens in.
    statement: ast.stmt | None = None
    #: Names that hold the same array as the value in question: an in-place change of one changes all.
    aliases: frozenset[str] = frozenset()
    #: Whether the values are those of one step of a loop: what is right for them may be wrong for the other steps.
    unrolled: bool = False
    #: Whether the event's syntax is not that of the file: ``operator.getitem(x, 0)`` is told as ``x[0]``.
    rewritten: bool = False
    #: Whether the value that the event is about is used as lists are too, and nothing says that it is none.
    presumed: bool = False
    #: Whether it is known that the values are what the event says, and not only that they may be.
    certain: bool = True
    #: What was seen of the code in all the times that it was gone through, once the analysis has come to its end.
    seen: Seen = field(default_factory=Seen, compare=False)

    @overload
    def concrete(self, node: ast.expr) -> cst.BaseExpression: ...
    @overload
    def concrete(self, node: ast.keyword) -> cst.Arg: ...
    @overload
    def concrete(self, node: ast.stmt) -> cst.BaseStatement | cst.BaseSmallStatement: ...
    def concrete(self, node: ast.expr | ast.stmt | ast.keyword) -> cst.CSTNode:
        """Return a node of the file in concrete syntax, with its own blanks and comments, parsed when it is asked for.

        An expression comes with the parentheses around it only where these go over several lines.
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
        """The event's node in concrete syntax. Raises TypeError where it is neither expression nor statement."""
        if not isinstance(self.node, ast.expr | ast.stmt | ast.keyword):
            raise TypeError(f"{type(self.node).__name__} has no concrete syntax of its own")
        return self.frame.concrete(self.node)


@record(frozen=True, slots=True, eq=False, repr=False)
class AttributeRead(Event):
    """``value.name``, where value is a tensor, several outputs or a parameter, or the namespace F that lacks the name.

    Special methods are told where Symbol lacks them: in numpy mode ``~x`` reads ``__invert__``, ``abs(x)`` ``__abs__``.
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
    """Arguments of a call: nodes and values, positional and by keyword."""

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

    `operator` None: no registered one. `failure` says why the types of the arguments cannot work together, where that
    is proved: always for an operator, at the trace only for functions that broadcast eagerly (F.maximum).
    """

    namespace: Namespace
    name: str
    arguments: Arguments
    operator: Operator | None
    result: Value
    failure: str | None = None


@record(frozen=True, slots=True, eq=False, repr=False)
class BlockCall(Event):
    """A call of a child block, or of the ``unroll`` of a recurrent cell.

    `unrolled` marks the latter. `stray` is a block with parameters that no block has as a child.
    """

    block: Block
    arguments: Arguments
    result: Value
    unrolled: bool = False
    stray: bool = False


@record(frozen=True, slots=True, eq=False, repr=False)
class ForeignCall(Event):
    """A function of numpy, math, copy or another library, or a builtin that makes no Python value, that gets a tensor.

    `function` is its full dotted name: "numpy.exp", "math.sqrt", "copy.deepcopy", "abs". "autograd.Function" stands for
    all objects of classes that derive from it.
    """

    function: str
    arguments: Arguments
    operator: Operator | None


@record(frozen=True, slots=True, eq=False, repr=False)
class Binary(Event):
    """A binary operator or comparison with at least one tensor.

    `failure` is the InferError's reason where the operator that Symbol would call is proved not to accept these
    operands. `suspicious` is set where it is not, but nothing relates the shapes and one seems meant to be broadcast.
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
    """``value[index]`` read. `node` is the ast.Subscript; `keys` the parts of the index, one for each dimension."""

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
    """A truth value is asked of a tensor (or of what was read from one). `node` is the statement or expression."""

    kind: Literal["if", "while", "ternary", "assert", "and", "or", "not", "in", "comprehension"]
    condition: ast.expr
    value: Value


@record(frozen=True, slots=True, eq=False, repr=False)
class Concretize(Event):
    """A tensor is turned into Python. `node` is the call, the iterated expression or the assignment.

    `how` is the builtin's name ("len", "float", "sum", "max", "list", "zip", "map", "set" ...) or "iteration" (for and
    comprehensions), "unpacking", "star" (``*x``), "reduce", "range" (of what was read from a tensor), "format", "hash"
    (a member of a set, a key, an argument of a cached function).
    """

    how: str
    value: Value


@record(frozen=True, slots=True, eq=False, repr=False)
class Guard(Event):
    """A branch on what kind of array runs: isinstance, hasattr, ``F is mx.nd``. `differs`: other results.

    `raises` marks a ``try`` whose body fails at the trace only, and whose handler is what the trace does instead.
    """

    how: str
    differs: bool
    raises: bool = False


@record(frozen=True, slots=True, eq=False, repr=False)
class Scope(Event):
    """``with autograd.pause()`` and its kin around operators.

    `name` is "pause", "record", "train_mode" or "predict_mode", or "name_scope" for ``with self.name_scope()``. `modal`
    tells whether something in it may do otherwise in train mode, `flows` whether what it makes lives on after it and
    lets gradients pass.
    """

    name: str
    modal: bool
    flows: bool


@record(frozen=True, slots=True, eq=False, repr=False)
class ControlFlow(Event):
    """An argument of `foreach`, `while_loop` or `cond` (`name`) that the form for Symbols refuses, and why.

    `node` is the argument; `backward` tells that only gradients are refused.
    """

    name: str
    reason: str
    backward: bool


@record(frozen=True, slots=True, eq=False, repr=False)
class SideEffect(Event):
    """Something that happens once, at the trace. `target` is what it writes, as source text.

    `kind` is "print", "log" (logging, warnings), "append" (any change of a container that outlives the call),
    "attribute" (a store on self, on a class or on a child), "global", "nonlocal", "set_data" (of a Parameter),
    "buffer" (into an NDArray), "hook" (put on a child, by ``__init__``) or "file".
    """

    kind: str
    target: str
    #: Whether the call reads what earlier calls left there, before it writes.
    carried: bool = False
    #: The control flow operator in whose function it happens, to something that the function did not make itself.
    body: str | None = None


@record(frozen=True, slots=True, eq=False, repr=False)
class TraceConstant(Event):
    """A Python value that is frozen when the block is traced.

    `source_of_value` is the full dotted name of the function ("random.random", "numpy.random.rand", "time.time",
    "autograd.is_training"), or the attribute that changes from call to call ("self.count").
    """

    source_of_value: str
    used: bool


@record(frozen=True, slots=True, eq=False, repr=False)
class Return(Event):
    """What hybrid_forward returns.

    `inputs` are the arguments and parameters that it hands back unchanged; none are told of a block that others of the
    file have as a child, where they are no outputs of the graph.
    """

    value: Value
    inputs: tuple[Tensor, ...]
    #: Whether the block may return elsewhere too.
    one_of_several: bool = False


@record(frozen=True, slots=True, eq=False, repr=False)
class ChildDef(Event):
    """``self.name = SomeBlock(...)`` in the ``__init__`` of a hybrid class.

    `container` tells that it is put in a list or dict, which registers no children. Those without parameters, which
    need not be registered, are not told.
    """

    owner: str
    attribute: str
    child: Value
    container: Literal["list", "dict"] | None


@record(frozen=True, slots=True, eq=False, repr=False)
class BlockDef(Event):
    """A class that is a HybridBlock. `node` is the ast.ClassDef; `methods` by name."""

    methods: Mapping[str, ast.FunctionDef]
    bases: tuple[str, ...]
    mode: Mode


@record(frozen=True, slots=True, eq=False, repr=False)
class Signature(Event):
    """The signature of a hybrid_forward with the parameters that the class declares."""

    parameters: frozenset[str]
    unused: frozenset[str]


@record(frozen=True, slots=True, eq=False, repr=False)
class Unfinished(Event):
    """A function that takes more steps than the interpreter makes. What stands from `row` on was not looked at."""

    name: str
    row: int


@record(frozen=True, slots=True, eq=False, repr=False)
class ParameterDef(Event):
    """A parameter that ``__init__`` declares by name, ``self.params.get("name", ...)``.

    `prefix` is what the class itself writes before its names, None where it leaves that to others.
    """

    name: str
    prefix: str | None
