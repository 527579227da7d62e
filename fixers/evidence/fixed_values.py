"""Expressions of a method that have one value whenever they are computed once the block is built."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from hybridlint.analysis.dataflow.attributes import stores_of
from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.tables import CHANGING, CHANGING_ARRAYS
from hybridlint.analysis.model.values import BlockRef, CapturedArray, Tensor
from hybridlint.fixers.evidence.pure_helpers import PureHelpers
from hybridlint.fixers.toolkit.class_hierarchy import constructor_of, heirs_of, lineage_of
from hybridlint.fixers.toolkit.imports import imported_names
from hybridlint.fixers.toolkit.names import classes_in, dotted_parts
from hybridlint.fixers.toolkit.rewriting import concrete_with
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text import cst
from hybridlint.text.syntax import each, walk

#: Methods that move an array to a device, where a parameter is by itself.
MOVES = frozenset({"as_in_context", "as_in_ctx", "copyto"})
#: What numbers, choices of them and parts of arrays are written with.
_NUMBERS = (
    *(ast.Constant, ast.List, ast.Tuple, ast.UnaryOp, ast.BinOp, ast.Subscript, ast.Slice),
    *(ast.Compare, ast.IfExp, ast.unaryop, ast.operator, ast.cmpop, ast.expr_context),
)
#: Functions of Python that give one value for the same arguments.
_PURE = frozenset(
    {"abs", "enumerate", "float", "int", "len", "list", "max", "min", "range", "reversed", "sum", "tuple", "zip"}
)
#: The longest chain of names that is followed.
_DEEPEST = 8


@record(frozen=True, slots=True)
class FixedValues:
    """Tells the fixed expressions of a method of a class; names in `bound` are those of comprehensions around."""

    frame: CodeContext
    owner: ast.ClassDef
    bound: frozenset[str] = frozenset()
    depth: int = 0

    def hold(self, node: ast.AST) -> bool:
        """Return whether an expression has the same value whenever it is computed once the block is built."""
        match node:
            case ast.Call():
                return self.by_helper(node) or self._hold_call(node)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                held = self.frame.seen.value(node)
                return not isinstance(held, Tensor | CapturedArray | BlockRef) and self._is_setting(name)
            case ast.Attribute(value=ast.Name(id=name)):
                return name in imported_names(self.frame.source)
            case ast.Name(id=name):
                return name in self.bound or _is_constant(self.frame, name) or self.binding(name) is not None
            case ast.ListComp(elt=item, generators=loops) | ast.GeneratorExp(elt=item, generators=loops):
                return self._hold_items(item, loops)
        parts = ast.iter_child_nodes(node)
        return isinstance(node, _NUMBERS) and all(self.hold(part) for part in parts)

    def by_helper(self, node: ast.Call) -> bool:
        """Return whether a call enters a helper that computes the same each time, of fixed values and perhaps of F."""
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        fixed = all((isinstance(p, ast.Name) and p.id == self.frame.functions) or self.hold(p) for p in given)
        return fixed and PureHelpers(self.frame, self._is_setting).enters(node)

    def binding(self, name: str) -> ast.Assign | None:
        """Return the statement that always binds a local name to a fixed value, and alone; None if there is none."""
        function, bindings = self.frame.function, self.frame.flow.bindings_of(name)
        if not isinstance(function, ast.FunctionDef) or len(bindings) != 1 or self.depth > _DEEPEST:
            return None
        made, inner = bindings[0].statement, replace(self, depth=self.depth + 1)
        if not isinstance(made, ast.Assign) or not bindings[0].is_plain or made not in function.body:
            return None
        return made if not _changes(function, name) and inner.hold(made.value) else None

    def bindings(self, node: ast.expr) -> Iterator[ast.Assign]:
        """Yield the statements that bind the local names of a fixed expression, and of what these are bound to."""
        for read in _reads(node):
            made = None if read.id in self.bound or _is_constant(self.frame, read.id) else self.binding(read.id)
            if made is not None:
                yield made
                yield from self.bindings(made.value)

    def written(self, node: ast.expr, functions: cst.BaseExpression | None = None) -> cst.BaseExpression:
        """Return a fixed expression with what its local names are bound to in their places, and `functions` for F."""
        parts: dict[ast.expr, cst.BaseExpression] = {}
        for read in _reads(node):
            if functions is not None and read.id == self.frame.functions:
                parts[read] = functions
                continue
            made = None if _is_constant(self.frame, read.id) else self.binding(read.id)
            if made is not None:
                parts[read] = self.written(made.value)
        return concrete_with(self.frame, node, parts) if parts else self.frame.concrete(node)

    def _hold_call(self, node: ast.Call) -> bool:
        """Whether a call is fixed: a pure function or a method gets only fixed values and draws nothing."""
        path = dotted_parts(node.func) or ("",)
        if isinstance(node.func, ast.Name):
            known = node.func.id in _PURE and not self.frame.flow.rebindings_of(node.func.id)
            return known and all(self.hold(p) for p in (*node.args, *(k.value for k in node.keywords)))
        if not isinstance(node.func, ast.Attribute):
            return False
        name = node.func.attr
        if any(lookup.draws(part) or part == "random" for part in (*path, name)):
            return False
        given = [] if name in MOVES else [*node.args, *(k.value for k in node.keywords if k.arg != "ctx")]
        known = path[0] in imported_names(self.frame.source) | {self.frame.functions}
        return (known or self.hold(node.func.value)) and all(self.hold(p) for p in given)

    def _hold_items(self, item: ast.expr, loops: Sequence[ast.comprehension]) -> bool:
        inner = self
        for loop in loops:
            if not inner.hold(loop.iter):
                return False
            names = {n.id for n in walk(loop.target) if isinstance(n, ast.Name)}
            inner = replace(inner, bound=inner.bound | names)
            if not all(inner.hold(test) for test in loop.ifs):
                return False
        return inner.hold(item)

    def _is_setting(self, name: str) -> bool:
        """Whether only `__init__` of the class stores an attribute of the block in this file."""
        init = constructor_of(self.owner)
        inside = set() if init is None else {id(n) for n in walk(init)}
        related = {id(n) for one in related_to(self.frame, self.owner) for n in walk(one)}
        stores = stores_of(self.frame.source.tree, name)
        own = [n for n in stores if dotted_parts(n.value) != ("self",) or id(n) in related]
        return bool(own) and all(id(n) in inside for n in own)


def related_to(frame: CodeContext, owner: ast.ClassDef) -> list[ast.ClassDef]:
    """Return the classes of the file that a class derives from, and those that derive from it, with itself."""
    classes = classes_in(frame.source)
    return [*lineage_of(owner, classes), *heirs_of(owner, classes)]


def _reads(node: ast.expr) -> list[ast.Name]:
    return [n for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]


def _changes(function: ast.FunctionDef, name: str) -> bool:
    """Whether a function changes what a name holds, by this or another name: items, attributes, or by a method."""
    plain = [n for n in each(function, ast.Assign) if isinstance(n.value, ast.Name) and n.value.id == name]
    names = {name, *(target.id for n in plain for target in n.targets if isinstance(target, ast.Name))}
    stores = (n for n in walk(function) if isinstance(n, ast.Subscript | ast.Attribute))
    places = (n for n in stores if not isinstance(n.ctx, ast.Load))
    called = (n.func for n in each(function, ast.Call) if isinstance(n.func, ast.Attribute))
    methods = (f.value for f in called if f.attr in CHANGING | CHANGING_ARRAYS)
    return any(_root(n) in names for n in (*places, *methods))


def _root(node: ast.expr) -> str | None:
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _is_constant(frame: CodeContext, name: str) -> bool:
    """Whether a name is bound once in the file, by the module."""
    stores = [n for n in each(frame.source.tree, ast.Name) if n.id == name and not isinstance(n.ctx, ast.Load)]
    bound = (n for n in frame.source.tree.body if isinstance(n, ast.Assign) and n.targets == stores)
    given = any(n.arg == name for n in each(frame.source.tree, ast.arg))
    return len(stores) == 1 and not given and any(bound)
