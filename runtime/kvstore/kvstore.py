"""``mx.kvstore``: key-value stores that sum pushed values. With one process and one device, nothing is sent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from hybridlint.runtime import optimizer as optimizers
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.core.regular_files import read_file
from hybridlint.runtime.kvstore.base import KVStoreBase
from hybridlint.runtime.ndarray import NDArray
from hybridlint.runtime.ops.storage.structure import rows_at

#: What the names of stores hold that this runtime lacks: those of several machines, and of a library for GPUs.
_FOREIGN = ("dist", "nccl")


def create(name: str = "local") -> Any:
    """Return a store, or an instance of a registered class by its lowercase name.

    A name that MXNet does not know is that of a local store, as there. Raises TypeError if `name` is not a str,
    MXNetError for distributed stores and those of GPUs.
    """
    if not isinstance(name, str):
        raise TypeError("name must be a string")
    known = name.lower()
    if known in KVStoreBase.kv_registry:
        return KVStoreBase.kv_registry[known]()
    foreign = next((kind for kind in _FOREIGN if kind in known), None)
    if foreign is not None:
        raise MXNetError(f"the bundled runtime has no key-value store {name!r}, as it trains on one machine only")
    return KVStore(known)


class KVStore:
    """Values by key. Pushed arrays are summed; the sum replaces the value, or goes to the updater.

    Raises MXNetError for a key that is not initialized, or is initialized twice.
    """

    OPTIMIZER = "optimizer"

    def __init__(self, name: str) -> None:
        self.type = name
        self.rank = 0
        self.num_workers = 1
        self._values: dict[Any, NDArray] = {}
        self._updater: Callable[[Any, NDArray, NDArray], Any] | None = None

    def is_capable(self, capability: str) -> bool:
        """Return True for ``"optimizer"``: the store updates values itself. Raises MXNetError for anything else."""
        if capability.lower() != KVStore.OPTIMIZER:
            raise MXNetError(f"Unknown capability: {capability}")
        return True

    def init(self, key: Any, value: Any) -> None:
        """Set the first value of a key, or of several."""
        for one, given in self._of_one_kind(_pairs(key, value)):
            if one in self._values:
                raise MXNetError(f"duplicate init of key {one}")
            self._values[one] = _first(given).copy()

    def push(self, key: Any, value: Any, priority: int = 0) -> None:
        """Sum what is given for a key (one array, or one of each device) and update its value."""
        for one, given in self._of_one_kind(_pairs(key, value)):
            total = _summed(given)
            stored = self._value(one)
            if self._updater is not None:
                self._updater(one, total, stored)
            elif stored._is_sparse and not total._is_sparse:
                raise MXNetError(f"a dense array was pushed to key {one}, whose value is in sparse storage")
            else:
                total.copyto(stored)

    def pull(self, key: Any, out: Any = None, priority: int = 0, ignore_sparse: bool = True) -> None:
        """Copy values into arrays; those in sparse storage stay as they are with `ignore_sparse`."""
        for one, targets in self._of_one_kind(_pairs(key, out)):
            for target in _listed(targets):
                if not (ignore_sparse and target._is_sparse):
                    self._value(one).copyto(target)

    def row_sparse_pull(self, key: Any, out: Any = None, priority: int = 0, row_ids: Any = None) -> None:
        """Copy rows of values into arrays: those that `row_ids` has for each of them, in order and once.

        Raises AssertionError without arrays or rows, MXNetError for values and arrays in another storage.
        """
        if out is None or row_ids is None:
            raise AssertionError("row_sparse_pull needs out and row_ids")
        for one, targets in _pairs(key, out):
            arrays = _listed(targets)
            chosen = _listed(row_ids) if not isinstance(key, (list, tuple)) else _listed(row_ids[key.index(one)])
            value = self._value(one)
            for target, rows in zip(arrays, chosen * (len(arrays) if len(chosen) == 1 else 1), strict=True):
                if not (value.stype == target.stype == "row_sparse"):
                    raise MXNetError(f"rows of key {one} are pulled between row_sparse arrays only")
                kept = np.unique(rows.asnumpy().astype(np.int64))
                target._write(rows_at(np, value._stored, kept))

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Push, then pull into `out`, or into what was pushed."""
        self.push(key, value, priority)
        self.pull(key, value if out is None else out, priority)

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """Set the first value of a key and copy it into arrays."""
        self.init(key, value)
        self.pull(key, out, priority)

    def set_optimizer(self, optimizer: optimizers.Optimizer) -> None:
        """Set the optimizer that updates the values with each pushed gradient."""
        self._updater = optimizers.get_updater(optimizer)

    def set_gradient_compression(self, compression_params: Any) -> None:
        """Accept settings for sending gradients, without effect: none are sent.

        Raises Exception for a store in main memory, and MXNetError for an unknown type, as MXNet does.
        """
        if "device" not in self.type:
            raise Exception("Gradient compression is not supported for this type of kvstore")
        if compression_params.get("type") not in {"none", "2bit"}:
            raise MXNetError(f"Unknown type for gradient compression {compression_params.get('type')}")

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Write the optimizer's states."""
        Path(fname).write_bytes(self._states().get_states(dump_optimizer))

    def load_optimizer_states(self, fname: str) -> None:
        """Load the optimizer states written by `save_optimizer_states`."""
        self._states()._take(read_file(fname), fname)

    def _barrier(self) -> None:
        """Wait for the other workers: there are none."""

    def _take_over(self, key: Any, value: NDArray) -> None:
        """Set the stored value to one that may have been changed outside of the store."""
        value.copyto(self._value(key))

    def _set_updater(self, updater: Callable[[Any, NDArray, NDArray], Any]) -> None:
        self._updater = updater

    def _states(self) -> optimizers.Updater:
        if not isinstance(self._updater, optimizers.Updater):
            raise AssertionError("the store has no optimizer")
        return self._updater

    def _of_one_kind(self, pairs: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
        """Return the pairs. Raises MXNetError for a text among keys that are numbers, and the other way round."""
        known = next(iter(self._values), pairs[0][0] if pairs else None)
        if any(isinstance(key, str) is not isinstance(known, str) for key, _ in pairs):
            raise MXNetError("Mixed key types are not allowed")
        return pairs

    def _value(self, key: Any) -> NDArray:
        if key not in self._values:
            raise MXNetError(f"key {key} has not been inited")
        return self._values[key]


def _pairs(key: Any, value: Any) -> list[tuple[Any, Any]]:
    if not isinstance(key, (list, tuple)):
        return [(key, value)]
    if len(key) != len(value):
        raise MXNetError(f"{len(key)} keys need as many values, {len(value)} were given")
    return list(zip(key, value, strict=True))


def _listed(value: Any) -> list[NDArray]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _first(value: Any) -> NDArray:
    found: NDArray = value[0] if isinstance(value, (list, tuple)) else value
    return found


def _summed(value: Any) -> NDArray:
    total = _first(value)
    for more in value[1:] if isinstance(value, (list, tuple)) else ():
        total = total + more.as_in_context(total.context)
    return total
