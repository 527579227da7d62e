"""A user's block during a proof, restored to its original state afterwards."""

from __future__ import annotations

import inspect
import random
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from hybridlint.analysis.mxnet.classes import BLOCK


def mxnet_of(block: Any) -> Any:
    """Return the mxnet module that a block's class comes from, served or real. Raises TypeError for other objects."""
    for base in type(block).__mro__:
        root, gluon, _ = base.__module__.partition(".gluon.")
        if base.__name__ == BLOCK and gluon:
            return sys.modules[root]
    if isinstance(block, type):
        raise TypeError(f"expected a Gluon block, got the class {block.__name__}: build one, {block.__name__}(...)")
    name = type(block).__name__
    raise TypeError(f"expected a Gluon block, got {'an' if name[:1] in 'aeiou' else 'a'} {name}")


#: What `Parameter.cast` replaces in a parameter, and the symbol that a trace makes of it; the same names in MXNet.
_CAST = ("_dtype", "_data", "_grad", "_var")


class _Kept(NamedTuple):
    """A parameter as it was: what a cast replaces, and its arrays, each with its values."""

    parameter: Any
    state: dict[str, Any]
    arrays: list[tuple[Any, Any]]

    @property
    def is_cast(self) -> bool:
        """Whether the parameter has been cast since."""
        return bool(self.parameter._dtype != self.state["_dtype"])


class LiveBlock:
    """A block and the state that a proof changes: parameters, gradients and compiled graphs."""

    def __init__(self, mx: Any, block: Any) -> None:
        self.mx = mx
        self.block = block
        hybrid = mx.gluon.HybridBlock
        self._parts = [part for part in _walk(block) if isinstance(part, hybrid)]
        self._flags = [(part._active, part._flags) for part in self._parts]
        self._kept: list[_Kept] = []

    @property
    def castable(self) -> bool:
        """Whether a cast of the block to another dtype can be taken back: all its parameters have one dtype."""
        return len(self._dtypes()) == 1

    def eager(self) -> Any:
        """Return the block in eager mode and in the dtype it came with, with its compiled graphs cleared."""
        self._uncast()
        for part in self._parts:
            part._active = False
            part._clear_cached_op()
        return self.block

    def keep(self) -> None:
        """Save the values and gradients of the parameters, which must be initialized."""
        self._kept = [
            _Kept(p, {name: vars(p)[name] for name in _CAST}, [(array, array.asnumpy()) for array in _arrays(p)])
            for p in self.block.collect_params().values()
        ]

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Restore everything at the end: saved values, flags, and the random states of Python and numpy.

        mxnet's random state cannot be restored; it is seeded anew.
        """
        states = random.getstate(), np.random.get_state()
        seed = random.randrange(2**31)
        # On the bundled runtime, the eager runs are the reference, so strict mode is switched off.
        inspection = getattr(self.mx, "inspection", SimpleNamespace(inspector=None))
        inspector, inspection.inspector = inspection.inspector, None
        try:
            with warnings.catch_warnings(), self.mx.autograd.pause():
                warnings.simplefilter("ignore")
                yield
        finally:
            inspection.inspector = inspector
            self._uncast()
            for array, values in (pair for kept in self._kept for pair in kept.arrays):
                array[:] = values
            for k, part in enumerate(self._parts):
                part._active, part._flags = self._flags[k]
                part._clear_cached_op()
            random.setstate(states[0])
            np.random.set_state(states[1])
            self.mx.random.seed(seed)

    def _uncast(self) -> None:
        """Take back a cast: the block gets the dtype that it came with, and its parameters their own arrays."""
        if any(kept.is_cast for kept in self._kept):
            (dtype,) = self._dtypes()
            self.block.cast(dtype)
            for kept in self._kept:
                vars(kept.parameter).update(kept.state)

    def _dtypes(self) -> set[str]:
        return {np.dtype(array.dtype).name for kept in self._kept for array, _ in kept.arrays}


def _arrays(parameter: Any) -> list[Any]:
    return [*parameter.list_data(), *([] if parameter.grad_req == "null" else parameter.list_grad())]


def _walk(block: Any) -> Iterator[Any]:
    yield block
    for child in block._children.values():
        yield from _walk(child)


def source_of(block: Any) -> tuple[Path | None, str]:
    """Return the file, and its text, of the first class in the block's tree that is not mxnet's own."""
    for part in _walk(block):
        cls = type(part)
        if cls.__module__.startswith(("mxnet.", "hybridlint.runtime.")):
            continue
        try:
            path = inspect.getsourcefile(cls)
            lines = None if path is None else inspect.findsource(cls)[0]
        except (OSError, TypeError):
            continue
        if path is not None and lines is not None:
            return Path(path), "".join(lines)
    return None, ""
