"""Optimizer state files as MXNet writes them: a pickle of the states by index, optionally with the optimizer.

They refer to classes of mxnet, whether or not this runtime is served under that name. Reading runs no code that they
refer to.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np

from hybridlint.runtime import lr_scheduler
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.core.storage_types import is_sparse, stored_array
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.optimizer.base import Optimizer
from hybridlint.runtime.serialization import pickles
from hybridlint.runtime.serialization.params import parse_stored
from hybridlint.runtime.serialization.pickles import Object

#: Attributes of ours that MXNet's classes do not have, or that files leave out.
_OWN = frozenset({"param_dict", "_sym_attributes_", "_sums"})
#: The classes of arrays.
_ARRAYS = frozenset({"NDArray", "CSRNDArray", "RowSparseNDArray"})


def dumps(states: Mapping[Any, Any], optimizer: Optimizer | None) -> bytes:
    """Return the file of an optimizer's states by index, with the optimizer if it is given.

    States are None, arrays, or tuples of these. Raises pickle's errors for attributes that cannot be pickled, such as a
    scheduler that is a lambda.
    """
    whole = dict(states) if optimizer is None else (dict(states), optimizer)
    return b"\x80\x03" + _written(whole) + b"."


def loads(content: bytes, origin: str = "states") -> tuple[dict[Any, Any], Object | None]:
    """Return states by index, and the optimizer where the file has one. Raises MXNetError for any other file.

    Its message begins with `origin`.
    """
    try:
        found = pickles.load(content)
        states, optimizer = found if isinstance(found, tuple) and len(found) == 2 else (found, None)
        if not isinstance(states, dict):
            raise MXNetError("it has no states by index")
        arrays = _Arrays(len(content))
        if optimizer is not None:
            _complete(optimizer, arrays)
        return arrays.of(states), optimizer
    except MXNetError as error:
        raise MXNetError(f"{origin}: no states of an optimizer, as Updater.get_states returns them: {error}") from error


def restored(found: Object, current: Optimizer, origin: str = "states") -> Optimizer:
    """Return the optimizer of a file. Raises MXNetError for a class that is neither known nor that of `current`."""
    name = found.kind.name
    kind = type(current) if name == type(current).__name__ else Optimizer.opt_registry.get(name.lower())
    if kind is None:
        raise MXNetError(
            f"{origin}: the states are of the optimizer {name}, which is not registered: import its module"
        )
    optimizer = current if kind is type(current) else kind()
    kept = {name: value for name, value in (found.attributes or {}).items() if name not in kind._others_}
    if isinstance(kept.get("lr_scheduler"), Object):
        kept["lr_scheduler"] = _scheduler(kept["lr_scheduler"], current.lr_scheduler, origin)
    vars(optimizer).update(kept, param_dict=current.param_dict)
    optimizer._set_current_context(0)
    return optimizer


def _scheduler(found: Object, current: Any, origin: str) -> Any:
    """Return the scheduler of a file: one of MXNet's, or the user's own, whose class the trainer knows."""
    name, ours = found.kind.name, found.kind.module == "mxnet.lr_scheduler"
    kind = getattr(lr_scheduler, name, None) if ours else type(current)
    if not isinstance(kind, type) or kind.__name__ != name:
        raise MXNetError(f"{origin}: the states have a scheduler {name}: give the trainer one of that class first")
    scheduler: Any = object.__new__(kind)
    vars(scheduler).update(found.attributes or {})
    return scheduler


def _complete(optimizer: Any, arrays: _Arrays) -> None:
    """Make the arrays of an optimizer and its scheduler. Raises MXNetError for anything else, and other objects."""
    if not isinstance(optimizer, Object) or optimizer.attributes is None:
        raise MXNetError("what stands beside the states is no optimizer")
    scheduler = optimizer.attributes.get("lr_scheduler")
    if isinstance(scheduler, Object) and scheduler.attributes is not None:
        scheduler.attributes = arrays.of(scheduler.attributes)
    others = {name: value for name, value in optimizer.attributes.items() if name != "lr_scheduler"}
    optimizer.attributes = {**arrays.of(others), "lr_scheduler": scheduler}


class _Arrays:
    """Creates the arrays of a file; in total they are no larger than the file. Shared objects stay shared."""

    def __init__(self, left: int) -> None:
        self._left = left
        # Each result with its source object, which is kept alive so that its id stays unique.
        self._made: dict[int, tuple[Any, Any]] = {}

    def of(self, value: Any) -> Any:
        """Return a value with its descriptions of arrays replaced by arrays."""
        if not isinstance(value, (tuple, list, dict, Object)):
            return value
        if id(value) not in self._made:
            self._made[id(value)] = value, self._of(value)
        return self._made[id(value)][1]

    def _of(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self.of(part) for key, part in value.items()}
        if isinstance(value, (tuple, list)):
            return type(value)(map(self.of, value))
        return self._array(value)

    def _array(self, found: Object) -> NDArray:
        content = (found.attributes or {}).get("handle")
        if found.kind.name not in _ARRAYS or not isinstance(content, bytes):
            raise MXNetError(f"it has an object of the class {found.kind}, which holds no array")
        self._left -= len(content)
        if self._left < 0:
            raise MXNetError("its arrays are larger than the file")
        held = parse_stored(content, "an array")
        if held is None:
            raise MXNetError("an array is missing")
        return stored_array(held, NDArray) if is_sparse(held) else NDArray(held)


def _written(value: Any) -> bytes:
    """Return the instructions that leave a value on the stack."""
    if isinstance(value, tuple):
        return b"(" + b"".join(map(_written, value)) + b"t"
    if isinstance(value, dict):
        return b"}" + b"".join(_written(key) + _written(part) + b"s" for key, part in value.items())
    if isinstance(value, NDArray):
        _, arguments, state = value.__reduce__()
        home = (
            ("mxnet.ndarray.sparse", type(value).__name__) if value._is_sparse else ("mxnet.ndarray.ndarray", "NDArray")
        )
        return _global(*home) + _written(arguments) + b"R" + _written(state) + b"b"
    if isinstance(value, Optimizer):
        return _object(value, {**value._others_, **{k: v for k, v in vars(value).items() if k not in _OWN}})
    if isinstance(value, lr_scheduler.LRScheduler):
        return _object(value, vars(value))
    plain = value.item() if isinstance(value, np.generic) else value
    # Without its header and its end.
    return pickle.dumps(plain, protocol=3)[2:-1]


def _object(value: Any, attributes: Mapping[str, Any]) -> bytes:
    kind = type(value)
    return _global(_home(kind), kind.__qualname__) + b")\x81" + _written(dict(attributes)) + b"b"


def _home(kind: type) -> str:
    """Return the module name under which MXNet has a class. A user's class keeps its own."""
    module = kind.__module__.replace("hybridlint.runtime", "mxnet", 1)
    if module.startswith("mxnet.optimizer."):
        return "mxnet.optimizer.contrib" if module.endswith(".contrib") else "mxnet.optimizer.optimizer"
    return module


def _global(module: str, name: str) -> bytes:
    return f"c{module}\n{name}\n".encode()
