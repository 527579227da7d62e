"""Fixers of numbers that a block changes from call to call: `forward` computes them, and hands them to the graph.

An override of `forward` runs in Python at each call of a block that is no part of another, compiled or not. There the
numbers may count and anneal; the graph gets them as one more input, an array of one element.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from hybridlint.analysis.dataflow.attributes import stores_of
from hybridlint.analysis.dataflow.scopes import names_in
from hybridlint.analysis.model.events import CodeContext, SideEffect
from hybridlint.analysis.mxnet.blocks.retracing import MODES, PASSED
from hybridlint.fixers.arithmetic.number_flows import given_as_tensors
from hybridlint.fixers.blocks.registered_arguments import entry_of, is_taken
from hybridlint.fixers.evidence.cross_file_uses import user_elsewhere
from hybridlint.fixers.evidence.eager.holders import holders_in
from hybridlint.fixers.evidence.settings import NUMBER_FUNCTIONS, is_setting
from hybridlint.fixers.evidence.tensors import inputs_of
from hybridlint.fixers.toolkit.imports import ndarray_module
from hybridlint.fixers.toolkit.names import class_around, classes_in, parent_of, used_as_list
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.signature_edits import head_of, method_added, rewrite_head, with_parameter
from hybridlint.fixers.toolkit.statements import delete_statement, join_fixes
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text import cst
from hybridlint.text.concrete import statements_at
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import children, each, is_own, is_stored, walk

_UNSAFE = Applicability.UNSAFE
#: Modules of functions of numbers, and of the mode, which `forward` reads anew in each call.
_MODULES = frozenset({"math", "np", "numpy", "autograd"})

#: The fewest arguments of a `hybrid_forward` with an input: itself, `F` and the input.
_FEWEST = 3
#: What may evaluate the expressions in it several times.
_REPEATED = ast.Lambda | ast.comprehension | ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp

_FORWARD = """
def forward(self, {inputs}):
    {moved}
    return super().forward({inputs}, {arrays})
"""

_HANDING = """
def forward(self, {inputs}):
    return super().forward({inputs}, {arrays})
"""


@record(frozen=True, slots=True)
class _Number:
    """An expression in `hybrid_forward` that `forward` computes, and the name of the input that replaces it."""

    node: ast.expr
    name: str
    #: The expressions that read it: itself, or the uses of the name that its statement binds.
    uses: tuple[ast.expr, ...]


def handed_to_graph(event: SideEffect) -> Fix | None:
    """Write ``x * self.rate()`` as ``F.broadcast_mul(x, rate)``; a new `forward` hands the number to the graph.

    What changes the block, such as ``self.calls += 1``, moves to `forward`. None if other blocks may hold such a
    block: their traces would run its `forward` once. None too if numbers and changes depend on tensors, if they are
    not computed in each call in the same order, or if numbers do not end beside tensors.
    """
    owner = class_around(event.frame)
    entry = None if owner is None else entry_of(owner)
    if owner is None or entry is None or event.frame.mode != "legacy" or len(entry.args.args) < _FEWEST:
        return None
    if not _stands_alone(event.frame, owner):
        return None
    frame = replace(event.frame, function=entry, functions=entry.args.args[1].arg, statement=entry.body[0])
    inputs, module = inputs_of(frame), ndarray_module(frame)
    # Only an array tells its device; a list of them has none.
    placed = next((name for name in inputs if not used_as_list(frame, name)), None)
    plain = not (entry.args.defaults or entry.args.vararg or entry.args.kwarg or entry.args.kwonlyargs)
    if placed is None or not plain or module is None or entry.decorator_list:
        return None
    found = _handed(frame, owner, entry)
    if found is None:
        return None
    changes, numbers, written = found
    head = head_of(frame.source, entry)
    for number in numbers:
        head = with_parameter(head, number.name, at=2 + len(inputs) + numbers.index(number))
    message = "Hand to the graph what `forward` computes in each call; an exported graph has it as an input, too"
    gone = [n for n in entry.body if n in changes or any(_binds(n, number) for number in numbers)]
    fix = join_fixes(
        message,
        [
            method_added(frame, owner, _forward(frame, inputs, changes, numbers, (module[0], placed))),
            rewrite_head(frame.source, entry, head, _UNSAFE, message=message),
            *(rewrite(frame, old, new, _UNSAFE) for old, new in written),
            *(delete_statement(frame, statement, _UNSAFE, message=message) for statement in gone),
        ],
    )
    return None if fix is None else replace(fix, imports=module[1])


def _handed(
    frame: CodeContext, owner: ast.ClassDef, entry: ast.FunctionDef
) -> tuple[list[ast.stmt], list[_Number], list[tuple[ast.expr, cst.BaseExpression]]] | None:
    """Return the statements that move, the numbers to hand over, and what to write in their places; None if unclear.

    The graph computes with a number as far as it can; what it has no operators for is computed before.
    """
    for whole in (False, True):
        found = _State(frame, owner, entry).found(whole=whole)
        if found is None or not found[1]:
            return None
        changes, numbers = found
        written = given_as_tensors(frame, {use: number.name for number in numbers for use in number.uses})
        if written is not None:
            return changes, numbers, written
    return None


def _stands_alone(frame: CodeContext, owner: ast.ClassDef) -> bool:
    """Return whether no block or container that is known holds blocks of the class, and it overrides no `PASSED`."""
    reached = holders_in(frame.source).reached(owner)
    others = (one for one in classes_in(frame.source) if one is not owner)
    named = any(name.id == owner.name for one in others for name in each(one, ast.Name))
    if reached is None or len(reached) != 1 or reached[0].sequences or named:
        return False
    methods = {n.name for n in owner.body if isinstance(n, ast.FunctionDef)}
    return methods.isdisjoint(PASSED) and user_elsewhere(frame.source, [owner.name]) is None


class _State:
    """The numbers of a block that its calls change, as its `hybrid_forward` uses them."""

    def __init__(self, frame: CodeContext, owner: ast.ClassDef, entry: ast.FunctionDef) -> None:
        self._frame = frame
        self._entry = entry
        self._methods = {n.name: n for n in owner.body if isinstance(n, ast.FunctionDef) and n.name != "__init__"}
        self._changed = {n.attr for n in self._reached(entry) if is_own(n) and is_stored(n)}

    def found(self, *, whole: bool) -> tuple[list[ast.stmt], list[_Number]] | None:
        """Return the statements that change the block, and the numbers that depend on it; None if any is unclear.

        The numbers are what statements bind to names, and `whole` expressions or just what changes in them.
        """
        changes: list[ast.stmt] = []
        numbers: list[_Number] = []
        for statement in self._entry.body:
            # Python evaluates from left to right, and so does the call that hands the numbers over.
            touched = sorted(filter(self._touches, self._expressions(statement)), key=_position)
            if not touched:
                continue
            if self._is_change(statement):
                changes.append(statement)
                continue
            stores = any(stores_of(statement, name) for name in self._changed)
            if stores or not isinstance(statement, ast.Assign | ast.Return | ast.Expr):
                return None
            for node in dict.fromkeys(self._whole(n, statement, always=whole) for n in touched):
                if not self._is_number(node) or self._runs_inside(node, statement):
                    return None
                if self._is_again(node, numbers, changes):
                    numbers[-1] = replace(numbers[-1], uses=(*numbers[-1].uses, node))
                    continue
                number = self._named(statement, node, [one.name for one in numbers])
                if number is None:
                    return None
                numbers.append(number)
        return changes, numbers

    def _reached(self, function: ast.FunctionDef) -> Iterator[ast.Attribute]:
        """Yield the attributes in a method and in those that it calls, directly or not."""
        seen, pending = {function.name}, [function]
        while pending:
            for node in each(pending.pop(), ast.Attribute):
                yield node
                if is_own(node) and node.attr in self._methods and node.attr not in seen:
                    seen.add(node.attr)
                    pending.append(self._methods[node.attr])

    def _expressions(self, statement: ast.stmt) -> Iterator[ast.expr]:
        """Yield the attributes of the block in a statement, and the calls of its methods in their place."""
        called = {id(call.func): call for call in each(statement, ast.Call)}
        for node in each(statement, ast.Attribute):
            if is_own(node):
                yield called.get(id(node), node) if node.attr in self._methods else node

    def _touches(self, node: ast.expr) -> bool:
        """Return whether an attribute changes from call to call, or a method reads or changes one that does."""
        named = node.func if isinstance(node, ast.Call) else node
        assert isinstance(named, ast.Attribute)
        method = self._methods.get(named.attr)
        if method is None:
            return named.attr in self._changed
        return any(n.attr in self._changed for n in self._reached(method))

    def _is_change(self, statement: ast.stmt) -> bool:
        """Return whether a statement changes the block and needs nothing but numbers for it."""
        match statement:
            case ast.Assign(targets=[ast.Attribute() as target], value=value) if is_own(target):
                return self._is_number(value)
            case ast.AugAssign(target=ast.Attribute() as target, value=value) if is_own(target):
                return self._is_number(value)
            case ast.Expr(value=ast.Call() as call):
                return self._is_number(call)
            case ast.If(test=test, body=body, orelse=orelse):
                return self._is_number(test) and all(map(self._is_change, [*body, *orelse]))
        return False

    def _is_number(self, node: ast.expr, within: frozenset[str] = frozenset()) -> bool:
        """Return whether an expression is computed of numbers of the block alone."""
        parts: list[ast.expr] = []
        match node:
            case ast.Constant():
                known = True
            case ast.Attribute() if is_own(node):
                known = node.attr in self._changed or is_setting(self._frame, node)
            case ast.Call(func=ast.Attribute(attr=name) as function, args=args) if is_own(function):
                parts = [*args, *(keyword.value for keyword in node.keywords)]
                known = self._computes(name, within)
            case ast.Call(func=function, args=args, keywords=[]):
                known, parts = _is_of_numbers(function), args
            case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.BoolOp() | ast.IfExp():
                known, parts = True, [part for part in children(node) if isinstance(part, ast.expr)]
            case ast.Name(id=name):
                known = not self._frame.flow.bindings_of(name) and is_setting(self._frame, node)
            case _:
                known = False
        return known and all(self._is_number(part, within) for part in parts)

    def _computes(self, name: str, within: frozenset[str]) -> bool:
        """Return whether a method computes with numbers alone: it names no tensors, children or operators."""
        method = self._methods.get(name)
        if method is None or name in within or method.decorator_list:
            return False
        own = {argument.arg for argument in method.args.args} | names_in(*method.body).stores.keys()
        for node in walk(method):
            match node:
                case ast.Attribute() if is_own(node) and not is_stored(node):
                    known = node.attr in self._changed or is_setting(self._frame, node)
                    if not known and not self._computes(node.attr, within | {name}):
                        return False
                case ast.Name(id=other):
                    if other not in own | NUMBER_FUNCTIONS | _MODULES:
                        return False
                case ast.Lambda() | ast.FunctionDef() | ast.Yield() | ast.YieldFrom() if node is not method:
                    return False
        return True

    def _whole(self, node: ast.expr, statement: ast.stmt, *, always: bool) -> ast.expr:
        """Return the largest expression around a number that is a number, too, if a name is bound to it or `always`."""
        largest = node
        while isinstance(parent := parent_of(self._frame, largest, self._entry), ast.expr) and self._is_number(parent):
            largest = parent
        named = isinstance(statement, ast.Assign) and statement.value is largest
        return largest if named or always else node

    def _is_again(self, node: ast.expr, numbers: Sequence[_Number], changes: Sequence[ast.stmt]) -> bool:
        """Return whether an expression reads an attribute that the last number read, and that has not changed since."""
        last = numbers[-1] if numbers else None
        same = last is not None and isinstance(node, ast.Attribute) and ast.dump(last.node) == ast.dump(node)
        return same and last is not None and not any(one.lineno > last.node.lineno for one in changes)

    def _runs_inside(self, node: ast.expr, statement: ast.stmt) -> bool:
        """Return whether a number is computed inside of something that may run it never, or several times."""
        parent = parent_of(self._frame, node, self._entry)
        while isinstance(parent, ast.expr | ast.comprehension | ast.keyword):
            if isinstance(parent, _REPEATED | ast.IfExp | ast.BoolOp):
                return True
            parent = parent_of(self._frame, parent, self._entry)
        return parent is not statement

    def _named(self, statement: ast.stmt, node: ast.expr, taken: Sequence[str]) -> _Number | None:
        """Return a number with the name of its input: that which its statement binds, or that of the attribute."""
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is node:
                bound = self._frame.flow.bindings_of(name)
                alone = len(bound) == 1 and name not in taken
                return _Number(node, name, tuple(self._frame.flow.reads_of(name))) if alone else None
        first = next(n for n in each(node, ast.Attribute) if is_own(n))
        stem = first.attr.strip("_")
        names = (stem, *(f"{stem}_{number}" for number in range(2, len(taken) + 3)))
        free = next((name for name in names if name not in taken and not is_taken(self._entry, name)), None)
        return None if free is None else _Number(node, free, (node,))


def _position(node: ast.expr) -> tuple[int, int]:
    """Return where an expression begins."""
    return node.lineno, node.col_offset


def _is_of_numbers(function: ast.expr) -> bool:
    """Return whether a function computes a number of numbers."""
    match function:
        case ast.Name(id=name):
            return name in NUMBER_FUNCTIONS
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            return module in _MODULES and (module != "autograd" or name in MODES)
    return False


def _binds(statement: ast.stmt, number: _Number) -> bool:
    """Return whether a statement only binds the number that `forward` computes now."""
    return isinstance(statement, ast.Assign) and statement.value is number.node and number.node not in number.uses


def _forward(
    frame: CodeContext,
    inputs: Sequence[str],
    changes: Sequence[ast.stmt],
    numbers: Sequence[_Number],
    made_by: tuple[str, str],
) -> cst.FunctionDef:
    """Return the method that computes the numbers in the order of `hybrid_forward`, and hands them on.

    A number needs no name if no statement moves from behind it. `made_by` are the module of arrays, and the input on
    whose device they are.
    """
    arrays, placed = made_by
    assert isinstance(frame.function, ast.FunctionDef)
    body = frame.function.body
    moved: list[cst.BaseStatement] = []
    made: dict[str, cst.BaseExpression] = {}
    moving = [n for n in body if n in changes or any(_binds(n, number) for number in numbers)]
    last = max(map(body.index, moving), default=-1)
    for statement in body:
        if statement in changes:
            moved += statements_at(frame.source, [statement])
        for number in numbers:
            if not any(part is number.node for part in walk(statement)):
                continue
            value = frame.concrete(number.node)
            if number.node not in number.uses:
                moved += statements_at(frame.source, [statement])
                value = cst.Name(number.name)
            elif body.index(statement) < last:
                moved += statements("{name} = {value}", name=number.name, value=value)
                value = cst.Name(number.name)
            made[number.name] = value
    array = "{arrays}.array([{value}], ctx={x}.context)"
    given = [expression(array, arrays=arrays, value=value, x=placed) for value in made.values()]
    (method,) = statements(_FORWARD if moved else _HANDING, inputs=inputs, moved=moved, arrays=given)
    assert isinstance(method, cst.FunctionDef)
    return method
