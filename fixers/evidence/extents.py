"""The axes of a function's tensors, and sizes computed from them, as its code shows them."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import partial

from hybridlint.analysis.model.events import Frame
from hybridlint.analysis.model.values import Block, Static, Tensor, Unknown
from hybridlint.analysis.mxnet.bundled import layer_of
from hybridlint.analysis.mxnet.classes import CALLED_BY_BLOCKS
from hybridlint.fixers.evidence.batches import shares_batch
from hybridlint.fixers.evidence.constructor_sizes import kept_size, marked
from hybridlint.fixers.evidence.extent import Axes, Extent, axis_of, of_number, product
from hybridlint.fixers.evidence.helper_calls import HelperCall, helper_call
from hybridlint.fixers.evidence.helper_uses import uses_of
from hybridlint.fixers.evidence.helpers import is_private
from hybridlint.fixers.evidence.numbers_kept import keeps_number
from hybridlint.fixers.evidence.returned_sizes import ReturnedSizes
from hybridlint.fixers.evidence.rule_axes import LEADING, of_one, output_of, passed, rank_before
from hybridlint.fixers.evidence.shown_ranks import least_rank, likely_rank, stores_of, unpacked_rank, values_of
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.toolkit.names import dotted
from hybridlint.runtime.facts import lookup, properties
from hybridlint.runtime.facts.records import record, replace
from hybridlint.runtime.facts.registry import Operator
from hybridlint.text.syntax import reads, walk

#: The size of a batch that several inputs share.
_BATCH = Extent(("batch[0]",))

#: The longest chain of names that is searched for reads of sizes: each may have several values.
_MOST_NAMES = 3

#: The longest chain of expressions that is followed.
_DEEPEST = 30


@record(frozen=True, slots=True)
class Extents:
    """Reads the sizes and axes that the code of a function shows.

    With `guess`, child blocks are assumed to keep the first axis of their input, operators to get as few axes as they
    take, and inputs of a loss to have one batch.
    """

    frame: Frame
    guess: bool = False
    depth: int = 0
    #: The ranks of parameters that the caller of a helper knows.
    ranks: Mapping[str, int] = field(default_factory=dict)

    @property
    def _deeper(self) -> Extents:
        return replace(self, depth=self.depth + 1)

    def size(self, node: ast.expr) -> Extent | None:
        """Return the size that an expression reads or computes; None for anything else, such as -1."""
        number = literal(node)
        if number is not None:
            return of_number(number) if number > 0 else None
        match node:
            case ast.Subscript(value=ast.Attribute(value=ast.Name() as tensor, attr="shape"), slice=index):
                found = axis_of(self.axes(tensor), literal(index))
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name() as tensor]):
                found = axis_of(self.axes(tensor), 0)
            case ast.Subscript(
                value=ast.Attribute(value=ast.Attribute(value=ast.Name(id="self"), attr=name), attr="shape"),
                slice=index,
            ) if name in _arguments(self.frame):
                # A parameter is the argument of its name.
                axis = literal(index)
                found = None if axis is None else Extent((f"{name}[{axis}]",))
            case ast.BinOp(op=ast.Mult() | ast.FloorDiv()):
                found = self._product(node)
            case ast.Call(func=ast.Name(id="int"), args=[ast.BinOp(op=ast.Div()) as quotient], keywords=[]):
                found = self._product(quotient)
            case ast.Name(id=name):
                found = self._named(name)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                held = isinstance(self.frame.seen.value(node), Tensor) or _sets(self.frame, name)
                found = None if held else kept_size(self.frame, name) or Extent((f"self.{name}",))
            case _:
                found = None
        return found

    def reads_tensor(self, node: ast.expr) -> bool:
        """Return whether an expression reads a size of a tensor, by itself or by names that the function binds."""
        for part in walk(node):
            match part:
                case ast.Attribute(attr="shape") | ast.Call(func=ast.Name(id="len")):
                    return True
                case ast.Name(id=name) if self.depth < _MOST_NAMES and any(
                    self._deeper.reads_tensor(value) for value in values_of(self.frame, name)
                ):
                    return True
                case _:
                    pass
        return False

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
                    return axis_of(self.axes(read[0]), read[1] + names.index(store))
        return None

    def axes(self, node: ast.expr, rank: int | None = None) -> Axes | None:
        """Return the axes of a tensor, as the code of the function shows them; other code may show its `rank`."""
        found = None
        match node:
            case _ if self.depth > _DEEPEST:
                pass
            case ast.Name():
                found = self._tensor(node, rank)
            case (
                ast.UnaryOp(operand=inner)
                | ast.BinOp(left=inner, right=ast.Constant())
                | ast.BinOp(left=ast.Constant(), right=inner)
            ):
                found = self._deeper.axes(inner, rank)
            case ast.BinOp(left=left, right=right) if self._is_number(left) or self._is_number(right):
                found = self._deeper.axes(right if self._is_number(left) else left, rank)
            case ast.BinOp(left=left, right=right):
                found = self._deeper._of_two(left, right)
            case ast.Subscript(value=inner) if literal(node.slice) is not None:
                whole = self._deeper.axes(inner)
                found = None if whole is None else Axes(whole.sizes[1:], whole.whole, whole.last)
            case ast.Call():
                helper = helper_call(self.frame, node)
                found = self._deeper._call(node, rank) if helper is None else self._deeper._helped(node, helper)
        return found

    def _is_number(self, node: ast.expr) -> bool:
        """Whether an operand is a number: it is known to be a setting, or by guess an attribute of no known kind."""
        held = self.frame.seen.value(node)
        if not isinstance(held, Unknown):
            return isinstance(held, Static)
        guessed = self.guess and isinstance(node, ast.Attribute) and (dotted(node) or ("",))[0] == "self"
        return guessed or keeps_number(self.frame, node)

    def _tensor(self, node: ast.Name, rank: int | None) -> Axes:
        """Return the axes of a named tensor: those of the value last bound to it, or else new names."""
        stores = stores_of(self.frame, node.id)
        plain = [s for s in self._straight(node, stores) if any(part in stores for part in _targets(s))]
        if sum(part in stores for s in plain for part in _targets(s)) != len(stores):
            # A loop or branch binds the name too: only reads on one line surely read the same tensor.
            return self._own(node, f"{node.id}@?{node.lineno}", None, rank)
        above = [s for s in plain if (s.end_lineno or s.lineno) < node.lineno]
        if not above:
            return self._own(node, node.id, None, rank)
        last = above[-1]
        made = _value_for(last, stores)
        found = None if made is None else self._deeper.axes(made, rank)
        return self._own(node, f"{node.id}@{last.lineno}", found, rank)

    def _own(self, node: ast.Name, version: str, found: Axes | None, shown: int | None) -> Axes:
        """Return the axes in `found`, with a new factor such as ``x@12[1]`` for each axis that it lacks.

        `version` tells apart the tensors that a name is bound to on different lines.
        """
        if found is not None and found.whole:
            return found
        held = self.frame.seen.value(node)
        rank = held.type.rank if isinstance(held, Tensor) else None
        if rank is None and "?" not in version:
            rank = unpacked_rank(self.frame, node) or shown or self._rank_given(node, version)
        own = [Extent((f"{version}[{axis}]",)) for axis in range(LEADING if rank is None else rank)]
        if self.guess and own and version == node.id and shares_batch(self.frame, node.id):
            own[0] = _BATCH
        known = () if found is None else found.sizes
        sizes = (*known, *own[len(known) :])
        last = Extent((f"{version}[-1]",)) if rank is None else sizes[-1] if sizes else None
        return Axes(sizes, rank is not None, (None if found is None else found.last) or last)

    def _rank_given(self, node: ast.Name, version: str) -> int | None:
        """Return the rank that the caller of a helper knows, or that operators which take the tensor let guess."""
        known = self.ranks.get(node.id) if version == node.id else None
        if known is None and version == node.id:
            known = self._rank_at_calls(node.id)
        return likely_rank(self.frame, node) if known is None and self.guess else known

    def _rank_at_calls(self, name: str) -> int | None:
        """Return the rank that all calls of a helper in its file give a parameter; others may call a public one."""
        helper = self.frame.function
        parameter = isinstance(helper, ast.FunctionDef) and any(each.arg == name for each in helper.args.args)
        if not isinstance(helper, ast.FunctionDef) or not parameter or helper.name in CALLED_BY_BLOCKS:
            return None
        if self.depth > _DEEPEST // 2 or not (self.guess or is_private(helper)):
            return None
        ranks: set[int | None] = set()
        for use in uses_of(self.frame, helper):
            reader = replace(self, frame=use.frame, depth=self.depth + _DEEPEST // 2, ranks={})
            axes = reader.axes(use.given[name]) if name in use.given else None
            ranks.add(len(axes.sizes) if axes is not None and axes.whole else None)
        return ranks.pop() if len(ranks) == 1 else None

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

    def _helped(self, node: ast.Call, helper: HelperCall) -> Axes | None:
        """Return the axes of what a helper of the file returns."""
        frame = helper.entered(self.frame)
        arguments: dict[str, Axes] = {}
        for name, argument in helper.given.items():
            read = next(reads(helper.function, name), None)
            axes = None if read is None else self.axes(argument, unpacked_rank(frame, read))
            if axes is not None:
                arguments[name] = axes
        ranks = {name: len(axes.sizes) for name, axes in arguments.items() if axes.whole}
        found = replace(self, frame=frame, ranks=ranks).axes(helper.returned)
        return None if found is None else ReturnedSizes(node, helper, arguments, self.size).translated(found)

    def _call(self, node: ast.Call, rank: int | None) -> Axes | None:
        """Return the axes of the result of a child block, a function of F or a method."""
        if not isinstance(node.func, ast.Attribute):
            return None
        path, name = dotted(node.func) or ("",), node.func.attr
        if path[0] == "self":
            return self._child(node, rank) if len(path) == 2 and node.args else None
        function = path[0] == self.frame.functions
        if function and lookup.of_numbers(name) is not None and len(node.args) == 2:
            return self.axes(ast.copy_location(ast.BinOp(node.args[0], ast.Add(), node.args[1]), node), rank)
        if function and (lookup.takes_count(name) or lookup.takes_stop(name)):
            return self._counted(node)
        given = node.args if function else [node.func.value, *node.args]
        operator = lookup.of_tensors(name) or lookup.function(path[1:-1], name)
        return None if operator is None or not given else self._operator(operator, node, given, rank)

    def _counted(self, node: ast.Call) -> Axes | None:
        """Return the axis of a row of numbers whose count is given: ``arange(n)``, ``linspace(0, 1, n)``."""
        assert isinstance(node.func, ast.Attribute)
        if len(node.args) != (3 if lookup.takes_count(node.func.attr) else 1):
            return None
        size = self.size(node.args[-1])
        return None if size is None else Axes((size,), whole=True)

    def _operator(self, operator: Operator, node: ast.Call, given: list[ast.expr], rank: int | None) -> Axes | None:
        """Return the axes of the result of an operator, whose data and other arguments are `given`."""
        if operator is lookup.method("reshape"):
            data = self.axes(given[0])
            return None if data is None else self._reshaped(node, data, given[1:])
        if operator is lookup.method("broadcast_to"):
            shape = _shape_of(node, given)
            sizes = [self.size(each) for each in shape]
            return None if None in sizes or not sizes else Axes(tuple(s for s in sizes if s is not None), whole=True)
        if operator is lookup.function(("contrib",), "arange_like"):
            axis = next((literal(k.value) for k in node.keywords if k.arg == "axis"), None)
            size = axis_of(self.axes(given[0]), axis)
            return None if size is None else Axes((size,), whole=True)
        if operator is lookup.function((), "batch_dot"):
            data = self.axes(given[0])
            return None if data is None else self._multiplied(node, data, given[1:])
        if operator is lookup.method("transpose") and len(given) > 2:
            # Methods of numpy mode take several numbers.
            given = [given[0], ast.Tuple(given[1:], ast.Load())]
        if properties.keeps_shape(operator):
            return self.axes(given[0], rank)
        return self._by_rule(operator, given, node.keywords)

    def _child(self, node: ast.Call, rank: int | None) -> Axes | None:
        """Return the axes of the result of a child: of one of Gluon's layers by its rule, of any other by guess."""
        block = self.frame.seen.value(node.func)
        known = marked(self.frame, block) if isinstance(block, Block) else None
        layer = layer_of(block) if isinstance(block, Block) and not block.alternatives else None
        if known is not None:
            layer = known.layer
        single = layer is not None and layer.inputs == 1 and len(node.args) == 1
        data = self.axes(node.args[0], rank_before(layer, rank) if layer is not None and single else None)
        found = None
        if data is not None and layer is not None and single:
            text = f"{ast.unparse(node.func)}@{node.lineno}:{node.col_offset}"
            found = self._in_any_rank(data, node.args[0], partial(passed, layer, known, text))
        guessed = None if data is None or not self.guess else Axes(data.sizes[:1], whole=False)
        return guessed if found is None or (guessed is not None and not found.sizes) else found

    def _in_any_rank(self, data: Axes, node: ast.expr, output: Callable[[Axes], Axes | None]) -> Axes | None:
        """Return the axes of an output; for an input of unknown rank, those that every rank it may have gives alike.

        By guess, an axis that is read is not the last one: that is of channels, with which layers deal.
        """
        if data.whole:
            return output(data)
        more = (Extent((f"{ast.unparse(node)}@{node.lineno}:{node.col_offset}[{k}]",)) for k in range(LEADING))
        sizes = (*data.sizes, *itertools.islice(more, len(data.sizes), None))
        least = least_rank(self.frame, node) if isinstance(node, ast.Name) else 1
        ranks = {rank: output(Axes(sizes[:rank], whole=True)) for rank in range(least, LEADING + 1)}
        outputs = {rank: one for rank, one in ranks.items() if one is not None}
        if len(outputs) == 1 and len(data.sizes) >= max(outputs):
            return next(iter(outputs.values()))
        found: list[Extent] = []
        while True:
            alike = {
                axis_of(one, len(found)) for rank, one in outputs.items() if not self.guess or rank > len(found) + 1
            }
            size = alike.pop() if len(alike) == 1 else None
            if size is None:
                return Axes(tuple(found), whole=False) if outputs else None
            found.append(size)

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

    def _of_two(self, left: ast.expr, right: ast.expr) -> Axes | None:
        """Return the axes of what a Python operator makes of two tensors: all of them broadcast alike."""
        rule = lookup.of_tensors(lookup.broadcasting("+") or "")
        return None if rule is None else self._by_rule(rule, [left, right], [])

    def _by_rule(self, operator: Operator, given: Sequence[ast.expr], named: Sequence[ast.keyword]) -> Axes | None:
        """Return the axes of an operator's output by its shape rule; None unless its parameters are literals."""
        arguments = {k.arg or "": k.value for k in named}
        if operator.variadic:
            inputs = [self.axes(node) for node in given]
        elif len(given) <= len(names := [*operator.inputs, *operator.params]):
            arguments = {**dict(zip(names, given, strict=False)), **arguments}
            inputs = [self.axes(arguments.pop(name)) for name in operator.inputs if name in arguments]
        else:
            return None
        open_ones = [place for place, one in enumerate(inputs) if one is not None and not one.whole]
        if len(open_ones) != 1 or None in inputs:
            known = [one if one is not None and one.whole else None for one in inputs]
            return output_of(operator, known, arguments)
        (place,) = open_ones
        data = inputs[place]
        assert data is not None
        around = inputs[:place], inputs[place + 1 :]
        node = given[place] if place < len(given) else ast.Pass()
        output = partial(of_one, operator, around, arguments)
        return self._in_any_rank(data, node, output) if isinstance(node, ast.expr) else None

    def _reshaped(self, node: ast.Call, data: Axes, rest: list[ast.expr]) -> Axes | None:
        """Return the axes of the result of a reshape, whose target consists of sizes and codes such as 0 and -1."""
        named = {k.arg: k.value for k in node.keywords}
        reverse = named.pop("reverse", None)
        shape = rest or [*named.values()]
        if not named.keys() <= {"shape", "newshape"} or not isinstance(reverse, ast.Constant | None):
            return None
        if len(shape) == 1 and isinstance(shape[0], ast.Tuple | ast.List):
            shape = list(shape[0].elts)
        numpy = (dotted(node.func) or ("",))[1:2] == ("npx",)
        if reverse is None or not reverse.value:
            return self._coded(data, shape, numpy=numpy)
        if not data.whole:
            return None
        turned = self._coded(Axes(data.sizes[::-1], whole=True), shape[::-1], numpy=numpy)
        return Axes(turned.sizes[::-1], whole=True) if turned.whole else None

    def _coded(self, data: Axes, shape: list[ast.expr], *, numpy: bool) -> Axes:
        """Return the axes that sizes and codes give, up to the first whose size is not known."""
        copy, merge, split = (-2, -5, -6) if numpy else (0, -3, -4)
        sizes: list[Extent] = []
        place, unknown = 0, None
        nodes = iter(shape)
        for size in nodes:
            number, here = literal(size), data.sizes[place : place + 2]
            if number == -1:
                unknown = len(sizes)
                sizes.append(Extent((f"?{size.lineno}:{size.col_offset}[]",)))
            elif number == merge and len(here) == 2:
                sizes.append(here[0] * here[1])
                place += 1
            elif number == split and here:
                parts = self._parts(here[0], next(nodes, size), next(nodes, size))
                if parts is None:
                    return Axes(tuple(sizes), whole=False)
                sizes += parts
            else:
                known = here[0] if number == copy and here else self.size(size)
                if known is None:
                    return Axes(tuple(sizes), whole=False)
                sizes.append(known)
            place += 1
        if unknown is not None and data.whole:
            sizes[unknown] = product(data.sizes) // product([*sizes[:unknown], *sizes[unknown + 1 :]])
        return Axes(tuple(sizes), whole=True)

    def _parts(self, whole: Extent, *parts: ast.expr) -> list[Extent] | None:
        """Return the two sizes into which an axis is split, of which one may be -1."""
        known = [None if literal(part) == -1 else self.size(part) for part in parts]
        match known:
            case [Extent() as first, _]:
                return [first, whole // first]
            case [_, Extent() as second]:
                return [whole // second, second]
        return None


def shape_read(value: ast.expr) -> tuple[ast.Name, int] | None:
    """Return the tensor and the first axis of ``x.shape`` (axis 0) or ``x.shape[1:]`` (axis 1); None otherwise."""
    match value:
        case ast.Attribute(value=ast.Name() as tensor, attr="shape"):
            return tensor, 0
        case ast.Subscript(value=ast.Attribute(value=ast.Name() as tensor, attr="shape"), slice=ast.Slice() as key):
            first = 0 if key.lower is None else literal(key.lower)
            return (tensor, first) if key.step is None and first is not None and first >= 0 else None
    return None


def _shape_of(node: ast.Call, given: Sequence[ast.expr]) -> list[ast.expr]:
    """Return the sizes in the shape that a call is given behind its data, or by name; none for any other shape."""
    named = [k.value for k in node.keywords if k.arg == "shape"]
    match [*given[1:], *named]:
        case [ast.Tuple(elts=sizes) | ast.List(elts=sizes)]:
            return sizes
    return []


def _value_for(statement: ast.stmt, stores: Sequence[ast.expr]) -> ast.expr | None:
    """Return the value that an assignment binds to one of its targets, or what gives several values of that type.

    None if no such expression stands in the code.
    """
    match statement:
        case ast.Assign(targets=[ast.Name(), *_], value=value):
            return value
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
            return next((value for name, value in zip(names, values, strict=True) if name in stores), None)
        case ast.Assign(targets=[ast.Tuple()], value=ast.Call(func=ast.Attribute(attr=name)) as call):
            operator = lookup.of_tensors(name)
            return call if operator is not None and properties.gives_parts(operator) else None
    return None


def _arguments(frame: Frame) -> set[str]:
    return {a.arg for a in frame.function.args.args} if isinstance(frame.function, ast.FunctionDef) else set()


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
