"""The world in which a block runs: one version of the user's module, together with mxnet."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from hybridlint.proving.child.classes import ENTRY
from hybridlint.proving.child.module_snapshot import ModuleSnapshot


class LoadedModule:
    """One version of the user's module together with mxnet; expressions are evaluated in its namespace.

    `borrowed` maps names to classes and functions of other modules that expressions also use. The worlds of all
    versions of the user's module share this dictionary.
    """

    def __init__(self, mx: Any, module: Any, borrowed: dict[str, Any] | None = None) -> None:
        self.mx = mx
        self.module = module
        self.borrowed: dict[str, Any] = {} if borrowed is None else borrowed
        self.namespace: dict[str, Any] = {
            "mx": mx,
            "nd": mx.nd,
            "gluon": mx.gluon,
            "nn": mx.gluon.nn,
            "np": np,
            "SimpleNamespace": SimpleNamespace,
            **vars(module),
        }
        self.numpy_mode = _is_numpy_mode(mx)
        #: The name and path of each file of the project that this module imports, or that may change what it holds.
        self.related: Sequence[tuple[str, str]] = ()
        self._state = ModuleSnapshot(module) if isinstance(module, ModuleType) else None
        self._environment = dict(os.environ)

    def restore(self) -> None:
        """Reset the user's module and the environment variables to their state right after the import."""
        if os.environ != self._environment:
            os.environ.clear()
            os.environ.update(self._environment)
        if self._state is not None:
            self._state.restore()

    def of(self, cls: Any) -> LoadedModule:
        """Return the world for a class: itself, or a copy in numpy mode if the class has MXNet's numpy decorators."""
        if self.numpy_mode or not _decorated(self.mx, cls):
            return self
        found = copy.copy(self)
        found.numpy_mode = True
        return found

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Enable MXNet's numpy mode inside the context, if this world uses it."""
        with ExitStack() as stack:
            if self.numpy_mode:
                stack.enter_context(self.mx.util.np_shape(True))
                stack.enter_context(self.mx.util.np_array(True))
            yield

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression in the user's module. Raises whatever the expression raises."""
        return eval(expression, {**self.borrowed, **self.namespace})

    def borrow(self, value: Any) -> None:
        """Make a class or function of another module available to expressions by its name, unless the name is taken."""
        if self.namespace.get(value.__name__) is None:
            self.borrowed.setdefault(value.__name__, value)

    def array(self, raw: Any, dtype: str) -> Any:
        """Return the numpy array `raw` as an MXNet array: an `mx.np.ndarray` in numpy mode, else an `NDArray`."""
        maker = self.mx.np.array if self.numpy_mode else self.mx.nd.array
        return maker(raw.astype(dtype), dtype=dtype)


def _decorated(mx: Any, cls: Any) -> bool:
    """Whether a forward method is wrapped by one of mxnet's decorators for numpy mode."""
    methods = (vars(base).get(name) for base in getattr(cls, "__mro__", ()) for name in (ENTRY, "forward"))
    decorators = mx.util.use_np.__globals__
    return any(getattr(m, "__globals__", None) is decorators and hasattr(m, "__wrapped__") for m in methods)


def _is_numpy_mode(mx: Any) -> bool:
    try:
        return bool(mx.util.is_np_array())
    except AttributeError:
        return False
