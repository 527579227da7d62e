"""Subscripts of NDArray: numpy's, except that a full index gives shape (1,), for legacy arrays have no scalars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hybridlint.runtime import autograd
from hybridlint.runtime.autograd import TapeNode
from hybridlint.runtime.ndarray.ndarray import NDArray


def read(array: NDArray, key: Any) -> NDArray:
    """Return ``array[key]``: a view for integers and slices, a copy for index arrays; recorded while recording.

    Raises ValueError for what is no subscript, IndexError for one out of bounds.
    """
    plain = plain_key(key, scalars=array._scalars)
    raw = np.asarray(array._data[plain])
    if raw.ndim == 0 and not array._scalars:
        raw = raw.reshape(1)
    entry = array._entry
    result = type(array)._wrap(raw)
    result._ctx = array._ctx
    if autograd.mode.recording and entry is not None:
        result._entry = (TapeNode(_pull_of(array._data.shape, plain), (entry,)), 0)
    return result


def write(array: NDArray, key: Any, value: Any) -> None:
    """Carry out ``array[key] = value``.

    Raises MXNetError for a recorded array, ValueError where the value does not fit.
    """
    from hybridlint.runtime.base import MXNetError

    if autograd.mode.recording and array._entry is not None:
        raise MXNetError(autograd.ASSIGNED)
    raw = value._data if isinstance(value, NDArray) else np.asarray(value)
    if raw.dtype == object:
        raise TypeError(f"NDArray does not support assignment with {value} of type {type(value)}")
    array._data[plain_key(key, scalars=array._scalars)] = raw


def plain_key(key: Any, *, scalars: bool = False) -> Any:
    """Return a subscript for numpy's arrays, with arrays of numpy in place of NDArrays.

    In numpy mode (`scalars`) bool is a mask, in the legacy interface an index of 0 or 1. Raises ValueError.
    """
    if isinstance(key, tuple):
        return tuple(plain_key(k, scalars=scalars) for k in key)
    if isinstance(key, (bool, np.bool_)):
        return bool(key) if scalars else int(key)
    if isinstance(key, NDArray):
        return _indices(key._data, masks=True)
    if isinstance(key, (list, range)):
        return _indices(np.array([k._data if isinstance(k, NDArray) else k for k in key]), masks=scalars)
    if isinstance(key, np.ndarray):
        return _indices(key, masks=scalars)
    if isinstance(key, (int, slice, np.integer)) or key is None or key is Ellipsis:
        return key
    raise ValueError(f"NDArray does not support slicing with key {key} of type {type(key)}.")


def _indices(raw: Any, *, masks: bool) -> Any:
    """Return an array of indices; floats are cut, and bool counts as 0 and 1 unless it is a mask."""
    return raw if raw.dtype.kind in "iu" or (masks and raw.dtype.kind == "b") else raw.astype(np.int64)


def _pull_of(shape: tuple[int, ...], key: Any) -> autograd.Pull:
    def pull(_node: TapeNode, gradients: list[NDArray | None], recorded: bool) -> Sequence[NDArray | None]:
        gradient = gradients[0]
        return [None if gradient is None else _scatter(gradient, shape, key, recorded)]

    return pull


def _scatter(gradient: NDArray, shape: tuple[int, ...], key: Any, recorded: bool) -> NDArray:
    """Return zeros of `shape` with the gradient added at `key`; its own pull reads the key again."""
    total = np.zeros(shape, gradient._data.dtype)
    place = np.asarray(total[key]).shape
    np.add.at(total, key, gradient._data.reshape(place))
    result = type(gradient)._wrap(total)
    if recorded and gradient._entry is not None:

        def pull(_node: TapeNode, second: list[NDArray | None], _recorded: bool) -> Sequence[NDArray | None]:
            return [None if second[0] is None else read(second[0], key)]

        result._entry = (TapeNode(pull, (gradient._entry,)), 0)
    return result
