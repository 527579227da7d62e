"""Reads the body of a function for evidence that an argument is a tensor or a container of tensors."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from hybridlint.analysis.dataflow.scopes import names_in_body
from hybridlint.analysis.flow.indexes import Children, Indexes, is_of_self
from hybridlint.analysis.model.tables import words
from hybridlint.analysis.mxnet.inputs.argument_receivers import Resolve
from hybridlint.analysis.mxnet.inputs.first_reads import is_of_arrays, read_as_arrays
from hybridlint.analysis.mxnet.inputs.index_rows import taken_as_indices
from hybridlint.analysis.mxnet.inputs.uses import Uses
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import record
from hybridlint.text.syntax import branches, each, walk

_INDEX = re.compile(r"(?:index|idx|edge)\d*$")
_TO_LIST = frozenset({"append", "extend", "insert", "pop", "index"})
_TO_DICT = frozenset({"items", "keys", "values", "get", "setdefault", "update", "popitem"})
_OF_BLOCKS = frozenset({"collect_params", "begin_state", "unroll", "state_info", "hybridize", "initialize"})
_OF_ITERTOOLS = words("chain zip_longest islice product combinations permutations accumulate")
_GOES_THROUGH = words("zip enumerate len list tuple reversed map sorted iter") | _OF_ITERTOOLS

#: The kinds of syntax that show how a name is used.
_LOOKED_AT = frozenset(
    {
        *(ast.BinOp, ast.Compare, ast.Call, ast.Starred, ast.Subscript),
        *(ast.Assign, ast.For, ast.comprehension, ast.Assert, ast.If),
    }
)

#: How many calls an argument is followed through.
_DEEPEST = 2


def _none(_: ast.expr) -> bool:
    return False


def _nowhere(_: ast.Call) -> None:
    return None


@record(frozen=True, slots=True)
class UseContext:
    """Facts around a function: its block, and the functions that its calls enter.

    `children` tells whether an expression holds children of the block, `layers` whether it is a layer that takes
    tensors only, `recurrent` whether it is one that takes states beside its input. `called` finds the functions that
    get arguments, whose own uses count too; `depth` counts the calls that led to this one.
    """

    children: Children = _none
    layers: Children = _none
    called: Resolve = _nowhere
    recurrent: Children = _none
    depth: int = 0


def uses_of(function: ast.FunctionDef, around: UseContext) -> Uses:
    """Return how a function uses its arguments."""
    nodes = list(branches(function))
    reading = _Reading(function, nodes, around)
    for inner in nodes:
        if type(inner) in _LOOKED_AT:
            reading.look(inner)
        elif isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name) and is_of_arrays(inner.attr):
            reading.seen.with_shape.add(inner.value.id)
    reading.compare_lengths()
    reading.compare_rows(nodes)
    return reading.seen


@lru_cache(maxsize=256)
def uses_in(function: ast.FunctionDef) -> Uses:
    """Return how a function uses its arguments, by its text only. The result is cached for its callers."""
    return uses_of(function, UseContext())


class _Reading:
    """One reading of a function's body: the uses `seen` so far, and the meaning of its parts."""

    def __init__(self, function: ast.FunctionDef, nodes: list[ast.AST], around: UseContext) -> None:
        self.around = around
        self.seen = Uses(arrays_first=read_as_arrays(function))
        #: The constant indices that each argument is subscripted with.
        self._rows: dict[str, set[int]] = {}
        #: The arguments over whose length the index of each argument counts.
        self._beside: dict[str, set[str]] = {}
        stores = names_in_body(function).stores
        self._rebound = {*stores}
        #: The first row in which each name is bound anew.
        self._bound_from = {name: min(getattr(n, "lineno", 0) for n in nodes) for name, nodes in stores.items()}
        self._indexes = Indexes(nodes, around.children)
        #: What runs where something else failed, by identity.
        self._otherwise = {id(part) for handler in each(function, ast.ExceptHandler) for part in walk(handler)}

    def compare_lengths(self) -> None:
        """Mark arguments as lists if the code indexes them along with an argument that is a list."""
        for name, others in self._beside.items():
            self.seen.like_list |= {name} if any(map(self.seen.is_list, others - {name})) else set()

    def compare_rows(self, nodes: list[ast.AST]) -> None:
        """Mark arguments as lists if the code reads several of their rows: code seldom splits a batch into rows."""
        apart = {name for name, rows in self._rows.items() if len(rows) > 1}
        indices = {name for name in apart if _INDEX.search(name) is not None}
        self.seen.like_list |= apart - (indices and indices & taken_as_indices(nodes))

    def look(self, node: ast.AST) -> None:
        """Add what one node shows of the arguments in it."""
        match node:
            case ast.BinOp(left=ast.List(), right=other) | ast.BinOp(left=other, right=ast.List()):
                self.seen.surely_list |= _names(other)
            case ast.BinOp(left=ast.Call(func=ast.Name(id="list" | "tuple"), args=[one]), op=ast.Add(), right=right):
                self.seen.like_list |= _names(one, *(right.args[:1] if isinstance(right, ast.Call) else ()))
            case ast.BinOp(left=left, right=right):
                self.seen.as_tensor |= _names(left, right)
            case ast.Compare(left=ast.Call(func=ast.Name(id="type"), args=args), comparators=[classes]):
                self.seen.either |= _names(*args) if _names_containers(classes) else set()
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[ast.Name(id=name)]):
                if not isinstance(left, ast.Constant) or isinstance(left.value, str):
                    self.seen.searched.add(name)
            case ast.Compare(left=left, comparators=rest):
                if not any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
                    self.seen.as_tensor |= _names(left, *rest)
            case ast.Call():
                self._look_at_call(node)
            case ast.Starred(value=ast.Name(id=name)):
                self.seen.as_list.add(name)
            case ast.Assign(targets=targets, value=value):
                if isinstance(targets[0], ast.Tuple | ast.List):
                    self.seen.as_list |= _names(value)
                    self.seen.unpacked |= _names(value)
                    if isinstance(value, ast.Name):
                        self.seen.parts.setdefault(value.id, set()).update(_names(*targets[0].elts))
                    if isinstance(value, ast.Subscript):
                        self.seen.either |= _names(value.value)
                for target in targets:
                    if isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Slice | ast.Tuple):
                        self.seen.as_list |= _names(target.value)
                        if isinstance(value, ast.Dict | ast.List | ast.Tuple | ast.Set):
                            self.seen.mappings |= _names(target.value)
            case ast.For(iter=source) | ast.comprehension(iter=source):
                self.seen.as_list |= _names(_whole(source))
            case ast.Subscript(value=ast.Subscript(value=ast.Name(id=name)), slice=ast.Constant(value=str())):
                self.seen.mappings.add(name)
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                self._look_at_subscript(name, index)
            case ast.Assert(test=test) | ast.If(test=test, body=[ast.Raise(), *_]):
                self.seen.like_list |= set(_measured(test))
            case _:
                return

    def _look_at_subscript(self, name: str, index: ast.expr) -> None:
        match index:
            case ast.Constant(value=str()):
                # A dict, which no operator accepts.
                self.seen.mappings.add(name)
            case ast.Constant(value=int() as row):
                self.seen.as_list.add(name)
                if id(index) not in self._otherwise:
                    self._rows.setdefault(name, set()).add(row)
            case ast.UnaryOp():
                self.seen.as_list.add(name)
            case ast.Tuple():
                self.seen.as_tensor.add(name)
            case ast.Slice():
                return
            case _:
                self.seen.subscripted.add(name)
                if isinstance(index, ast.Name) and index.id in self._indexes.lengths:
                    self._beside.setdefault(name, set()).update(self._indexes.lengths[index.id])
                if self._indexes.numbers(index):
                    self.seen.like_list.add(name)

    def _look_at_call(self, node: ast.Call) -> None:
        func, args = node.func, node.args
        given = _names(*args)
        if not given <= self.seen.to_layers and self.around.layers(func):
            self.seen.to_layers |= given
        states = _names(*args[1:2], *(k.value for k in node.keywords if k.arg == "states"))
        if states and self.around.recurrent(func):
            self.seen.as_states |= {name for name in states if self._bound_from.get(name, node.lineno) >= node.lineno}
        self._follow(node)
        match func:
            case ast.Name(id=name):
                # A block or a function that the caller passes in.
                self.seen.either.add(name)
                self._look_at_function(name, args)
            case ast.Attribute(value=ast.Name(id=owner), attr=attribute) if attribute in _OF_BLOCKS:
                self.seen.either.add(owner)
            case ast.Attribute(value=ast.Name(id=owner), attr=attribute):
                self._look_at_method(owner, attribute, node)
            case ast.Attribute(value=ast.Attribute(), attr=attribute) if lookup.joins(attribute):
                self.seen.as_list |= _names(*args[:1])
            case ast.Subscript(slice=index):
                # One element for each child: the list is indexed like the children.
                self.seen.surely_list |= {name for arg in args for name in _elements(arg, index)}
            case _:
                return

    def _follow(self, node: ast.Call) -> None:
        """Add the uses of arguments in a function that a call enters, for arguments passed unchanged."""
        given = _names(*node.args, *(k.value for k in node.keywords)) - self._rebound
        if self.around.depth >= _DEEPEST or not given:
            return
        callee = self.around.called(node)
        passed = [] if callee is None else [pair for pair in callee.parameters(node) if pair[0] in given]
        if callee is None or not passed:
            return
        depth = self.around.depth + 1
        # What goes no deeper is told by its text alone.
        uses = (
            uses_of(callee.node, UseContext(callee.holds_children, called=callee.resolve, depth=depth))
            if depth < _DEEPEST
            else uses_in(callee.node)
        )
        for own, name in passed:
            self.seen.to_layers |= {own} if name in uses.as_tensor | uses.to_layers else set()
            self.seen.mappings |= {own} if name in uses.mappings else set()
            self.seen.searched |= {own} if name in uses.searched else set()
            self.seen.surely_list |= {own} if name in uses.surely_list else set()
            self.seen.like_list |= {own} if uses.is_list(name) else set()
            self.seen.subscripted |= {own} if uses.may_be_list(name) else set()

    def _look_at_method(self, owner: str, attribute: str, node: ast.Call) -> None:
        args = node.args
        if attribute in _TO_DICT:
            self.seen.mappings.add(owner)
        elif attribute in _TO_LIST:
            self.seen.surely_list.add(owner)
        elif lookup.has_attribute(attribute, "legacy") or lookup.has_attribute(attribute, "np"):
            self.seen.as_tensor.add(owner)
        self.seen.passed.add(owner)
        if owner == "F":
            self.seen.as_tensor |= _names(*args)
            self.seen.passed |= _names(*args)
            spread = _names(*(_whole(arg.value) for arg in args if isinstance(arg, ast.Starred)))
            # Operators combine whole tensors with each other, not with the rows of one.
            joined = any(
                k.arg == "dim" and isinstance(k.value, ast.Constant) and k.value.value == 0 for k in node.keywords
            )
            # People join the rows of a tensor along its first axis; along other axes they join lists of tensors.
            (self.seen.surely_list if _names(*args) else self.seen.as_list if joined else self.seen.like_list).update(
                spread
            )
            self.seen.as_list |= spread
        elif attribute in _OF_ITERTOOLS:
            self.seen.as_list |= _names(*args)

    def _look_at_function(self, name: str, args: list[ast.expr]) -> None:
        if name == "isinstance" and len(args) == 2 and _names_containers(args[1]):
            self.seen.probed |= _names(args[0])
        elif name in _GOES_THROUGH:
            given = _names(*map(_whole, args))
            self.seen.as_list |= given
            if name == "zip" and any(map(self.around.children, args)):
                self.seen.surely_list |= given
            elif name == "zip" and any(map(_is_split, args)):
                # One element for each output of an operator.
                self.seen.like_list |= given
            elif name == "zip" and (len(given) > 1 or any(map(is_of_self, args))):
                # Nobody pairs the rows of two tensors by zip, or those of one with settings.
                self.seen.like_list |= {each for each in given if len(each) > 1}


def _elements(argument: ast.expr, index: ast.expr) -> set[str]:
    """Return the name ``x`` if an argument is ``x[index]``; an empty set otherwise."""
    match argument:
        case ast.Subscript(value=ast.Name(id=name), slice=own) if ast.dump(own) == ast.dump(index):
            return {name}
        case _:
            return set()


def _is_split(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr=name)):
            return lookup.splits(name)
        case _:
            return False


def _measured(test: ast.expr) -> Iterator[str]:
    """Yield the names whose lengths a check compares."""
    for node in walk(test):
        if isinstance(node, ast.Compare):
            for side in (node.left, *node.comparators):
                match side:
                    case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
                        yield name


def _whole(node: ast.expr) -> ast.expr:
    """Return the sliced expression: ``x`` of ``x[1:]``."""
    return node.value if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) else node


def _names_containers(classes: ast.expr) -> bool:
    return any(isinstance(n, ast.Name) and n.id in {"list", "tuple"} for n in walk(classes))


def _names(*nodes: ast.expr) -> set[str]:
    return {n.id for n in nodes if isinstance(n, ast.Name)}
