"""Arrays by their storage, and what is said where an operator has no kernel for a storage."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.facts.storage import DENSE, Csr, Fallback, RowSparse

_told: set[str] = set()


class _Maker:
    """Makes arrays of elements in any storage. The classes enter themselves."""

    def __init__(self) -> None:
        self.classes: dict[str, Any] = {}

    def __call__(self, value: Any, dense: Any, entry: Any = None) -> Any:
        """Return an array of the class of the value's storage, `dense` for that of dense ones."""
        kind = dense if not is_sparse(value) else self.classes[value.stype]
        return kind._wrap(value, entry)


stored_array = _Maker()


def is_sparse(value: Any) -> bool:
    """Whether elements are in sparse storage."""
    return isinstance(value, (Csr, RowSparse))


def decide_storage(op: Operator, stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    """Return the storage type of an operator's result, DENSE, or how MXNet falls back."""
    storage = op.storage
    if storage is None:
        return Fallback()
    if storage.keeps_zero and not _keeps_zero(op, params):
        return storage.otherwise
    try:
        return storage.infer(tuple(stypes), params)
    except ValueError as error:
        raise MXNetError(f"Error in operator {op.name}: {error}") from error


def stores_dense(op: Operator, inputs: int, params: Mapping[str, Any]) -> bool:
    """Whether an operator of dense inputs gives an array in sparse storage, or is there for sparse storage only."""
    if op.storage is None or not op.storage.from_dense:
        return False
    return op.storage.only or decide_storage(op, ["default"] * inputs, params) in {"csr", "row_sparse"}


def _keeps_zero(op: Operator, params: Mapping[str, Any]) -> bool:
    with np.errstate(all="ignore"):
        return bool(np.asarray(op.kernel(np, np.zeros(1), **params))[0] == 0)


def result_storage(op: Operator, inputs: Sequence[Any], params: Mapping[str, Any], out: Any, *, quiet: bool) -> Any:
    """Return what `decide_storage` says of these inputs; unless `quiet`, tell of a fallback once for each kind of call.

    DENSE for dense inputs that give a dense result.
    """
    stypes = ["default" if x is None else x.stype for x in inputs]
    dense = op.storage is None or not op.storage.from_dense
    found = Fallback() if dense and all(s == "default" for s in stypes) else decide_storage(op, stypes, params)
    targets = out if isinstance(out, (list, tuple)) else [out]
    wanted = [None if target is None else target.stype for target in targets]
    if (
        wanted[0] is not None
        and not isinstance(found, Fallback)
        and wanted[0] != ("default" if found == DENSE else found)
    ):
        # What has a kernel for these inputs has none that writes to such an array.
        found = Fallback(wanted[0])
    if isinstance(found, Fallback):
        # Hidden results are told of too, where no array is given to write into.
        kept = [found.stype] * op.outputs(params) if out is None else [w or found.stype for w in wanted]
        if not quiet and any(s != "default" for s in (*stypes, *kept)):
            _tell(op, [s for s, x in zip(stypes, inputs, strict=True) if x is not None], kept, params)
    return found


def _tell(op: Operator, stypes: Sequence[str], results: Sequence[str], params: Mapping[str, Any]) -> None:
    if os.environ.get("MXNET_STORAGE_FALLBACK_LOG_VERBOSE", "1") == "0":
        return
    given = {k: v for k, v in params.items() if op.params[k].required or v != op.params[k].default}
    shown = "".join(f'"{name}" : {value}, ' for name, value in given.items())
    text = (
        "\nStorage type fallback detected:\n"
        f"operator = {op.name}\n"
        f"input storage types = [{_listed(stypes)}]\n"
        f"output storage types = [{_listed(results)}]\n"
        f"params = {{{shown}}}\n"
        "context.dev_mask = cpu\n"
        "The operator with default storage type will be dispatched for execution. You're seeing this warning message "
        "because the operator above is unable to process the given ndarrays with specified storage types, context and "
        "parameter. Temporary dense ndarrays are generated in order to execute the operator. This does not affect the "
        "correctness of the programme. You can set environment variable MXNET_STORAGE_FALLBACK_LOG_VERBOSE to 0 to "
        "suppress this warning."
    )
    if text not in _told:
        _told.add(text)
        print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr)


def _listed(stypes: Sequence[str]) -> str:
    return "".join(f"{stype}, " for stype in stypes)


def kernel_result(op: Operator, values: Sequence[Any], params: Mapping[str, Any]) -> Any:
    """Run an operator's kernel for sparse storage, in main memory."""
    assert op.storage is not None
    kernel: Callable[..., Any] = op.storage.kernel  # type: ignore[assignment]
    return kernel(op.kernel, np, *values, **params)


__all__ = ["DENSE", "decide_storage", "is_sparse", "kernel_result", "result_storage", "stored_array", "stores_dense"]
