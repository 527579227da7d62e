"""The sizes along the axes of what operators, layers and helpers of the file return."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial

from hybridlint.analysis.model.values import BlockRef
from hybridlint.analysis.mxnet.blocks.runtime_layers import layer_of
from hybridlint.fixers.evidence.helper_calls import HelperCall, helper_call
from hybridlint.fixers.evidence.list_items import spread_items
from hybridlint.fixers.evidence.sizes.axis_size import AxisSize, TensorAxes, axis_of
from hybridlint.fixers.evidence.sizes.constructor_sizes import marked_layer
from hybridlint.fixers.evidence.sizes.cut_axes import axes_of_slices
from hybridlint.fixers.evidence.sizes.reshaped_axes import axes_of_reshape
from hybridlint.fixers.evidence.sizes.returned_sizes import ReturnedSizes
from hybridlint.fixers.evidence.sizes.rule_axes import LEADING, of_one, output_axes, output_of, rank_before
from hybridlint.fixers.evidence.sizes.shown_ranks import least_rank, unpacked_rank
from hybridlint.fixers.evidence.sizes.size_reader import SizeReader
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.toolkit.names import ARRAYS, dotted_parts
from hybridlint.runtime.facts import lookup, properties
from hybridlint.runtime.facts.registry import Operator
from hybridlint.text.syntax import reads


def axes_of_call(reader: SizeReader, node: ast.Call, rank: int | None) -> TensorAxes | None:
    """Return the axes of a call's result; other code may show its `rank`."""
    helper = helper_call(reader.frame, node)
    return _call(reader, node, rank) if helper is None else _helped(reader, node, helper)


def _helped(reader: SizeReader, node: ast.Call, helper: HelperCall) -> TensorAxes | None:
    """Return the axes of what a helper of the file returns."""
    frame = helper.entered(reader.frame)
    arguments: dict[str, TensorAxes] = {}
    for name, argument in helper.given.items():
        read = next(reads(helper.function, name), None)
        axes = None if read is None else reader.axes(argument, unpacked_rank(frame, read))
        if axes is not None:
            arguments[name] = axes
    ranks = {name: len(axes.sizes) for name, axes in arguments.items() if axes.whole}
    found = reader.within(frame, ranks).axes(helper.returned)
    return None if found is None else ReturnedSizes(node, helper, arguments, reader.size).translated(found)


def _call(reader: SizeReader, node: ast.Call, rank: int | None) -> TensorAxes | None:
    """Return the sizes along the axes of a call's result: a child's, an F function's, or a method's."""
    if not isinstance(node.func, ast.Attribute):
        return None
    path, name = dotted_parts(node.func) or ("",), node.func.attr
    if path[0] == "self":
        return _child(reader, node, rank) if len(path) == 2 and node.args else None
    function = path[0] == reader.frame.functions or path[:-1] in ARRAYS
    if function and lookup.of_numbers(name) is not None and len(node.args) == 2:
        return reader.axes(ast.copy_location(ast.BinOp(node.args[0], ast.Add(), node.args[1]), node), rank)
    if function and (lookup.takes_count(name) or lookup.takes_stop(name)):
        return _counted(reader, node)
    if function and lookup.like(name) is not None:
        return _shaped(reader, node, node.args)
    given = node.args if function else [node.func.value, *node.args]
    operator = lookup.of_tensors(name) or lookup.function(() if path[:-1] in ARRAYS else path[1:-1], name)
    return None if operator is None or not given else _operator(reader, operator, node, given, rank)


def _counted(reader: SizeReader, node: ast.Call) -> TensorAxes | None:
    """Return the axis of a row of numbers whose count is given: ``arange(n)``, ``linspace(0, 1, n)``."""
    assert isinstance(node.func, ast.Attribute)
    if len(node.args) != (3 if lookup.takes_count(node.func.attr) else 1):
        return None
    size = reader.size(node.args[-1])
    return None if size is None else TensorAxes((size,), whole=True)


def _operator(
    reader: SizeReader, operator: Operator, node: ast.Call, given: list[ast.expr], rank: int | None
) -> TensorAxes | None:
    """Return the axes of the result of an operator, whose data and other arguments are `given`."""
    if operator in _read_data():
        data = reader.axes(given[0])
        return None if data is None else _of_data(reader, operator, node, data, given)
    if operator is lookup.method("broadcast_to"):
        return _shaped(reader, node, given[1:])
    if operator is lookup.function(("contrib",), "arange_like"):
        axis = next((literal(k.value) for k in node.keywords if k.arg == "axis"), None)
        size = axis_of(reader.axes(given[0]), axis)
        return None if size is None else TensorAxes((size,), whole=True)
    if operator is lookup.method("transpose") and len(given) > 2:
        # Methods of numpy mode take several numbers.
        given = [given[0], ast.Tuple(given[1:], ast.Load())]
    if properties.keeps_shape(operator):
        return reader.axes(given[0], rank)
    return _by_rule(reader, operator, given, node.keywords)


@cache
def _read_data() -> tuple[Operator | None, ...]:
    """Return the operators whose axes are read from their call and from the axes of their data."""
    cuts = lookup.function((), "slice"), lookup.function((), "slice_axis")
    return (lookup.method("reshape"), lookup.function((), "batch_dot"), *cuts)


def _of_data(
    reader: SizeReader, operator: Operator, node: ast.Call, data: TensorAxes, given: list[ast.expr]
) -> TensorAxes | None:
    if operator is lookup.method("reshape"):
        return axes_of_reshape(reader, node, data, given[1:])
    if operator is lookup.function((), "batch_dot"):
        return _multiplied(reader, node, data, given[1:])
    names = [*operator.inputs, *operator.params]
    named = {k.arg or "": k.value for k in node.keywords}
    return axes_of_slices(data, operator, {**dict(zip(names, given, strict=False)), **named})


def _child(reader: SizeReader, node: ast.Call, rank: int | None) -> TensorAxes | None:
    """Return the axes of a child's result, by the rule of a Gluon layer or else by a guess."""
    block = reader.frame.seen.value(node.func)
    known = marked_layer(reader.frame, block) if isinstance(block, BlockRef) else None
    layer = layer_of(block) if isinstance(block, BlockRef) and not block.alternatives else None
    if known is not None:
        layer = known.layer
    single = layer is not None and layer.inputs == 1 and len(node.args) == 1
    data = reader.axes(node.args[0], rank_before(layer, rank) if layer is not None and single else None)
    found = None
    if data is not None and layer is not None and single:
        text = f"{ast.unparse(node.func)}@{node.lineno}:{node.col_offset}"
        found = _in_any_rank(reader, data, node.args[0], partial(output_axes, layer, known, text))
    guessed = None if data is None or not reader.guess else TensorAxes(data.sizes[:1], whole=False)
    return guessed if found is None or (guessed is not None and not found.sizes) else found


def _in_any_rank(
    reader: SizeReader, data: TensorAxes, node: ast.expr, output: Callable[[TensorAxes], TensorAxes | None]
) -> TensorAxes | None:
    """Return the axes of an output. For an input of unknown rank, return the axes on which all possible ranks agree.

    A guess assumes that an axis that is read is not the last: the last axis is the channels of layers.
    """
    if data.whole:
        return output(data)
    more = (AxisSize((f"{ast.unparse(node)}@{node.lineno}:{node.col_offset}[{k}]",)) for k in range(LEADING))
    sizes = (*data.sizes, *itertools.islice(more, len(data.sizes), None))
    least = least_rank(reader.frame, node) if isinstance(node, ast.Name) else 1
    ranks = {rank: output(TensorAxes(sizes[:rank], whole=True)) for rank in range(least, LEADING + 1)}
    outputs = {rank: one for rank, one in ranks.items() if one is not None}
    if len(outputs) == 1 and len(data.sizes) >= max(outputs):
        return next(iter(outputs.values()))
    found: list[AxisSize] = []
    while True:
        alike = {axis_of(one, len(found)) for rank, one in outputs.items() if not reader.guess or rank > len(found) + 1}
        size = alike.pop() if len(alike) == 1 else None
        if size is None:
            lasts = {axis_of(one, -1) for one in outputs.values()}
            whole = all(one.whole and len(one.sizes) == len(found) for one in outputs.values())
            return TensorAxes(tuple(found), whole, lasts.pop() if len(lasts) == 1 else None) if outputs else None
        found.append(size)


def _multiplied(reader: SizeReader, node: ast.Call, left: TensorAxes, rest: list[ast.expr]) -> TensorAxes | None:
    """Return the axes of the result of ``batch_dot``."""
    right = reader.axes(rest[0]) if rest else None
    if right is None or len(rest) > 1 or min(len(left.sizes), len(right.sizes)) < 3:
        return None
    flags = {k.arg: k.value.value if isinstance(k.value, ast.Constant) else None for k in node.keywords}
    if None in flags.values():
        return None
    row = left.sizes[2 if flags.get("transpose_a") else 1]
    return TensorAxes((left.sizes[0], row, right.sizes[1 if flags.get("transpose_b") else 2]), whole=True)


def axes_of_two(reader: SizeReader, left: ast.expr, right: ast.expr) -> TensorAxes | None:
    """Return the axes of the result of a Python operator on two tensors. All such operators broadcast alike."""
    rule = lookup.of_tensors(lookup.broadcasting("+") or "")
    found = None if rule is None else _by_rule(reader, rule, [left, right], [])
    return _leading(reader.axes(left), reader.axes(right)) if found is None and reader.guess else found


def _leading(left: TensorAxes | None, right: TensorAxes | None) -> TensorAxes | None:
    """Return the first axes that two tensors of unknown rank share, which are taken to have as many axes."""
    if left is None or right is None or left.whole or right.whole:
        return None
    pairs = zip(left.sizes, right.sizes, strict=False)
    shared = tuple(one for one, _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
    return TensorAxes(shared, whole=False) if shared else None


def _by_rule(
    reader: SizeReader, operator: Operator, given: Sequence[ast.expr], named: Sequence[ast.keyword]
) -> TensorAxes | None:
    """Return the axes of an operator's output by its shape rule; None unless its parameters are literals."""
    arguments = {k.arg or "": k.value for k in named}
    if operator.variadic and any(isinstance(node, ast.Starred) for node in given):
        return _joined(reader, operator, given, arguments)
    if operator.variadic:
        inputs = [reader.axes(node) for node in given]
    elif len(given) <= len(names := [*operator.inputs, *operator.params]):
        arguments = {**dict(zip(names, given, strict=False)), **arguments}
        inputs = [reader.axes(arguments.pop(name)) for name in operator.inputs if name in arguments]
    else:
        return None
    sizes = _computed(reader, operator, arguments)
    open_ones = [place for place, one in enumerate(inputs) if one is not None and not one.whole]
    if len(open_ones) != 1 or None in inputs:
        known = [one if one is not None and one.whole else None for one in inputs]
        return output_of(operator, known, arguments, sizes)
    (place,) = open_ones
    data = inputs[place]
    assert data is not None
    around = inputs[:place], inputs[place + 1 :]
    node = given[place] if place < len(given) else ast.Pass()
    output = partial(of_one, operator, around, arguments, sizes)
    return _in_any_rank(reader, data, node, output) if isinstance(node, ast.expr) else None


def _joined(
    reader: SizeReader, operator: Operator, given: Sequence[ast.expr], arguments: Mapping[str, ast.expr]
) -> TensorAxes | None:
    """Return the axes of an operator's output on any number of tensors that share their axes: ``F.stack(*rows)``."""
    spread = [spread_items(reader.frame, node.value) if isinstance(node, ast.Starred) else [node] for node in given]
    inputs = [reader.axes(item) for items in spread for item in items]
    if not all(spread) or len({*inputs}) != 1 or (axes := inputs[0]) is None or not axes.whole:
        return None
    sizes = _computed(reader, operator, arguments)
    # An axis whose size the number of tensors changes is of unknown size.
    two, three = (output_of(operator, [axes] * count, arguments, sizes) for count in (2, 3))
    if two is None or three is None or not two.whole or len(two.sizes) != len(three.sizes):
        return None
    text = f"{ast.unparse(given[0])}@{given[0].lineno}:{given[0].col_offset}"
    pairs = enumerate(zip(two.sizes, three.sizes, strict=True))
    return TensorAxes(
        tuple(one if one == other else AxisSize((f"{text}[{axis}]",)) for axis, (one, other) in pairs), whole=True
    )


def _computed(reader: SizeReader, operator: Operator, given: Mapping[str, ast.expr]) -> dict[str, AxisSize]:
    """Return the parameters of an operator that are one number each, which the code computes: ``num_hidden=units``."""
    numbers = {name: node for name, node in given.items() if literal(node) is None and _is_number(operator, name)}
    found = {name: reader.size(node) for name, node in numbers.items()}
    return {name: size for name, size in found.items() if size is not None}


def _is_number(operator: Operator, parameter: str) -> bool:
    return parameter in operator.params and operator.params[parameter].annotation == "int"


def _shaped(reader: SizeReader, node: ast.Call, given: Sequence[ast.expr]) -> TensorAxes | None:
    """Return the axes of a call that takes a shape, first in `given` or by name."""
    match [*given, *(k.value for k in node.keywords if k.arg == "shape")]:
        case [ast.Tuple(elts=nodes) | ast.List(elts=nodes), *_]:
            sizes = [reader.size(each) for each in nodes]
            return (
                TensorAxes(tuple(s for s in sizes if s is not None), whole=True)
                if nodes and None not in sizes
                else None
            )
        case [ast.Attribute(value=tensor, attr="shape"), *_]:
            return reader.axes(tensor)
    return None
