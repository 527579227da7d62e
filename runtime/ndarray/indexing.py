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

    Raises IndexError for what is no subscript.
    """
    plain = plain_key(key)
    if isinstance(plain, np.ndarray) and plain.dtype.kind == "f":
        plain = plain.astype(np.int64)
    raw = np.asarray(array._data[plain])
    if raw.ndim == 0 and not array._scalars:
        raw = raw.reshape(1)
    entry = array._entry
    result = type(array)._wrap(raw)
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
    array._data[plain_key(key)] = raw


def plain_key(key: Any) -> Any:
    """Return a subscript with arrays in place of NDArrays."""
    if isinstance(key, tuple):
        return tuple(plain_key(k) for k in key)
    if isinstance(key, NDArray):
        return key._data if key._data.dtype.kind in "biu" else key._data.astype(np.int64)
    if isinstance(key, list):
        return [plain_key(k) for k in key]
    if isinstance(key, (int, slice, np.ndarray, np.integer)) or key is None or key is Ellipsis:
        return key
    raise IndexError(f"NDArray does not support slicing with key {key} of type {type(key)}.")


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
