"""Sizes that a constructor computes from its arguments: settings of the block, and what its layers are made with.

With ``self.dim = units // heads`` and ``self.query = nn.Dense(units)``, the last axis of a query is heads times `dim`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.dataflow.attributes import stores_of
from hybridlint.analysis.dataflow.function_flow import flow_of
from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import BlockRef, StaticValue
from hybridlint.analysis.mxnet.blocks.runtime_layers import layer_of
from hybridlint.fixers.evidence.sizes.axis_size import AxisSize, of_number
from hybridlint.fixers.evidence.sizes.prime_marks import PrimeMarks
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.toolkit.class_hierarchy import constructor_of, heirs_of, lineage_of
from hybridlint.fixers.toolkit.names import class_around
from hybridlint.runtime.facts.abstract.layers import Layer
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.parameters import names_of
from hybridlint.text.syntax import each, is_own, walk

#: The longest chain of settings that is followed.
_DEEPEST = 8


@record(frozen=True, slots=True)
class Marked:
    """A layer whose unknown arguments are marks."""

    layer: Layer
    marks: PrimeMarks


def kept_size(frame: CodeContext, name: str) -> AxisSize | None:
    """Return the size that the constructor alone stores as ``self.name``, in its arguments; None if it is not known."""
    constructor = _constructor(frame)
    return None if constructor is None else constructor.kept(name)


def marked_layer(frame: CodeContext, block: BlockRef) -> Marked | None:
    """Return the known facts of a layer whose sizes are constructor arguments; None for other layers."""
    constructor = _constructor(frame)
    made = block.creation
    if constructor is None or not isinstance(made, ast.Call) or block.info is not None or block.alternatives:
        return None
    if not any(node is made for node in walk(constructor.function)):
        return None
    given = {
        **{str(place): node for place, node in enumerate(made.args)},
        **{str(k.arg): k.value for k in made.keywords},
    }
    marks = PrimeMarks()
    arguments = dict(block.arguments)
    for name in given.keys() & arguments.keys():
        size = None if literal(given[name]) is not None else constructor.size(given[name])
        mark = None if size is None else marks.mark(size)
        if mark is not None:
            arguments[name] = StaticValue(mark)
    layer = layer_of(replace(block, arguments=arguments)) if marks.sizes else None
    return None if layer is None else Marked(layer, marks)


def _constructor(frame: CodeContext) -> _Constructor | None:
    owner = class_around(frame)
    function = None if owner is None else constructor_of(owner)
    return None if owner is None or function is None else _Constructor(frame.source.tree, owner.name, function)


@record(frozen=True, slots=True)
class _Constructor:
    """The constructor of a class, in the tree of its file."""

    tree: ast.Module
    owner: str
    function: ast.FunctionDef
    depth: int = 0

    def kept(self, name: str) -> AxisSize | None:
        """Return the size that an attribute keeps, which nothing else stores."""
        stores = stores_of(self.tree, name)
        others = {id(n) for n in self._of_other_objects()} if stores else set()
        stores = [n for n in stores if id(n) not in others]
        made = self._value(stores[0]) if len(stores) == 1 else None
        return None if made is None or self.depth > _DEEPEST else replace(self, depth=self.depth + 1).size(made)

    def _of_other_objects(self) -> Iterator[ast.AST]:
        """Yield the attributes of self in classes of the file that share no object with this one by inheritance."""
        classes = each(self.tree, ast.ClassDef)
        owner = next(one for one in classes if self.function in one.body)
        related = {one.name for heir in heirs_of(owner, classes) for one in lineage_of(heir, classes)}
        for one in classes:
            if one.name not in related:
                yield from filter(is_own, each(one, ast.Attribute))

    def size(self, node: ast.expr) -> AxisSize | None:
        """Return the size that an expression of the constructor computes from its arguments; None for any other."""
        number = literal(node)
        if number is not None:
            return of_number(number) if number > 0 else None
        match node:
            case ast.Name(id=name):
                return self._named(name)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                return self.kept(name)
            case ast.BinOp(left=left, op=ast.Mult() | ast.FloorDiv(), right=right):
                divides = isinstance(node.op, ast.FloorDiv)
            case ast.Call(func=ast.Name(id="int"), args=[ast.BinOp(left=left, op=ast.Div(), right=right)], keywords=[]):
                divides = True
            case _:
                return None
        first, second = self.size(left), self.size(right)
        if first is None or second is None:
            return None
        return first // second if divides else first * second

    def _named(self, name: str) -> AxisSize | None:
        """Return the size of an argument, or of a name that is bound once."""
        bindings = flow_of(self.function).bindings_of(name)
        if name in names_of(self.function.args):
            return None if len(bindings) > 1 else AxisSize((f"self.{self.owner}.{name}",))
        made = bindings[0].value if len(bindings) == 1 else None
        return None if made is None or self.depth > _DEEPEST else replace(self, depth=self.depth + 1).size(made)

    def _value(self, store: ast.expr) -> ast.expr | None:
        """Return the value that a plain assignment of the constructor binds to this target."""
        for node in walk(self.function):
            match node:
                case ast.Assign(targets=[target], value=value) if target is store:
                    return value
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if store in names:
                    return values[names.index(store)] if len(names) == len(values) else None
                case _:
                    pass
        return None
