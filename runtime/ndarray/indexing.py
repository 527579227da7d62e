"""Subscripts of NDArray: as in numpy, except that a full index gives shape (1,) in legacy mode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hybridlint.runtime import autograd
from hybridlint.runtime.autograd import TapeNode
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.core.imperative import invoke
from hybridlint.runtime.core.tape_errors import ASSIGNED
from hybridlint.runtime.facts import registry
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.platforms import Platform, move_array
from hybridlint.runtime.platforms.failed import Failed
from hybridlint.runtime.util import is_np_shape


def read(array: NDArray, key: Any) -> NDArray:
    """Return ``array[key]``: a view for integers and slices, a copy for index arrays. Recorded if recording is on.

    Raises ValueError for an invalid subscript, IndexError for one out of bounds.
    """
    legacy = not array._scalars and not is_np_shape()
    plain = plain_key(key, scalars=array._scalars)
    if legacy:
        _refuse_masks(key)
    platform = array._platform
    with platform.computing():
        raw = _taken(platform, array._data, _placed(plain, platform))
    if legacy and raw.size == 0:
        _refuse_nothing(array._data.shape, plain)
    if raw.ndim == 0 and not array._scalars and not is_np_shape():
        raw = raw.reshape(1)
    entry = array._entry
    result = type(array)._wrap(raw)
    result._ctx = array._ctx
    if autograd.mode.recording and entry is not None:
        result._entry = (TapeNode(_pull_of(array, plain), (entry,)), 0)
    return result


def _taken(platform: Platform, data: Any, key: Any) -> Any:
    """Return the elements of a subscript: a view if they are contiguous in memory, else a copy, as in MXNet."""
    if isinstance(data, Failed):
        return data[key]
    parts = key if isinstance(key, tuple) else (key,)
    if not all(part is None or part is Ellipsis or isinstance(part, (int, slice, np.integer)) for part in parts):
        return platform.xp.asarray(data[key])
    if Ellipsis not in parts and sum(part is not None for part in parts) == data.ndim:
        # An Ellipsis keeps numpy from making a number of a single element.
        parts = (*parts, Ellipsis)
    found = data[parts]
    return found if found.flags.c_contiguous else found.copy()


def _refuse_masks(key: Any) -> None:
    """Raise ValueError for a boolean mask, which only numpy mode supports."""
    for part in key if isinstance(key, tuple) else (key,):
        if isinstance(part, NDArray) and part._data.dtype.kind == "b":
            raise ValueError("Cannot perform boolean indexing in legacy mode. Please activate numpy semantics")


def _refuse_nothing(shape: tuple[int, ...], key: Any) -> None:
    """Raise MXNetError for empty results that MXNet cannot compute; it supports empty slices of the first axis only.

    Without numpy shapes, a size of 0 means unknown.
    """
    parts = key if isinstance(key, tuple) else (key,)
    taken = [part for part in parts if part is not None]
    basic = all(isinstance(part, (int, slice, np.integer)) or part is Ellipsis for part in taken)
    first = parts[0] if parts else None
    if not basic or first is None or first is Ellipsis or any(map(_takes_nothing, *_later(taken, shape))):
        raise MXNetError("inferring shapes failed: without numpy shapes a size of 0 is an unknown one")


def _takes_nothing(part: Any, size: int) -> bool:
    return isinstance(part, slice) and size > 0 and not range(size)[part]


def _later(taken: Sequence[Any], shape: tuple[int, ...]) -> tuple[Sequence[Any], Sequence[int]]:
    """Return the parts of a basic subscript after the first axis, and the sizes of their axes."""
    place = next((k for k, part in enumerate(taken) if part is Ellipsis), len(taken))
    whole = [slice(None)] * (len(shape) - len(taken) + 1)
    return [*taken[:place], *whole, *taken[place + 1 :]][1 : len(shape)], shape[1:]


def write(array: NDArray, key: Any, value: Any) -> None:
    """Perform ``array[key] = value``. Assigning a recorded value to the whole array is recorded.

    Raises MXNetError for other assignments involving recorded arrays, ValueError if the value does not fit.
    """
    if autograd.mode.recording and array._entry is not None:
        raise MXNetError(ASSIGNED)
    if isinstance(value, NDArray) and value._is_sparse:
        raise TypeError(f"{type(array)} does not support assignment with non-array-like object {value}")
    raw = value._data if isinstance(value, NDArray) else np.asarray(value)
    platform = array._platform
    if raw.dtype == object:
        raise TypeError(f"NDArray does not support assignment with {value} of type {type(value)}")
    place = _placed(plain_key(key, scalars=array._scalars), platform)
    if autograd.mode.recording and isinstance(value, NDArray) and value._entry is not None:
        _write_recorded(array, place, value)
        return
    # numpy no longer assigns a one-element array to a scalar position.
    with platform.computing():
        held = move_array(raw, platform)
        array._write(held.reshape(()) if held.size == 1 else held, place)


def _write_recorded(array: NDArray, place: Any, value: NDArray) -> None:
    whole = place is None or place is Ellipsis or (isinstance(place, slice) and place == slice(None))
    whole = whole or (isinstance(place, tuple) and place == ())
    if not whole:
        raise MXNetError("Inplace operations (+=, -=, x[:]=, etc) are not supported when recording with autograd.")
    source = value.reshape(value.shape[value.ndim - array.ndim :]) if value.ndim > array.ndim else value
    if source.shape != array.shape:
        source = source.broadcast_to(array.shape)
    if source.dtype != array.dtype:
        source = source.astype(array.dtype)
    invoke(registry.get("_copy"), [source], {}, out=array)


def plain_key(key: Any, *, scalars: bool = False) -> Any:
    """Return a subscript for numpy, with NDArrays converted to numpy arrays.

    A bool is a mask in numpy mode (`scalars`), and an index of 0 or 1 in legacy mode. Raises ValueError.
    """
    if isinstance(key, tuple):
        return tuple(plain_key(k, scalars=scalars) for k in key)
    if isinstance(key, (bool, np.bool_)):
        return bool(key) if scalars else int(key)
    if isinstance(key, NDArray):
        with key._platform.computing():
            return _indices(key._data, masks=True)
    if isinstance(key, (list, range)):
        return _indices(np.array([k._host if isinstance(k, NDArray) else k for k in key]), masks=scalars)
    if isinstance(key, np.ndarray):
        return _indices(key, masks=scalars)
    if isinstance(key, (int, slice, np.integer)) or key is None or key is Ellipsis:
        return key
    raise ValueError(f"NDArray does not support slicing with key {key} of type {type(key)}.")


def _placed(key: Any, platform: Platform) -> Any:
    """Return a subscript with its index arrays on a platform."""
    if isinstance(key, tuple):
        return tuple(_placed(part, platform) for part in key)
    return move_array(key, platform) if hasattr(key, "dtype") and hasattr(key, "shape") and key.ndim else key


def _indices(raw: Any, *, masks: bool) -> Any:
    """Return an index array. Floats are truncated; bool counts as 0 and 1 unless it is a mask."""
    return raw if raw.dtype.kind in "iu" or (masks and raw.dtype.kind == "b") else raw.astype(np.int64)


def _pull_of(array: NDArray, key: Any) -> autograd.Pull:
    shape = array._data.shape

    def pull(_node: TapeNode, gradients: list[NDArray | None], recorded: bool) -> Sequence[NDArray | None]:
        gradient = gradients[0]
        # Without a gradient, zeros tell the sweep which variable one was refused for.
        return [array._filled(0) if gradient is None else _scatter(gradient, shape, key, recorded)]

    return pull


def _scatter(gradient: NDArray, shape: tuple[int, ...], key: Any, recorded: bool) -> NDArray:
    """Return zeros of `shape` with the gradient added at `key`. Its own gradient reads the key again."""
    platform = gradient._platform
    with platform.computing():
        total = platform.xp.zeros(shape, gradient._data.dtype)
        chosen = _placed(key, platform)
        place = platform.xp.asarray(total[chosen]).shape
        platform.xp.add.at(total, chosen, gradient._data.reshape(place))
    result = type(gradient)._wrap(total)
    if recorded and gradient._entry is not None:

        def pull(_node: TapeNode, second: list[NDArray | None], _recorded: bool) -> Sequence[NDArray | None]:
            return [None if second[0] is None else read(second[0], key)]

        result._entry = (TapeNode(pull, (gradient._entry,)), 0)
    return result
