"""Files of states, as MXNet writes them: a pickle of the states by index, alone or beside the optimizer.

They name classes of mxnet, whether or not this runtime is served under that name, and are read without running anything
that they name: objects become `Named`.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np

from hybridlint.runtime import lr_scheduler
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.optimizer.base import Optimizer
from hybridlint.runtime.serialization.params import parse_array

#: Attributes of ours that MXNet's classes do not have, or that files leave out.
_OWN = frozenset({"param_dict", "_sym_attributes", "_sums"})
#: What a file may call, by name: containers of bytes, and what numpy makes its numbers with.
_HARMLESS = {"bytearray": bytearray, "dtype": np.dtype, "scalar": np.float64(0).__reduce__()[0]}


class Named:
    """An object of a file: where its class stands, and its attributes."""

    module: str
    name: str

    def __init__(self, *_arguments: Any) -> None:
        self.attributes: dict[str, Any] = {}

    def __setstate__(self, state: Any) -> None:
        self.attributes = state


def dumps(states: Mapping[Any, Any], optimizer: Optimizer | None) -> bytes:
    """Return the file of states by index, which are None, arrays, or tuples of these, and of the optimizer if given.

    Raises what pickle raises for attributes that cannot be pickled, such as a scheduler that is a lambda.
    """
    whole = dict(states) if optimizer is None else (dict(states), optimizer)
    return b"\x80\x03" + _written(whole) + b"."


def loads(content: bytes) -> tuple[dict[Any, Any], Named | None]:
    """Return states by index, and the optimizer where the file has one. Raises MXNetError for any other file."""
    try:
        found = _Reader(io.BytesIO(content)).load()
        states, optimizer = found if isinstance(found, tuple) else (found, None)
        return {index: _arrays(state) for index, state in states.items()}, optimizer
    except (pickle.UnpicklingError, EOFError, ValueError, TypeError, AttributeError, KeyError, IndexError) as error:
        raise MXNetError(f"no states of an optimizer, as Updater.get_states returns them: {error}") from error


def restored(found: Named, current: Optimizer) -> Optimizer:
    """Return the optimizer of a file. Raises MXNetError for a class that is neither known nor that of `current`."""
    kind = type(current) if found.name == type(current).__name__ else Optimizer.opt_registry.get(found.name.lower())
    if kind is None:
        raise MXNetError(f"the states are of the optimizer {found.name}, which is not registered: import its module")
    optimizer = current if kind is type(current) else kind()
    scheduler = found.attributes.get("lr_scheduler")
    if isinstance(scheduler, Named):
        scheduler = _scheduler(scheduler, current.lr_scheduler)
    kept = {name: value for name, value in found.attributes.items() if name not in kind._others}
    vars(optimizer).update(kept, lr_scheduler=scheduler, param_dict=current.param_dict)
    optimizer._set_current_context(0)
    return optimizer


def _scheduler(found: Named, current: Any) -> Any:
    """Return the scheduler of a file: one of MXNet's, or the user's own, whose class the trainer knows."""
    kind = getattr(lr_scheduler, found.name, None) if found.module == "mxnet.lr_scheduler" else type(current)
    if kind is None or kind.__name__ != found.name:
        raise MXNetError(f"the states have a scheduler {found.name}: give the trainer one of that class first")
    scheduler: Any = object.__new__(kind)
    vars(scheduler).update(found.attributes)
    return scheduler


class _Reader(pickle.Unpickler):
    """Reads plain data, numbers of numpy, and objects as `Named`: a file of states shall not run code."""

    def find_class(self, module: str, name: str) -> Any:
        """Return what stands for a class."""
        if name in _HARMLESS and module.partition(".")[0] in {"builtins", "numpy"}:
            return _HARMLESS[name]
        return type(name, (Named,), {"module": module, "name": name})


def _arrays(state: Any) -> Any:
    if isinstance(state, tuple):
        return tuple(_arrays(part) for part in state)
    return NDArray(parse_array(state.attributes["handle"], "states")) if isinstance(state, Named) else state


def _written(value: Any) -> bytes:
    """Return the instructions that leave a value on the stack."""
    if isinstance(value, tuple):
        return b"(" + b"".join(map(_written, value)) + b"t"
    if isinstance(value, dict):
        return b"}" + b"".join(_written(key) + _written(part) + b"s" for key, part in value.items())
    if isinstance(value, NDArray):
        _, arguments, state = value.__reduce__()
        return _global("mxnet.ndarray.ndarray", "NDArray") + _written(arguments) + b"R" + _written(state) + b"b"
    if isinstance(value, Optimizer):
        return _object(value, {**value._others, **{k: v for k, v in vars(value).items() if k not in _OWN}})
    if isinstance(value, lr_scheduler.LRScheduler):
        return _object(value, vars(value))
    plain = value.item() if isinstance(value, np.generic) else value
    # Without its header and its end.
    return pickle.dumps(plain, protocol=3)[2:-1]


def _object(value: Any, attributes: Mapping[str, Any]) -> bytes:
    kind = type(value)
    return _global(_home(kind), kind.__qualname__) + b")\x81" + _written(dict(attributes)) + b"b"


def _home(kind: type) -> str:
    """Return the module in which MXNet has a class; a user's class stays where it is."""
    module = kind.__module__.replace("hybridlint.runtime", "mxnet", 1)
    if module.startswith("mxnet.optimizer."):
        return "mxnet.optimizer.contrib" if module.endswith(".contrib") else "mxnet.optimizer.optimizer"
    return module


def _global(module: str, name: str) -> bytes:
    return f"c{module}\n{name}\n".encode()
