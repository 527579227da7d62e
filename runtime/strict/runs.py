"""Strict eager runs of hybrid blocks, which raise on code that would fail or silently change once hybridized.

Inside `hybrid_forward`, the inputs, the parameters and all results of `F` are marked arrays. When user code asks one
for something a Symbol cannot do, it raises. The runtime's own code is not restricted.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any
from weakref import ref

from hybridlint.runtime import autograd
from hybridlint.runtime.core import inspection
from hybridlint.runtime.facts.surface import namespace_lacks
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.numpy.multiarray import ndarray
from hybridlint.runtime.strict.arrays import StrictArray, StrictNumpyArray, refuse
from hybridlint.runtime.strict.callers import Called, called_function, is_guarded, is_ours, user_call

_STRICT = (StrictArray, StrictNumpyArray)
#: Functions of F that require equal shapes once compiled.
_ELEMENTWISE = frozenset({"maximum", "minimum", "power"})
#: Modules whose functions run a single operator on the user's arguments.
_WHOLE = frozenset({"functions", "arithmetic", "creation", "random"})


@contextmanager
def strict() -> Iterator[None]:
    """Make eager runs of hybrid blocks raise NotHybridizableError, with a rule's code, inside the ``with`` block."""
    before = inspection.inspector
    inspection.inspector = _Strictness()
    try:
        yield
    finally:
        inspection.inspector = before


@dataclass(frozen=True, slots=True)
class _Run:
    """A run of the outermost `hybrid_forward`: its marked arrays, and those that represent arguments.

    `standing` maps the id of a stand-in to the argument. `scopes` are the scopes that were open before the run.
    """

    marked: list[ref[NDArray]] = field(default_factory=list)
    standing: dict[int, tuple[NDArray, NDArray]] = field(default_factory=dict)
    scopes: tuple[int, int] = field(default_factory=lambda: autograd.mode.scopes)

    def mark(self, array: NDArray) -> None:
        """Mark an array, so that it raises on what a Symbol cannot do."""
        array.__class__ = StrictNumpyArray if isinstance(array, ndarray) else StrictArray
        self.marked.append(ref(array))

    def release(self) -> None:
        """Unmark all arrays, wherever user code has stored them."""
        for marked in self.marked:
            array = marked()
            if array is not None:
                array.__class__ = ndarray if isinstance(array, ndarray) else NDArray

    def shown(self, value: Any) -> Any:
        """Return the stand-in for an argument, with marked arrays on the same memory and tape."""
        if not isinstance(value, NDArray) or isinstance(value, _STRICT):
            return value
        array = type(value)._wrap(value._data, value._entry)._on(value._ctx)
        self.standing[id(array)] = array, value
        self.mark(array)
        return array

    def original(self, value: Any) -> Any:
        """Return the argument that an array represents, or the array itself."""
        return self.standing[id(value)][1] if id(value) in self.standing else value


class _Strictness:
    """Marks arrays during the outermost `hybrid_forward`, separately in each thread."""

    def __init__(self) -> None:
        self._local = threading.local()

    @property
    def _current(self) -> _Run | None:
        return getattr(self._local, "run", None)

    def forward(self, run: Callable[..., Any], F: Any, args: Sequence[Any], params: Mapping[str, Any]) -> Any:
        """Run `hybrid_forward` on marked arrays, and return plain ones."""
        before = self._current
        # A child called with plain arrays only runs on its own, compiled or not, and returns an array.
        outer = None if before is None or _alone(args) else before
        current = self._local.run = outer or _Run()
        try:
            shown = [_mapped(value, current.shown) for value in args]
            found = run(F, *shown, **{name: current.shown(value) for name, value in params.items()})
        finally:
            self._local.run = before
            if outer is None:
                current.release()
        if outer is not None:
            return found
        _check_output(found, run, current.standing if autograd.mode.recording else {})
        return _mapped(found, current.original)

    def asked_mode(self, switch: int) -> None:
        """Raise NotHybridizableError if user code in `hybrid_forward` reads a mode that it has not set itself."""
        frame, current = sys._getframe(2), self._current
        if current is None or autograd.mode.scopes[switch] > current.scopes[switch]:
            return
        if not is_ours(frame) and not is_guarded(frame):
            refuse("HYB603", "what it says is frozen at the trace")

    def made(self, inputs: Sequence[NDArray | None], arrays: Sequence[NDArray], out: Any) -> None:
        """Mark results of marked arrays or of F. Raises if user code calls a function that takes no Symbol."""
        current = self._current
        if current is None:
            return
        tensors = [array for array in inputs if array is not None]
        known = any(isinstance(array, _STRICT) for array in tensors)
        call = _direct_call(sys._getframe(1))
        if call is not None:
            refusal = call.refusal(tensors, out)
            if refusal is not None and not is_guarded(call.user):
                refuse(*refusal)
        if out is None and (known or (call is not None and call.target.local)):
            for array in arrays:
                current.mark(array)


@dataclass(frozen=True, slots=True)
class _Call:
    """A runtime function that user code calls by name. `whole` is true if it runs a single operator."""

    user: FrameType
    target: Called
    whole: bool

    def refusal(self, tensors: Sequence[NDArray], out: Any) -> tuple[str, str] | None:
        """Return the rule code and reason why the call fails or differs on Symbols, or None."""
        path = self.target.path
        name = ".".join(path)
        strict_ones = [array for array in tensors if isinstance(array, _STRICT)]
        if not self.target.local:
            foreign = strict_ones and _is_array_function(self.target.root, path)
            return ("HYB502", f"`{name}` takes arrays only, and gets a Symbol once hybridized") if foreign else None
        if namespace_lacks(path[:-1], path[-1]):
            return "HYB501", f"the namespace of Symbols has no `{name}`"
        if out is not None:
            return "HYB507", f"`{name}` ignores `out` once hybridized"
        if self.whole and 0 < len(strict_ones) < len(tensors):
            return "HYB503", f"`{name}` gets an NDArray beside a Symbol once hybridized"
        if path[-1] in _ELEMENTWISE and len({array._data.shape for array in tensors}) > 1:
            return "HYB301", f"`{name}` does not broadcast once hybridized"
        return None


def _direct_call(frame: FrameType) -> _Call | None:
    """Return the call of an ``mx`` or F function in user code that led here, or None."""
    frames = user_call(frame)
    target = None if frames is None else called_function(frames[0])
    if frames is None or target is None or not target.path or not _is_of_runtime(target.root, "ndarray", "numpy", ""):
        return None
    user, entry = frames
    return _Call(user, target, entry.f_globals["__name__"].rpartition(".")[2] in _WHOLE)


def _alone(args: Sequence[Any]) -> bool:
    """Whether the arguments contain arrays, and none of them represents a Symbol."""
    arrays = [leaf for value in args for leaf in _leaves(value) if isinstance(leaf, NDArray)]
    return bool(arrays) and not any(isinstance(array, _STRICT) for array in arrays)


def _leaves(value: Any) -> Iterator[Any]:
    for item in value if isinstance(value, (list, tuple)) else ():
        yield from _leaves(item)
    if not isinstance(value, (list, tuple)):
        yield value


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """Apply a function to the leaves of nested lists and tuples."""
    if not isinstance(value, (list, tuple)):
        return change(value)
    items = [_mapped(item, change) for item in value]
    return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)


def _check_output(value: Any, run: Callable[..., Any], inputs: Container[int]) -> None:
    """Raise NotHybridizableError for an output that is not a tensor, or is one of the `inputs` (by id)."""
    name = type(getattr(run, "__self__", run)).__name__
    if isinstance(value, (list, tuple)):
        for item in value:
            _check_output(item, run, inputs)
    elif not isinstance(value, NDArray):
        refuse("HYB807", f"{name} returns a {type(value).__name__}, which is no output of a compiled graph")
    elif id(value) in inputs:
        refuse("HYB901", f"{name} returns an input or a parameter as it is: its gradient is lost once hybridized")


def _is_array_function(root: Any, path: Sequence[str]) -> bool:
    """Whether a dotted name refers to a function of ``mx.nd``, ``mx.np`` or ``mx.npx``."""
    place = root
    for name in path[:-1]:
        place = getattr(place, name, None)
    return _is_of_runtime(place, "ndarray", "numpy", "numpy_extension")


def _is_of_runtime(module: Any, *places: str) -> bool:
    """Whether a module is one of these modules of the runtime, or below one; ``""`` is the runtime itself."""
    root, _, rest = str(getattr(module, "__name__", "")).removeprefix("hybridlint.runtime").partition(".")
    return root in {"", "mxnet"} and rest.partition(".")[0] in places
