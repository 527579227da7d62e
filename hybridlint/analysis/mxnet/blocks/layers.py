"""Results of Gluon's own layers."""

from __future__ import annotations

import ast
from contextlib import nullcontext
from typing import TYPE_CHECKING

from hybridlint.analysis.dispatch import invoke
from hybridlint.analysis.model.events import ArgumentsEvent
from hybridlint.analysis.model.lattice import join_types
from hybridlint.analysis.model.values import (
    BlockRef,
    ContainerValue,
    Function,
    Namespace,
    OperatorRef,
    ShapeProvenance,
    StaticValue,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.mxnet.argument_dependence import is_fed
from hybridlint.analysis.mxnet.blocks.children import any_of, parts_of
from hybridlint.analysis.mxnet.blocks.networks import is_of_network
from hybridlint.analysis.mxnet.blocks.runtime_layers import is_container, layer_of
from hybridlint.analysis.mxnet.operators.results import operator_ref
from hybridlint.analysis.mxnet.shapes.least_ranks import least_rank
from hybridlint.analysis.run.effect_log import EffectLog
from hybridlint.analysis.syntax.functions import enter
from hybridlint.runtime.facts.abstract.layers import Layer
from hybridlint.runtime.facts.dims import Dim
from hybridlint.runtime.facts.records import replace
from hybridlint.runtime.facts.types import Shape, TensorType, unknown_shape
from hybridlint.text.syntax import each

if TYPE_CHECKING:
    from collections.abc import Hashable

    from hybridlint.analysis.run.activation import Activation

#: Stands for the type of a layer's input.
_KEPT = TensorType((), "the input's")


def layer_result(act: Activation, block: BlockRef, args: ArgumentsEvent) -> Value:
    """Return a layer's result; Unknown if it may be of any kind."""
    data = args.values[0] if args.values else next(iter(args.keywords.values()), Unknown())
    layer = layer_of(block)
    act.run.trail.meet(*_by_mode(act, block, layer, set()))
    if layer is not None and layer.calls_function:
        return _function_result(act, block, layer, args)
    if is_container(block, layer):
        return _container_result(act, block, layer, data, args)
    if layer is not None and (layer.steps or layer.sequences):
        return _recurrent(act, layer, data, args)
    if layer is not None and layer.returns_input:
        return data
    if not isinstance(data, Tensor):
        several = layer is not None and layer.inputs > 1
        made = several or (isinstance(data, Unknown) and gives_one(block, layer) and is_fed(act, args))
        known = TensorType() if layer is None or several else layer.type_of(TensorType())
        return act.tensor(type=known, lineage=_own_lineage(act, layer, known, data)) if made else Unknown()
    if layer is None or layer.inputs > 1:
        return act.tensor(lineage=ShapeProvenance(act.run.token()))
    known = _with_batch(act, layer.type_of(data.type), data)
    if layer.keeps_shape:
        return act.tensor(type=known, lineage=data.lineage, flows=data.flows or layer.has_parameters is not False)
    return act.tensor(
        type=known, lineage=_narrowed_lineage(layer, data.lineage) or _own_lineage(act, layer, known, data)
    )


def _with_batch(act: Activation, given: TensorType, data: Tensor) -> TensorType:
    """Return the type of a layer's result, which has the batch size of the data."""
    lineage, shape = data.lineage, given.shape
    if data.type.shape is not None or lineage is None or lineage.steps or not shape:
        return given
    first = shape[0]
    if not isinstance(first, Dim) or not first.anonymous:
        return given
    return given.with_shape((act.run.blocks.batches.setdefault(lineage.root, first), *shape[1:]))


def _own_lineage(act: Activation, layer: Layer | None, known: TensorType, data: Value) -> ShapeProvenance:
    """Return the lineage of a layer's result whose shape differs from the input's."""
    if layer is None or known.shape is not None:
        return ShapeProvenance(act.run.token())
    return ShapeProvenance(act.run.token(), last=layer.features, least=least_rank(act, layer, data))


def _container_result(
    act: Activation, block: BlockRef, layer: Layer | None, data: Value, args: ArgumentsEvent
) -> Value:
    if layer is not None and layer.joins:
        return act.tensor(lineage=ShapeProvenance(act.run.token()))
    if layer is not None and layer.holds_others and not layer.steps and is_always_empty(act, block):
        return data
    one = isinstance(data, Tensor | Unknown) and gives_tensor(act, block, layer)
    if not one or not is_fed(act, args):
        return Unknown()
    lineage = _through(act, block, data) or ShapeProvenance(act.run.token())
    return act.tensor(type=_with_kept_ones(act, block, _last_type(act, block) or TensorType(), data), lineage=lineage)


def is_always_empty(act: Activation, block: BlockRef) -> bool:
    """Return whether nothing is ever added to a sequence of layers, which then returns its input.

    It is built without layers, and all that the file does with the attribute that holds it is to call it.
    """
    built = block.creation
    plain = block.info is None and isinstance(built, ast.Call)
    if not plain or block.arguments.keys() - {"prefix", "params"} or act.run.blocks.parts.of(built):
        return False
    tree = act.module.source.tree
    holders = [target for node in each(tree, ast.Assign) if node.value is built for target in node.targets]
    if len(holders) != 1 or not isinstance(holders[0], ast.Attribute):
        return False
    reads = [node for node in each(tree, ast.Attribute) if node.attr == holders[0].attr and node is not holders[0]]
    return {id(node) for node in reads} <= {id(call.func) for call in each(tree, ast.Call)}


def _with_kept_ones(act: Activation, block: BlockRef, given: TensorType, data: Value) -> TensorType:
    """Return the type of a container's result, with size 1 on axes where data and parts keep it.

    So convolutions over one position give one position: an attention over channels computes this.
    """
    shape = data.type.shape if isinstance(data, Tensor) else None
    if shape is None or (given.shape is not None and len(shape) != len(given.shape)):
        return given
    kept = [axis for axis, size in enumerate(shape) if size == 1 and _keeps_one(act, block, axis, len(shape))]
    if not kept:
        return given
    sizes = given.shape or unknown_shape(len(shape))
    return given.with_shape(tuple(1 if axis in kept else size for axis, size in enumerate(sizes)))


def _keeps_one(act: Activation, block: BlockRef, axis: int, rank: int) -> bool:
    """Return whether every part of a container leaves an axis of size 1 as it is, and all others there."""
    tried = TensorType(tuple(1 if i == axis else Dim.fresh() for i in range(rank)))
    for part in parts_of(act.run, block):
        layer = layer_of(part) if isinstance(part, BlockRef) else None
        if not isinstance(part, BlockRef) or part is block:
            return False
        if part.info is None and is_container(part, layer):
            kept = _keeps_one(act, part, axis, rank)
        else:
            made = _shape_made(act, part, layer, tried)
            kept = made is not None and len(made) == rank and made[axis] == 1
        if not kept:
            return False
    return True


def _shape_made(act: Activation, part: BlockRef, layer: Layer | None, given: TensorType) -> Shape | None:
    """Return the shape that a part of a container makes of a tensor; None if it is not known."""
    if part.info is not None or (layer is not None and layer.calls_function):
        made = _tried(act, part, part.creation, given) if isinstance(part.creation, ast.Call) else None
        return made.type.shape if isinstance(made, Tensor) else None
    if layer is None or layer.steps or layer.sequences or layer.inputs > 1:
        return None
    return layer.type_of(given).shape


def _through(act: Activation, block: BlockRef, data: Value) -> ShapeProvenance | None:
    """Return the lineage of a container's output if every part's effect on the shape is known."""
    lineage = data.lineage if isinstance(data, Tensor) else None
    parts = parts_of(act.run, block) if _is_one(act, block) else ()
    for part in parts:
        if lineage is None or not isinstance(part, BlockRef) or part.info is not None:
            return None
        layer = layer_of(part)
        if is_container(part, layer):
            lineage = _through(act, part, act.tensor(lineage=lineage)) if part is not block else None
        elif layer is None or not layer.keeps_shape:
            lineage = None if layer is None else _narrowed_lineage(layer, lineage)
    return lineage if parts else None


def _is_one(act: Activation, block: BlockRef) -> bool:
    """Return whether the parts that are known of a container are always those, and of this one alone."""
    parts = act.run.blocks.parts
    several = block.creation is not None and parts.made[block.creation] > 1
    return not several and block.creation not in parts.varying and "slice" not in block.arguments


def _last_type(act: Activation, block: BlockRef) -> TensorType | None:
    """Return the result type of the last part of a container that changes shapes; None if unknown.

    If one function makes several containers, any part may be the last: only facts that are true of all remain.
    """
    if block.creation in act.run.blocks.parts.varying or "slice" in block.arguments:
        return None
    found: TensorType | None = None
    for part in reversed(parts_of(act.run, block)):
        given = _type_given(act, part) if part is not block else None
        if given is None:
            return None
        if given is not _KEPT:
            found = given if found is None else join_types(found, given)
        if found is not None and _is_one(act, block):
            return found
    return found


def _type_given(act: Activation, part: Value) -> TensorType | None:
    """Return the type that a part of a container returns for any input; `_KEPT` if it returns its input's type.

    None if nothing is known about the type.
    """
    if not isinstance(part, BlockRef) or part.info is not None:
        return None
    layer = layer_of(part)
    if is_container(part, layer):
        return _last_type(act, part) if layer is not None and not layer.joins else None
    if layer is None or layer.calls_function or layer.steps or layer.sequences:
        return None
    return _KEPT if layer.keeps_shape else layer.type_of(TensorType())


def _narrowed_lineage(layer: Layer, lineage: ShapeProvenance | None) -> ShapeProvenance | None:
    """Return the lineage of a layer's output if the layer makes sizes 1 and keeps all others; None otherwise.

    That is so if it has one output per position (``Dense(1, flatten=False)``), if it pools over all positions, or if
    its input was already pooled. A convolution over one position keeps data pooled; its number of channels must then
    suit the tensor that it is combined with.
    """
    if lineage is None:
        return None
    if layer.pools_all:
        return lineage.then("reduced")
    if layer.narrows:
        # Layers of a fixed number of dimensions tell it in the type; all others make the last one 1.
        return replace(lineage.then("narrowed"), axis=-1 if layer.type_of(TensorType()).shape is None else None)
    if layer.narrows_matrices:
        return lineage.then("single")
    return lineage if lineage.steps[-1:] == ("reduced",) and layer.keeps_pooled else None


def gives_tensor(act: Activation, block: BlockRef, layer: Layer | None) -> bool:
    """Return whether a container of layers maps one tensor to one tensor, because each of its parts does."""
    if layer is None or not layer.holds_others or layer.steps or layer.joins:
        return False
    key = (block.creation, block.info)
    known = act.run.blocks.single.get(key)
    if known is None:
        # Assume that a container that holds itself does not.
        act.run.blocks.single[key] = False
        whole = any_of(parts_of(act.run, block), None)
        outer, act.run.trail = act.run.trail, EffectLog()
        known = act.run.blocks.single[key] = whole.certain and all(_gives_one(act, part) for part in whole.known)
        act.run.blocks.stored_inside[key] = act.run.trail.state_stored
        outer.follow(act.run.trail)
        act.run.trail = outer
    act.run.trail.state_stored |= act.run.blocks.stored_inside.get(key, frozenset())
    return known


def _gives_one(act: Activation, part: BlockRef) -> bool:
    layer = layer_of(part)
    if part.info is None and is_container(part, layer):
        return gives_tensor(act, part, layer)
    if part.info is None and (layer is None or not layer.calls_function):
        return gives_one(part, layer)
    if not isinstance(part.creation, ast.Call):
        return False
    made = _tried(act, part, part.creation)
    return isinstance(made, Tensor) and not made.optional


def _tried(act: Activation, part: BlockRef, creation: ast.Call, given: TensorType | None = None) -> Value:
    """Return the result of calling a part of a container on a tensor. The program itself does not make this call."""
    data = act.tensor(type=given or TensorType(), lineage=ShapeProvenance(act.run.token()))
    calls = len(act.run.trail.child_calls.get(id(part.info), []))
    with act.run.reporting.silently():
        made = invoke(act, creation, part, ArgumentsEvent((creation,), (data,), {}, {}))
    del act.run.trail.child_calls.get(id(part.info), [])[calls:]
    return made


def _by_mode(act: Activation, block: BlockRef, layer: Layer | None, seen: set[Hashable]) -> tuple[bool, bool]:
    """Return whether a layer may depend on the mode and whether it may update statistics.

    Both are true if a part is unknown. A container in `seen` has neither: it was counted when it was first visited. A
    network that is assembled in loops holds each part many times.
    """
    if is_of_network(block.layer):
        return True, True
    if not is_container(block, layer):
        asks = layer is not None and not layer.calls_function and layer.asks_mode
        return asks, asks and layer is not None and layer.moves_statistics
    key = (block.creation, block.info, block.layer)
    if key in seen:
        return False, False
    seen.add(key)
    parts = parts_of(act.run, block)
    if not parts or any(not isinstance(part, BlockRef) for part in parts):
        return True, True
    found = [_part_by_mode(act, part, seen) for part in parts if isinstance(part, BlockRef)]
    return any(asks for asks, _ in found), any(moves for _, moves in found)


def _part_by_mode(act: Activation, part: BlockRef, seen: set[Hashable]) -> tuple[bool, bool]:
    """Return the same of a part of a container; a block of the project is tried."""
    if part.info is None or not isinstance(part.creation, ast.Call):
        return _by_mode(act, part, layer_of(part), seen)
    key, trail = (part.creation, part.info), act.run.trail
    known = act.run.blocks.modal.get(key)
    if known is None:
        # Assume that a block that holds itself does not.
        act.run.blocks.modal[key] = False, False
        before = trail.modal, trail.moving
        _tried(act, part, part.creation)
        known = act.run.blocks.modal[key] = trail.modal > before[0], trail.moving > before[1]
        trail.modal, trail.moving = before
    return known


def _function_result(act: Activation, block: BlockRef, layer: Layer, args: ArgumentsEvent) -> Value:
    return _lambda_result(act, block, args) if layer.hybrid else _plain_lambda(act, block, args)


def _lambda_result(act: Activation, block: BlockRef, args: ArgumentsEvent) -> Value:
    function = block.arguments.get("0") or block.arguments.get("function")
    if isinstance(function, Function):
        bound = replace(function, bound=(*function.bound, Namespace("F")))
        # A method is analyzed here; other functions have an analysis of their own, wherever in the file they are made.
        with nullcontext() if function.bound else act.run.reporting.silently():
            return enter(act, bound, args, block.creation or function.node)
    if isinstance(function, StaticValue | OperatorRef):
        return act.tensor(lineage=ShapeProvenance(act.run.token()))
    return Unknown()


def _plain_lambda(act: Activation, block: BlockRef, args: ArgumentsEvent) -> Value:
    """Evaluate a call of ``nn.Lambda``. A function given by its name is one of `mx.nd`, even at the trace."""
    function = block.arguments.get("0") or block.arguments.get("function")
    if isinstance(function, StaticValue) and isinstance(function.value, str):
        function = operator_ref(Namespace("nd"), function.value)
    if function is None or not isinstance(block.creation, ast.Call):
        return Unknown()
    return invoke(act, block.creation, function, args)


def _recurrent(act: Activation, layer: Layer, data: Value, args: ArgumentsEvent) -> Value:
    """Return a cell's output and states, or a layer's sequence with its states if any were passed."""
    known = layer.type_of(data.type if isinstance(data, Tensor) else TensorType())
    output = act.tensor(type=known, lineage=ShapeProvenance(act.run.token()))
    both = ContainerValue("tuple", (output, ContainerValue("list", None, act.tensor())))
    if layer.steps:
        return both
    states = args.values[1] if len(args.values) > 1 else args.keywords.get("states")
    if states is None or states == StaticValue(None):
        return output
    return Unknown() if isinstance(states, Unknown) or (isinstance(states, Tensor) and states.optional) else both


def takes_tensor(act: Activation, block: BlockRef) -> bool:
    """Return whether a block fails on a list: it is a Gluon layer, or a container of such layers."""
    layer = layer_of(block)
    if block.info is not None or (layer is not None and (layer.steps or layer.sequences)):
        return False
    return (layer is not None and layer.inputs > 1) or gives_one(block, layer) or gives_tensor(act, block, layer)


def gives_one(block: BlockRef, layer: Layer | None) -> bool:
    """Return whether one of Gluon's layers maps one tensor to one tensor, whatever its settings."""
    if layer is None:
        return is_of_network(block.layer)
    return layer.gives_one and not layer.holds_others and not layer.calls_function
