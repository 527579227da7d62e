"""Sizes of axes as quotients of named factors, and the axes of a function's tensors as its code shows them."""

from __future__ import annotations

import ast
import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from hybridlint.analysis.model.events import Frame
from hybridlint.analysis.model.values import Block, Static, Tensor, Unknown
from hybridlint.analysis.mxnet.bundled import layer_of
from hybridlint.fixers.evidence.numbers_kept import keeps_number
from hybridlint.fixers.evidence.shape_guesses import keeps_shape
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.toolkit.names import dotted
from hybridlint.runtime.facts import lookup, properties
from hybridlint.runtime.facts.dims import Dim, DimLike
from hybridlint.runtime.facts.records import record, replace
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.facts.types import TensorType
from hybridlint.text.syntax import walk

#: The leading axes that are distinguished in a tensor of unknown rank.
_LEADING = 8

#: The longest chain of expressions that is followed.
_DEEPEST = 30


@record(frozen=True, slots=True)
class Extent:
    """The size of an axis as a product of factors divided by a product of others.

    A factor is written as a text: the size of an axis (``x[0]``), a setting (``self.heads``), or a prime number.
    """

    factors: tuple[str, ...]
    divisors: tuple[str, ...] = ()

    @property
    def sized(self) -> bool:
        """Whether the size of an axis is among the factors or divisors."""
        return any("[" in factor for factor in (*self.factors, *self.divisors))

    def __mul__(self, other: Extent) -> Extent:
        return _quotient((*self.factors, *other.factors), (*self.divisors, *other.divisors))

    def __floordiv__(self, other: Extent) -> Extent:
        return _quotient((*self.factors, *other.divisors), (*self.divisors, *other.factors))


def _of_number(number: int) -> Extent:
    """Return a number as the product of its prime factors, so that ``2 * 2`` is 4."""
    factors: list[str] = []
    prime = 2
    while number > 1:
        while number % prime == 0:
            factors.append(str(prime))
            number //= prime
        prime = prime + 1 if prime * prime <= number else number
    return Extent(tuple(sorted(factors)))


def _quotient(factors: Iterable[str], divisors: Iterable[str]) -> Extent:
    """Return the quotient of two products, with common factors cancelled."""
    above, below = Counter(factors), Counter(divisors)
    common = above & below
    return Extent(tuple(sorted((above - common).elements())), tuple(sorted((below - common).elements())))


@record(frozen=True, slots=True)
class Axes:
    """The sizes of the leading axes of a tensor; `whole` says that these are all of its axes."""

    sizes: tuple[Extent, ...]
    whole: bool
    #: The size of the last axis.
    last: Extent | None = None


@record(frozen=True, slots=True)
class Extents:
    """Reads the sizes and axes that the code of a function shows.

    With `guess`, child blocks are assumed to keep the first axis of their input.
    """

    frame: Frame
    guess: bool = False
    depth: int = 0

    @property
    def _deeper(self) -> Extents:
        return replace(self, depth=self.depth + 1)

    def size(self, node: ast.expr) -> Extent | None:
        """Return the size that an expression reads or computes; None for anything else, such as -1."""
        number = literal(node)
        if number is not None:
            return _of_number(number) if number > 0 else None
        match node:
            case ast.Subscript(value=ast.Attribute(value=ast.Name() as tensor, attr="shape"), slice=index):
                found = _axis(self.axes(tensor), literal(index))
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name() as tensor]):
                found = _axis(self.axes(tensor), 0)
            case ast.BinOp(op=ast.Mult() | ast.FloorDiv()):
                found = self._product(node)
            case ast.Name(id=name):
                found = self._named(name)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                held = isinstance(self.frame.seen.value(node), Tensor) or _sets(self.frame, name)
                found = None if held else Extent((f"self.{name}",))
            case _:
                found = None
        return found

    def _product(self, node: ast.BinOp) -> Extent | None:
        left, right = self.size(node.left), self.size(node.right)
        if left is None or right is None:
            return None
        return left * right if isinstance(node.op, ast.Mult) else left // right

    def _named(self, name: str) -> Extent | None:
        """Return the size that a name is bound to by its only assignment, or the name as a factor if it has none."""
        stores = stores_of(self.frame, name)
        if self.depth > _DEEPEST or len(stores) > 1:
            return None
        if not stores:
            return Extent((name,))
        made = (n for n in walk(self.frame.function or ast.Pass()) if isinstance(n, ast.Assign) and len(n.targets) == 1)
        statement = next((n for n in made if stores[0] in _targets(n)), None)
        return None if statement is None else self._deeper._assigned(stores[0], statement)

    def _assigned(self, store: ast.Name, statement: ast.Assign) -> Extent | None:
        match statement.targets[0], statement.value:
            case ast.Name(), value:
                return self.size(value)
            case ast.Tuple(elts=names) | ast.List(elts=names), ast.Tuple(elts=values) if len(names) == len(values):
                return self.size(values[names.index(store)])
            case ast.Tuple(elts=names) | ast.List(elts=names), value:
                read = shape_read(value)
                if read is not None and all(isinstance(n, ast.Name) for n in names):
                    return _axis(self.axes(read[0]), read[1] + names.index(store))
        return None

    def axes(self, node: ast.expr) -> Axes | None:
        """Return the axes of a tensor, as the code of the function shows them."""
        found = None
        match node:
            case _ if self.depth > _DEEPEST:
                pass
            case ast.Name():
                found = self._tensor(node)
            case (
                ast.UnaryOp(operand=inner)
                | ast.BinOp(left=inner, right=ast.Constant())
                | ast.BinOp(left=ast.Constant(), right=inner)
            ):
                found = self._deeper.axes(inner)
            case ast.BinOp(left=left, right=right) if self._is_number(left) or self._is_number(right):
                found = self._deeper.axes(right if self._is_number(left) else left)
            case ast.Subscript(value=inner) if literal(node.slice) is not None:
                whole = self._deeper.axes(inner)
                found = None if whole is None else Axes(whole.sizes[1:], whole.whole, whole.last)
            case ast.Call(func=ast.Attribute()):
                found = self._deeper._call(node)
        return found

    def _is_number(self, node: ast.expr) -> bool:
        """Whether an operand is a number: it is known to be a setting, or by guess an attribute of no known kind."""
        held = self.frame.seen.value(node)
        if not isinstance(held, Unknown):
            return isinstance(held, Static)
        guessed = self.guess and isinstance(node, ast.Attribute) and (dotted(node) or ("",))[0] == "self"
        return guessed or keeps_number(self.frame, node)

    def _tensor(self, node: ast.Name) -> Axes:
        """Return the axes of a named tensor: those of the value last bound to it, or else new names."""
        stores = stores_of(self.frame, node.id)
        plain = [s for s in self._straight(node, stores) if any(part in stores for part in _targets(s))]
        if sum(part in stores for s in plain for part in _targets(s)) != len(stores):
            # A loop or branch binds the name too: only reads on one line surely read the same tensor.
            return self._own(node, f"{node.id}@?{node.lineno}", None)
        above = [s for s in plain if (s.end_lineno or s.lineno) < node.lineno]
        if not above:
            return self._own(node, node.id, None)
        last = above[-1]
        made = _value_for(last, stores)
        found = None if made is None else self._deeper.axes(made)
        return self._own(node, f"{node.id}@{last.lineno}", found)

    def _own(self, node: ast.Name, version: str, found: Axes | None) -> Axes:
        """Return the axes in `found`, with a new factor such as ``x@12[1]`` for each axis that it lacks.

        `version` tells apart the tensors that a name is bound to on different lines.
        """
        if found is not None and found.whole:
            return found
        held = self.frame.seen.value(node)
        rank = held.type.rank if isinstance(held, Tensor) else None
        if rank is None and "?" not in version:
            rank = self._unpacked(node)
        own = [Extent((f"{version}[{axis}]",)) for axis in range(_LEADING if rank is None else rank)]
        known = () if found is None else found.sizes
        sizes = (*known, *own[len(known) :])
        last = Extent((f"{version}[-1]",)) if rank is None else sizes[-1] if sizes else None
        return Axes(sizes, rank is not None, (None if found is None else found.last) or last)

    def _straight(self, node: ast.Name, stores: Sequence[ast.Name]) -> Sequence[ast.stmt]:
        """Return the statements of the branch that reads a name and binds it alone; else those of the function."""
        function = self.frame.function or ast.Pass()
        whole: list[ast.stmt] = getattr(function, "body", [])
        for branch in (n for n in whole if stores and isinstance(n, ast.If)):
            for block in (branch.body, branch.orelse):
                inside = {id(n) for statement in block for n in walk(statement)}
                if id(node) in inside and all(id(store) in inside for store in stores):
                    return block
        return whole

    def _unpacked(self, node: ast.Name) -> int | None:
        """Return the rank that ``b, t, c = x.shape`` shows for the same `x`; None without such a statement."""
        for made in walk(self.frame.function or ast.Pass()):
            match made:
                case ast.Assign(
                    targets=[ast.Tuple(elts=names) | ast.List(elts=names)],
                    value=ast.Attribute(value=ast.Name(id=name), attr="shape"),
                ) if name == node.id and not any(isinstance(n, ast.Starred) for n in names):
                    first, last = sorted([made.lineno, node.lineno])
                    if not any(first <= s.lineno < last for s in stores_of(self.frame, name)):
                        return len(names)
        return None

    def _call(self, node: ast.Call) -> Axes | None:
        """Return the axes of the result of a child block, a function of F or a method."""
        assert isinstance(node.func, ast.Attribute)
        path, name = dotted(node.func) or ("",), node.func.attr
        if path[0] == "self":
            return self._child(node) if len(path) == 2 and node.args else None
        given = node.args if path[0] == self.frame.functions else [node.func.value, *node.args]
        data = self.axes(given[0]) if given else None
        operator = lookup.of_tensors(name) or lookup.function(path[1:-1], name)
        if data is None or operator is None:
            return None
        if operator is lookup.method("reshape"):
            return self._reshaped(node, data, given[1:])
        if operator in {lookup.function((), "batch_dot"), lookup.function(("np",), "matmul")}:
            batches = operator is lookup.function((), "batch_dot")
            return (self._multiplied if batches else self._matrices)(node, data, given[1:])
        if operator is lookup.method("transpose") and len(given) > 2:
            # Methods of numpy mode take several numbers.
            return _by_rule(operator, node, data, [ast.Tuple(given[1:], ast.Load())])
        return data if keeps_shape(name) else _by_rule(operator, node, data, given[1:])

    def _child(self, node: ast.Call) -> Axes | None:
        """Return the axes of the result of a child: of one of Gluon's layers by its rule, of any other by guess."""
        data, block = self.axes(node.args[0]), self.frame.seen.value(node.func)
        layer = layer_of(block) if isinstance(block, Block) and not block.alternatives else None
        if data is not None and data.whole and layer is not None and layer.inputs == 1 and len(node.args) == 1:
            names_of = {f"axis {place}": size for place, size in enumerate(data.sizes)}
            shape = layer.type_of(TensorType(tuple(map(Dim.named, names_of)))).shape
            if shape is not None:
                sizes = [_size_of(dim, names_of) for dim in shape]
                text = f"{ast.unparse(node.func)}@{node.lineno}:{node.col_offset}"
                return Axes(tuple(n or Extent((f"{text}[{k}]",)) for k, n in enumerate(sizes)), whole=True)
        return None if data is None or not self.guess else Axes(data.sizes[:1], whole=False)

    def _multiplied(self, node: ast.Call, left: Axes, rest: list[ast.expr]) -> Axes | None:
        """Return the axes of the result of ``batch_dot``."""
        right = self.axes(rest[0]) if rest else None
        if right is None or len(rest) > 1 or min(len(left.sizes), len(right.sizes)) < 3:
            return None
        flags = {k.arg: k.value.value if isinstance(k.value, ast.Constant) else None for k in node.keywords}
        if None in flags.values():
            return None
        row = left.sizes[2 if flags.get("transpose_a") else 1]
        return Axes((left.sizes[0], row, right.sizes[1 if flags.get("transpose_b") else 2]), whole=True)

    def _matrices(self, _: ast.Call, left: Axes, rest: list[ast.expr]) -> Axes | None:
        """Return the axes of the result of ``matmul``, if the axes before the matrices' own are alike."""
        right = self.axes(rest[0]) if len(rest) == 1 else None
        alike = right is not None and left.whole and right.whole and left.sizes[:-2] == right.sizes[:-2]
        return Axes((*left.sizes[:-1], right.sizes[-1]), whole=True) if right is not None and alike else None

    def _reshaped(self, node: ast.Call, data: Axes, rest: list[ast.expr]) -> Axes | None:
        """Return the axes of the result of a reshape, whose target consists of sizes and codes such as 0 and -1."""
        named = [k.value for k in node.keywords if k.arg in {"shape", "newshape"}]
        if len(named) < len(node.keywords):
            return None
        shape = rest or named
        if len(shape) == 1 and isinstance(shape[0], ast.Tuple | ast.List):
            shape = list(shape[0].elts)
        copy, merge = (-2, -5) if (dotted(node.func) or ("",))[1:2] == ("npx",) else (0, -3)
        sizes: list[Extent] = []
        place, unknown = 0, None
        for size in shape:
            number, here = literal(size), data.sizes[place : place + 2]
            if number == -1:
                unknown = len(sizes)
                sizes.append(Extent((f"?{size.lineno}:{size.col_offset}[]",)))
            elif number == merge and len(here) == 2:
                sizes.append(here[0] * here[1])
                place += 1
            else:
                known = here[0] if number == copy and here else self.size(size)
                if known is None:
                    return Axes(tuple(sizes), whole=False)
                sizes.append(known)
            place += 1
        if unknown is not None and data.whole:
            sizes[unknown] = product(data.sizes) // product([*sizes[:unknown], *sizes[unknown + 1 :]])
        return Axes(tuple(sizes), whole=True)


def shape_read(value: ast.expr) -> tuple[ast.Name, int] | None:
    """Return the tensor and the first axis of ``x.shape`` (axis 0) or ``x.shape[1:]`` (axis 1); None otherwise."""
    match value:
        case ast.Attribute(value=ast.Name() as tensor, attr="shape"):
            return tensor, 0
        case ast.Subscript(value=ast.Attribute(value=ast.Name() as tensor, attr="shape"), slice=ast.Slice() as key):
            first = 0 if key.lower is None else literal(key.lower)
            return (tensor, first) if key.step is None and first is not None and first >= 0 else None
    return None


def stores_of(frame: Frame, name: str) -> list[ast.Name]:
    """Return the name nodes in which the function binds a name."""
    nodes = (n for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.Name))
    return [n for n in nodes if n.id == name and not isinstance(n.ctx, ast.Load)]


def _value_for(statement: ast.stmt, stores: Sequence[ast.expr]) -> ast.expr | None:
    """Return the value that an assignment binds to one of its targets, if that value stands in the code by itself."""
    match statement:
        case ast.Assign(targets=[ast.Name(), *_], value=value):
            return value
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
            return next((value for name, value in zip(names, values, strict=True) if name in stores), None)
    return None


def _axis(axes: Axes | None, place: int | None) -> Extent | None:
    if axes is None or place is None or (place < 0 and not axes.whole):
        return axes.last if axes is not None and place == -1 else None
    return axes.sizes[place] if -len(axes.sizes) <= place < len(axes.sizes) else None


def _sets(frame: Frame, attribute: str) -> bool:
    nodes = (n for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.Attribute))
    return any(n.attr == attribute and not isinstance(n.ctx, ast.Load) for n in nodes)


def _targets(statement: ast.stmt) -> list[ast.expr]:
    """Return the targets of an assignment, with those inside tuples."""
    match statement:
        case ast.Assign(targets=targets):
            groups = [t.elts if isinstance(t, ast.Tuple | ast.List) else [t] for t in targets]
            return [part for group in groups for part in group]
        case ast.AugAssign(target=target):
            return [target]
    return []


def _by_rule(operator: Operator, node: ast.Call, data: Axes, rest: list[ast.expr]) -> Axes | None:
    """Return the axes of an operator's output by its shape rule; None unless its parameters are literals."""
    names = [*operator.inputs[1:], *operator.params]
    given = {**dict(zip(names, rest, strict=False)), **{k.arg or "": k.value for k in node.keywords}}
    if not data.whole or len(rest) > len(names) or any(name not in operator.params for name in given):
        return None
    try:
        read = {name: ast.literal_eval(value) for name, value in given.items()}
    except ValueError:
        return None
    one = {n: (v,) for n, v in read.items() if isinstance(v, int) and operator.params[n].annotation == "Ints"}
    params = {**operator.defaults(), **read, **one}
    names_of = {f"axis {place}": size for place, size in enumerate(data.sizes)}
    found = properties.first_output(operator, (TensorType(tuple(map(Dim.named, names_of)), "float32"),), params)
    if found is None or found.shape is None:
        return None
    sizes = [_size_of(dim, names_of) for dim in found.shape]
    known = list(itertools.takewhile(lambda size: size is not None, sizes))
    return Axes(tuple(size for size in known if size is not None), whole=len(known) == len(sizes))


def _size_of(dim: DimLike, names: Mapping[str, Extent]) -> Extent | None:
    """Return an output's size in terms of the input's sizes; None if it is not a product of them."""
    if isinstance(dim, int):
        return _of_number(dim)
    if len(dim.terms) != 1 or any(name not in names for name in dim.terms[0][0]):
        return None
    size = _of_number(dim.terms[0][1])
    for name in dim.terms[0][0]:
        size = size * names[name]
    return size


def product(sizes: Iterable[Extent]) -> Extent:
    """Return the product of some sizes."""
    size = Extent(())
    for part in sizes:
        size = size * part
    return size
