"""Gluon's own layers: what each returns for what it gets."""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from hybridlint.analysis.children import any_of, parts_of
from hybridlint.analysis.dispatch import invoke
from hybridlint.analysis.events import Arguments
from hybridlint.analysis.fed import is_fed
from hybridlint.analysis.functions import enter
from hybridlint.analysis.modes import MODAL, layer_asks
from hybridlint.analysis.networks import is_of_network
from hybridlint.analysis.operators import constant, operator_ref
from hybridlint.analysis.tables import words
from hybridlint.analysis.values import (
    STATIC_UNKNOWN,
    Block,
    Function,
    Items,
    Lineage,
    Namespace,
    OperatorRef,
    Static,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.runtime.dims import Dim, DimLike, product
from hybridlint.runtime.types import TensorType

if TYPE_CHECKING:
    from hybridlint.analysis.state import Activation

_SAME = words(
    """
    Dropout BatchNorm SyncBatchNorm BatchNormReLU LayerNorm InstanceNorm GroupNorm Activation LeakyReLU
    PReLU ELU SELU GELU Swish SiLU
    """
)
#: Layers without parameters.
_PLAIN = words("Dropout Activation LeakyReLU ELU SELU GELU Swish SiLU")
_CELLS = words(
    """
    RNNCell LSTMCell GRUCell SequentialRNNCell HybridSequentialRNNCell DropoutCell ResidualCell ZoneoutCell
    BidirectionalCell VariationalDropoutCell LSTMPCell Conv1DRNNCell Conv2DRNNCell Conv3DRNNCell
    Conv1DLSTMCell Conv2DLSTMCell Conv3DLSTMCell Conv1DGRUCell Conv2DGRUCell Conv3DGRUCell
    """
)
_RECURRENT = frozenset({"RNN", "LSTM", "GRU"})
_SPATIAL = {"1D": 1, "2D": 2, "3D": 3}
_OPAQUE = frozenset(
    {
        *("HybridSequential", "Sequential", "HybridConcurrent", "Concurrent"),
        *("HybridBlock", "Block", "SymbolBlock", ""),
    }
)
#: Kernels of convolutions that see one position at a time.
_ONE_POSITION = (1, (1,), (1, 1), (1, 1, 1))


def layer_result(act: Activation, block: Block, args: Arguments) -> Value:
    """Return what a layer gives; Unknown where its output may be of any kind."""
    data = args.values[0] if args.values else next(iter(args.keywords.values()), Unknown())
    name = block.layer
    act.run.trail.modal += _asks_mode(act, block)
    if name == "HybridLambda":
        return _lambda_result(act, block, args)
    if name == "Lambda":
        return _plain_lambda(act, block, args)
    if name in {"HybridConcurrent", "Concurrent"}:
        # It concatenates what its parts make.
        return act.tensor(lineage=Lineage(act.run.token()))
    if name in _OPAQUE:
        one = isinstance(data, Tensor | Unknown) and gives_tensor(act, block)
        if not one or not is_fed(act, args):
            return Unknown()
        return act.tensor(lineage=_through(act, block, data) or Lineage(act.run.token()))
    if name in _CELLS:
        states = Items("list", None, act.tensor())
        return Items("tuple", (act.tensor(lineage=Lineage(act.run.token())), states))
    if name in _RECURRENT:
        return _recurrent(act, args)
    if name == "Identity":
        return data
    if not isinstance(data, Tensor):
        made = name.endswith("Loss") or (isinstance(data, Unknown) and gives_one(name) and is_fed(act, args))
        return act.tensor(lineage=Lineage(act.run.token())) if made else Unknown()
    if name in _SAME:
        passes = data.flows or name not in _PLAIN
        return act.tensor(type=data.type, lineage=data.lineage, flows=passes)
    shape_rule = _rule(name)
    known = shape_rule(block, data.type) if shape_rule is not None else TensorType()
    return act.tensor(type=known, lineage=_pooled_lineage(block, data.lineage) or Lineage(act.run.token()))


def _through(act: Activation, block: Block, data: Value) -> Lineage | None:
    """Return how the shape of a container's output follows from that of its input, where each part tells."""
    lineage = data.lineage if isinstance(data, Tensor) else None
    parts = () if block.creation in act.run.varying or "slice" in block.arguments else parts_of(act.run, block)
    for part in parts:
        if lineage is None or not isinstance(part, Block) or part.info is not None:
            return None
        if part.layer in _OPAQUE:
            lineage = _through(act, part, act.tensor(lineage=lineage)) if part is not block else None
        elif part.layer not in _SAME | {"Identity"}:
            lineage = _pooled_lineage(part, lineage)
    return lineage if parts else None


def _pooled_lineage(block: Block, lineage: Lineage | None) -> Lineage | None:
    """Return how the shape of data pooled over all positions follows from theirs.

    A convolution of one position leaves them pooled; whatever channels it gives must suit who combines them again.
    """
    if lineage is None:
        return None
    if block.layer.startswith("Global"):
        return lineage.then("reduced")
    kernel = block.arguments.get("kernel_size", block.arguments.get("1"))
    single = block.layer in {"Conv1D", "Conv2D", "Conv3D"} and constant(kernel) in _ONE_POSITION
    return lineage if single and lineage.steps[-1:] == ("reduced",) else None


def gives_tensor(act: Activation, block: Block) -> bool:
    """Whether a container of layers makes one tensor of one: each of its parts does."""
    if block.layer not in {"HybridSequential", "Sequential"}:
        return False
    key = (block.creation, block.info)
    known = act.run.single.get(key)
    if known is None:
        # A container that holds itself is none that does.
        act.run.single[key] = False
        whole = any_of(parts_of(act.run, block), None)
        known = act.run.single[key] = whole.certain and all(_gives_one(act, part) for part in whole.known)
    return known


def _gives_one(act: Activation, part: Block) -> bool:
    if part.info is None and part.layer not in _OPAQUE | {"HybridLambda", "Lambda"}:
        return gives_one(part.layer)
    if part.info is None and part.layer in _OPAQUE:
        return gives_tensor(act, part)
    if not isinstance(part.creation, ast.Call):
        return False
    data = act.tensor(lineage=Lineage(act.run.token()))
    calls = len(act.run.trail.child_calls.get(id(part.info), []))
    with act.run.silently():
        made = invoke(act, part.creation, part, Arguments((part.creation,), (data,), {}, {}))
    # What was only tried out tells nothing of what the block is called with.
    del act.run.trail.child_calls.get(id(part.info), [])[calls:]
    return isinstance(made, Tensor) and not made.optional


def _asks_mode(act: Activation, block: Block) -> bool:
    """Whether a layer may do something else in train mode; one whose parts are not all known may."""
    if block.layer in _RECURRENT:
        return _argument(block, "dropout", 3) not in {None, Static(0), Static(0.0)}
    if block.layer == "HybridLambda" or block.layer in _CELLS - MODAL:
        return False
    if is_of_network(block.layer):
        return True
    if block.layer not in _OPAQUE:
        return layer_asks(block.layer, block.arguments)
    parts = parts_of(act.run, block)
    return not parts or any(not isinstance(part, Block) or _asks_mode(act, part) for part in parts)


def _lambda_result(act: Activation, block: Block, args: Arguments) -> Value:
    function = block.arguments.get("0") or block.arguments.get("function")
    if isinstance(function, Function):
        bound = replace(function, bound=(*function.bound, Namespace("F")))
        # A method is told here; all others are read for themselves, wherever in the file they are made.
        with nullcontext() if function.bound else act.run.silently():
            return enter(act, bound, args, block.creation or function.node)
    if isinstance(function, Static | OperatorRef):
        return act.tensor(lineage=Lineage(act.run.token()))
    return Unknown()


def _plain_lambda(act: Activation, block: Block, args: Arguments) -> Value:
    """Evaluate a ``nn.Lambda``: a name means a function of `mx.nd`, in either mode."""
    function = block.arguments.get("0") or block.arguments.get("function")
    if isinstance(function, Static) and isinstance(function.value, str):
        function = operator_ref(Namespace("nd"), function.value)
    if function is None or not isinstance(block.creation, ast.Call):
        return Unknown()
    return invoke(act, block.creation, function, args)


def _recurrent(act: Activation, args: Arguments) -> Value:
    output = act.tensor(lineage=Lineage(act.run.token()))
    states = args.values[1] if len(args.values) > 1 else args.keywords.get("states")
    if states is None or states == Static(None):
        return output
    if isinstance(states, Unknown) or (isinstance(states, Tensor) and states.optional):
        return Unknown()
    return Items("tuple", (output, Items("list", None, act.tensor())))


def takes_tensor(act: Activation, block: Block) -> bool:
    """Whether a block fails where one of its inputs is a list: a layer of Gluon's own, or a container of such."""
    if block.info is not None:
        return False
    return gives_one(block.layer) or block.layer.endswith("Loss") or gives_tensor(act, block)


def gives_one(name: str) -> bool:
    """Whether a layer of Gluon's own makes one tensor of one, whatever its settings are."""
    return name in _SAME | {"Identity"} or is_of_network(name) or _rule(name) is not None


def _rule(name: str) -> Callable[[Block, TensorType], TensorType] | None:
    if name == "Dense":
        return _dense
    if name == "Flatten":
        return _flatten
    if name == "Embedding":
        return _embedding
    if (name.startswith("Conv") and name[-2:] in _SPATIAL) or name.endswith("Transpose"):
        return _convolution
    if "Pool" in name:
        return _pooling
    return None


def _argument(block: Block, name: str, position: int) -> Value | None:
    found: Value | None = block.arguments.get(name, block.arguments.get(str(position)))
    return found


def _size(value: Value | None) -> DimLike:
    known = constant(value) if value is not None else STATIC_UNKNOWN
    return known if type(known) is int and known > 0 else Dim.fresh()


def _flag(block: Block, name: str, position: int, default: bool) -> bool | None:
    value = _argument(block, name, position)
    if value is None:
        return default
    known = constant(value)
    return None if known is STATIC_UNKNOWN else bool(known)


def _dense(block: Block, data: TensorType) -> TensorType:
    units = _size(_argument(block, "units", 0))
    flatten = _flag(block, "flatten", 3, default=True)
    if flatten:
        return TensorType((data.shape[0] if data.shape else Dim.fresh(), units), data.dtype)
    if flatten is None or data.shape is None:
        return TensorType(None, data.dtype)
    return TensorType((*data.shape[:-1], units), data.dtype)


def _flatten(block: Block, data: TensorType) -> TensorType:
    if not data.shape:
        return TensorType((Dim.fresh(), Dim.fresh()), data.dtype)
    return TensorType((data.shape[0], product(data.shape[1:])), data.dtype)


def _embedding(block: Block, data: TensorType) -> TensorType:
    if data.shape is None:
        return TensorType()
    return TensorType((*data.shape, _size(_argument(block, "output_dim", 1))))


def _spatial_rank(name: str) -> int | None:
    return next((rank for mark, rank in _SPATIAL.items() if mark in name), None)


def _channels_last(block: Block) -> bool | None:
    layout = block.arguments.get("layout")
    if layout is None:
        return False
    known = constant(layout)
    return None if not isinstance(known, str) else known.endswith("C")


def _convolution(block: Block, data: TensorType) -> TensorType:
    rank = _spatial_rank(block.layer)
    last = _channels_last(block)
    if rank is None or last is None:
        return TensorType(None, data.dtype)
    batch = data.shape[0] if data.shape else Dim.fresh()
    space = _convolved(block, data, rank, last=last)
    channels = _size(_argument(block, "channels", 0))
    return TensorType((batch, *space, channels) if last else (batch, channels, *space), data.dtype)


def _convolved(block: Block, data: TensorType, rank: int, *, last: bool) -> tuple[DimLike, ...]:
    """Return the sizes of what slides over the data, as far as they are numbers."""
    if data.shape is None or len(data.shape) != rank + 2 or "Transpose" in block.layer:
        return tuple(Dim.fresh() for _ in range(rank))
    sizes = data.shape[1:-1] if last else data.shape[2:]
    names = (("kernel_size", 1, None), ("strides", 2, 1), ("padding", 3, 0), ("dilation", 4, 1))
    windows = [_per_axis(_argument(block, name, at), default, rank) for name, at, default in names]
    if any(window is None for window in windows):
        return tuple(Dim.fresh() for _ in range(rank))
    kernel, strides, padding, dilation = (window or () for window in windows)
    return tuple(
        (size + 2 * p - d * (k - 1) - 1) // s + 1 if isinstance(size, int) and s > 0 else Dim.fresh()
        for size, k, s, p, d in zip(sizes, kernel, strides, padding, dilation, strict=True)
    )


def _per_axis(value: Value | None, default: int | None, rank: int) -> tuple[int, ...] | None:
    """Return a window's number for each axis, given as one for all or as a tuple."""
    known = default if value is None else constant(value)
    if type(known) is int:
        return (known,) * rank
    if isinstance(known, tuple | list) and len(known) == rank and all(type(n) is int for n in known):
        return tuple(known)
    return None


def _pooling(block: Block, data: TensorType) -> TensorType:
    rank = _spatial_rank(block.layer)
    if rank is None:
        return TensorType(None, data.dtype)
    known = data.shape if data.shape and len(data.shape) == rank + 2 else tuple(Dim.fresh() for _ in range(rank + 2))
    last = _channels_last(block)
    if last is None:
        return TensorType(tuple(Dim.fresh() for _ in known), data.dtype)
    space: tuple[DimLike, ...] = (
        (1,) * rank if block.layer.startswith("Global") else tuple(Dim.fresh() for _ in range(rank))
    )
    return TensorType((known[0], *space, known[-1]) if last else (known[0], known[1], *space), data.dtype)
