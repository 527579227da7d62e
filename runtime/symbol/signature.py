"""``infer_shape`` and ``infer_type`` of a Symbol, in MXNet's form."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.core.operator_params import dtype_name
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.symbol.inference import Inference, from_mxnet_shape, to_mxnet_shape
from hybridlint.runtime.symbol.node import auxiliary_nodes
from hybridlint.runtime.util import is_np_shape

if TYPE_CHECKING:
    from hybridlint.runtime.symbol.symbol import Symbol


def infer_shape(
    symbol: Symbol, args: Sequence[Any], kwargs: Mapping[str, Any], *, partial: bool, thorough: bool = False
) -> Any:
    """Return lists of shapes (arguments, outputs, auxiliary states) or three times None. Raises MXNetError.

    `thorough` asks for all that the rules know, where MXNet leaves shapes open.
    """
    unknown = -1 if is_np_shape() else 0
    given = _by_name(symbol, args, kwargs)
    shapeless = [name for name in kwargs if not isinstance(kwargs[name], tuple)]
    if shapeless:
        kind = type(kwargs[shapeless[0]])
        raise TypeError(f"Arguments need to be shapes (tuple), but {shapeless[0]!r} is {kind}.")
    known = {k: TensorType(from_mxnet_shape(v, unknown)) for k, v in given.items() if v is not None}
    inference = Inference(symbol._entries, known, thorough=thorough, nodes=symbol._nodes)
    aux = auxiliary_nodes(inference.nodes)
    variables = [n for n in inference.nodes if n.op is None]
    types = [inference.type_of((n, 0)) for n in variables]
    outputs = [inference.type_of(e) for e in symbol._entries]
    different = {id(t): t for t in (*types, *outputs)}
    incomplete = {key for key, t in different.items() if not _complete(t)}
    if not partial and incomplete:
        open_ones = [n.name for n, t in zip(variables, types, strict=True) if id(t) in incomplete]
        if open_ones:
            warnings.warn(
                f"Cannot decide shape for the following arguments ({unknown}s in shape means unknown dimensions). "
                f"Consider providing them as input:\n\t{', '.join(open_ones)}",
                stacklevel=3,
            )
        return None, None, None
    shapes = {key: to_mxnet_shape(t.shape, unknown) for key, t in different.items()}
    return (
        [shapes[id(t)] for n, t in zip(variables, types, strict=True) if id(n) not in aux],
        [shapes[id(t)] for t in outputs],
        [shapes[id(t)] for n, t in zip(variables, types, strict=True) if id(n) in aux] if aux else [],
    )


def infer_type(symbol: Symbol, args: Sequence[Any], kwargs: Mapping[str, Any], *, partial: bool = False) -> Any:
    """Return lists of numpy types (arguments, outputs, auxiliary states). Raises MXNetError.

    With `partial` unknown ones are None; else all three lists are None where the dtype of no variable is known.
    """
    inference = _inference_of_types(symbol, args, kwargs)
    variables = [n for n in inference.nodes if n.op is None]
    nothing = all(inference.type_of((n, 0)).dtype is None for n in variables)
    if partial:
        return _dtypes(symbol, inference)
    return (None, None, None) if variables and nothing else _settled(symbol, inference)


def settled_types(symbol: Symbol, known: Mapping[str, Any], shapes: Mapping[str, tuple[int, ...]] | None = None) -> Any:
    """Return lists of numpy types like `infer_type`, float32 where nothing determines one. Raises MXNetError.

    With the `shapes` of all variables, which change no dtype, inference looks for none.
    """
    if shapes is None:
        return _settled(symbol, _inference_of_types(symbol, (), known))
    given = {name: dtype_name(dtype) for name, dtype in _by_name(symbol, (), known).items() if dtype is not None}
    types = {name: TensorType(shape or None, given.get(name)) for name, shape in shapes.items()}
    return _settled(symbol, Inference(symbol._entries, types, nodes=symbol._nodes))


def _inference_of_types(symbol: Symbol, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Inference:
    given = _by_name(symbol, args, kwargs)
    known = {k: TensorType(None, dtype_name(v)) for k, v in given.items() if v is not None}
    return Inference(symbol._entries, known, nodes=symbol._nodes)


def _settled(symbol: Symbol, inference: Inference) -> Any:
    inference.settle_dtypes()
    return _dtypes(symbol, inference, "float32")


def _dtypes(symbol: Symbol, inference: Inference, default: str | None = None) -> Any:
    aux = auxiliary_nodes(inference.nodes)
    variables = [n for n in inference.nodes if n.op is None]

    def kind(t: TensorType) -> Any:
        name = t.dtype or default
        return None if name is None else np.dtype(name).type

    return (
        [kind(inference.type_of((n, 0))) for n in variables if id(n) not in aux],
        [kind(inference.type_of(e)) for e in symbol._entries],
        [kind(inference.type_of((n, 0))) for n in variables if id(n) in aux],
    )


def _by_name(symbol: Symbol, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    if args and kwargs:
        raise ValueError("Can only specify known argument shapes either by positional or kwargs way.")
    if args:
        return dict(zip(symbol.list_arguments(), args, strict=False))
    names = symbol.list_inputs()
    strange = [name for name in kwargs if name not in names]
    if strange:
        names = [*symbol.list_arguments(), *symbol.list_auxiliary_states()]
        candidates = "".join(f"\n\t[{number}]{name}" for number, name in enumerate(names))
        raise MXNetError(f"InferShapeKeyword argument name {strange[0]} not found.\nCandidate arguments:{candidates}")
    return dict(kwargs)


def _complete(t: TensorType) -> bool:
    return t.shape is not None and all(isinstance(d, int) for d in t.shape)
