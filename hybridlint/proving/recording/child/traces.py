"""Calls inside a compiled block, which run once, with Symbols: inferring what the arrays would have been."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridlint.proving.recording.child.inputs import describe_type

if TYPE_CHECKING:
    from hybridlint.proving.recording.descriptions import Description


def is_symbol(value: Any) -> bool:
    """Whether a value is a Symbol or a list that contains one."""
    if isinstance(value, (list, tuple)):
        return any(map(is_symbol, value))
    # In numpy mode a Symbol has all the methods of an array, only to raise errors from them.
    return hasattr(value, "list_arguments")


def traced_inputs(mx: Any, block: Any, arrays: Sequence[Any], given: Sequence[Any]) -> list[Description] | None:
    """Describe the Symbols passed to a child block while `block` was traced for `arrays`; None if that is unknown.

    Their values, and therefore ranges, are unknown.
    """
    leaves = [leaf for leaf in _leaves(given) if is_symbol(leaf)]
    flat = [leaf for leaf in _leaves(arrays) if hasattr(leaf, "asnumpy")]
    names = ["data"] if len(flat) == 1 else [f"data{k}" for k in range(len(flat))]
    known: dict[str, Any] = {name: flat[k] for k, name in enumerate(names)}
    known.update((p.name, p) for p in block.collect_params().values() if p.shape and all(s > 0 for s in p.shape))
    types = _types(mx, leaves, known)
    if types is None:
        return None
    found = {id(leaf): types[k] for k, leaf in enumerate(leaves)}
    return [_described(value, found) for value in given]


def _types(mx: Any, symbols: Sequence[Any], known: Mapping[str, Any]) -> list[Description] | None:
    group = mx.sym.Group(list(symbols))
    inputs = group.list_inputs()
    if not set(inputs) <= set(known) or any(len(symbol.list_outputs()) != 1 for symbol in symbols):
        return None
    shapes = group.infer_shape(**{name: tuple(known[name].shape) for name in inputs})[1]
    dtypes = group.infer_type(**{name: np.dtype(known[name].dtype) for name in inputs})[1]
    if shapes is None or dtypes is None:
        return None
    return [describe_type(shape, np.dtype(dtypes[k]).name) for k, shape in enumerate(shapes)]


def _described(value: Any, types: Mapping[int, Description]) -> Description:
    if isinstance(value, (list, tuple)):
        return {"list": [_described(item, types) for item in value]}
    return types[id(value)] if id(value) in types else {"expression": repr(value)}


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in _leaves(item)]
    return [value]
