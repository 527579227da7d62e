"""Automatic differentiation with a tape shared by eager operators and compiled graphs.

The tape is a graph of `TapeNode`s, reached from the arrays that they produced. Each node can pull gradients of its
outputs back to its inputs. An operator's pull evaluates its gradient rule over `nd`, so it can be recorded itself.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.core import inspection
from hybridlint.runtime.core.tape_errors import NOT_IN_GRAPH
from hybridlint.runtime.facts.registry import Refusal

if TYPE_CHECKING:
    from types import TracebackType

    from hybridlint.runtime.ndarray.ndarray import NDArray
    from hybridlint.runtime.symbol.symbol import Symbol


class _Mode(threading.local):
    """The recording and training switches of a thread.

    `deriving` is true under ``create_graph=True``, `sweeping` in every backward pass.
    `scopes` counts the open ``with`` blocks that set recording, and those that set training.
    """

    recording = False
    training = False
    deriving = False
    sweeping = False
    scopes = (0, 0)


mode = _Mode()


class TapeNode:
    """A recorded computation, or a variable.

    `pull` takes the node, one gradient (or None) per output, and whether the pull itself is recorded. It returns one
    gradient, None or Refusal per input. It holds no reference to the node, so that a tape is freed by reference
    counting. A variable has no pull; it holds the array that gradients are written for. `origin` is used by
    `get_symbol`: the operator or compiled graph, its parameters and the data of its inputs. `fresh` is true if a
    trainer has not yet used the variable's current gradient. `updates` is true if the pull also updates running
    statistics: as in MXNet, it then runs below operators without a gradient too.
    """

    __slots__ = ("__weakref__", "fresh", "inputs", "origin", "outputs", "pull", "updates", "variable")

    def __init__(
        self,
        pull: Pull | None,
        inputs: Sequence[Entry | None] = (),
        outputs: int = 1,
        variable: NDArray | None = None,
        origin: Any = None,
        updates: bool = False,
    ) -> None:
        self.pull = pull
        self.updates = updates
        self.origin = origin
        self.inputs = inputs
        self.outputs = outputs
        self.variable = variable
        self.fresh = False

    @property
    def freed(self) -> bool:
        """Whether an earlier backward pass has freed the graph here."""
        return self.pull is None and self.variable is None


Entry: TypeAlias = tuple[TapeNode, int]
Pull: TypeAlias = Callable[[TapeNode, "list[NDArray | None]", bool], "Sequence[NDArray | Refusal | None]"]


class _Scope:
    """Set the switches of this thread inside a with block."""

    def __init__(self, recording: bool | None, training: bool | None) -> None:
        self._wanted = (recording, training)
        self._before: list[tuple[bool, bool, tuple[int, int]]] = []

    def __enter__(self) -> None:
        self._before.append((mode.recording, mode.training, mode.scopes))
        recording, training = self._wanted
        mode.scopes = mode.scopes[0] + (recording is not None), mode.scopes[1] + (training is not None)
        if recording is not None:
            mode.recording = recording
        if training is not None:
            mode.training = training

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        mode.recording, mode.training, mode.scopes = self._before.pop()


@contextmanager
def _deriving(switch: bool) -> Iterator[None]:
    before = mode.deriving, mode.sweeping
    mode.deriving, mode.sweeping = switch, True
    try:
        yield
    finally:
        mode.deriving, mode.sweeping = before


def record(train_mode: bool = True) -> _Scope:
    """Return a scope in which operators are recorded, by default in train mode."""
    return _Scope(True, train_mode)


def pause(train_mode: bool = False) -> _Scope:
    """Return a scope in which nothing is recorded, in predict mode by default."""
    return _Scope(False, train_mode)


def train_mode() -> _Scope:
    """Return a scope in train mode. Recording is left as it is."""
    return _Scope(None, True)


def predict_mode() -> _Scope:
    """Return a scope in predict mode. Recording is left as it is."""
    return _Scope(None, False)


def is_recording() -> bool:
    """Return whether operators are recorded."""
    if inspection.inspector is not None:
        inspection.inspector.asked_mode(0)
    return mode.recording


def is_training() -> bool:
    """Return whether train mode is on."""
    if inspection.inspector is not None:
        inspection.inspector.asked_mode(1)
    return mode.training


def set_recording(is_recording: bool) -> bool:
    """Switch recording on or off, and return the previous value."""
    before, mode.recording = mode.recording, bool(is_recording)
    return before


def set_training(train_mode: bool) -> bool:
    """Switch train mode on or off, and return the previous value."""
    before, mode.training = mode.training, bool(train_mode)
    return before


def mark_variables(
    variables: NDArray | Sequence[NDArray],
    gradients: NDArray | Sequence[NDArray],
    grad_reqs: str | Sequence[str] = "write",
) -> None:
    """Attach gradient arrays to variables, to be written by `backward`."""
    arrays = _listed(variables)
    reqs = [grad_reqs] * len(arrays) if isinstance(grad_reqs, str) else list(grad_reqs)
    for array, gradient, req in zip(arrays, _listed(gradients), reqs, strict=True):
        array._mark(gradient, req)


def backward(
    heads: NDArray | Sequence[NDArray],
    head_grads: NDArray | Sequence[NDArray | None] | None = None,
    retain_graph: bool = False,
    train_mode: bool = True,
) -> None:
    """Compute the gradients of `heads` with respect to all marked variables, written according to each `grad_req`.

    Missing head gradients are ones. Raises MXNetError if a head was not recorded.
    """
    arrays = _listed(heads)
    variables = _Sweep(arrays, _head_gradients(arrays, head_grads)).run(retain_graph, False, train_mode)
    for node, gradient in variables:
        assert node.variable is not None
        node.variable._receive_gradient(gradient)
        node.fresh = True


def grad(
    heads: NDArray | Sequence[NDArray],
    variables: NDArray | Sequence[NDArray],
    head_grads: NDArray | Sequence[NDArray | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    train_mode: bool = True,
) -> list[NDArray]:
    """Return a list with the gradient of `heads` for each variable; with `create_graph` they are recorded.

    Raises MXNetError if a head was not recorded, ValueError if a variable was not marked.
    """
    arrays, wanted = _listed(heads), _listed(variables)
    if any(v._entry is None for v in wanted):
        raise MXNetError("Cannot differentiate with respect to a variable that was not marked: call attach_grad first")
    sweep = _Sweep(arrays, _head_gradients(arrays, head_grads), [v._entry for v in wanted if v._entry])
    sweep.run(create_graph if retain_graph is None else retain_graph, create_graph, train_mode)
    result = [sweep.gradient_of(v) for v in wanted]
    return [_connected(g, v) for g, v in zip(result, wanted, strict=True)] if create_graph else result


def _connected(gradient: NDArray, variable: NDArray) -> NDArray:
    """Return a gradient on the tape. If it does not depend on its variable, its own gradient is zero."""
    if gradient._entry is not None:
        return gradient
    return gradient._wrap(gradient._data, (TapeNode(lambda *_: [variable._filled(0)], (variable._entry,)), 0))


def get_symbol(x: NDArray) -> Symbol:
    """Return the recorded computation of an array as a symbol. Raises MXNetError if none was recorded."""
    from hybridlint.runtime.core import tape_symbol

    return tape_symbol.get_symbol(x)


class _Sweep:
    """One backward pass over the tape."""

    def __init__(self, heads: Sequence[NDArray], gradients: Sequence[NDArray], wanted: Sequence[Entry] = ()) -> None:
        self._heads = heads
        self._wanted = set(wanted)
        self._kept: dict[Entry, NDArray] = {}
        self._sums: dict[Entry, NDArray] = {}
        #: Entries whose gradient an operator refuses to compute. Reaching a variable through one is an error.
        self._refused: dict[Entry, Refusal] = {}
        for head, gradient in zip(heads, gradients, strict=True):
            if head._entry is None or head._entry[0].freed:
                raise MXNetError(NOT_IN_GRAPH)
            self._add(head._entry, gradient)

    def run(self, retain_graph: bool, create_graph: bool, training: bool) -> list[tuple[TapeNode, NDArray]]:
        found = []
        nodes = _topological([h._entry[0] for h in self._heads if h._entry])
        with _Scope(create_graph, training), _deriving(create_graph):
            for node in reversed(nodes):
                if node.variable is not None:
                    found.append((node, self._gradient(node, node.variable)))
                elif node.pull is not None:
                    self._pull(node, create_graph)
        if not retain_graph:
            for node in nodes:
                if node.variable is None:
                    node.pull, node.inputs, node.origin = None, (), None
        return found

    def gradient_of(self, array: NDArray) -> NDArray:
        assert array._entry is not None
        found = self._kept.get(array._entry)
        return array._filled(0) if found is None else found

    def _gradient(self, node: TapeNode, variable: NDArray) -> NDArray:
        """Return a variable's gradient; as in MXNet, zeros if the path to it is cut."""
        refusal = self._refused.get((node, 0))
        if refusal is not None and (not self._wanted or (node, 0) in self._wanted):
            raise MXNetError(refusal.reason)
        return self._take((node, 0)) if (node, 0) in self._sums else variable._filled(0)

    def _pull(self, node: TapeNode, create_graph: bool) -> None:
        outputs = [(node, k) for k in range(node.outputs)]
        gradients = [self._take(entry) if entry in self._sums else None for entry in outputs]
        refusal = next((self._refused[entry] for entry in outputs if entry in self._refused), None)
        if node.pull is None or (refusal is None and not node.updates and all(g is None for g in gradients)):
            return
        for entry, gradient in zip(node.inputs, node.pull(node, gradients, create_graph), strict=True):
            if entry is None or gradient is None:
                continue
            if isinstance(gradient, Refusal):
                self._refused[entry] = gradient
                continue
            if refusal is not None:
                self._refused[entry] = refusal
            self._add(entry, gradient)

    def _add(self, entry: Entry, gradient: NDArray) -> None:
        before = self._sums.get(entry)
        self._sums[entry] = gradient if before is None else before + gradient

    def _take(self, entry: Entry) -> NDArray:
        gradient = self._sums.pop(entry)
        if entry in self._wanted:
            self._kept[entry] = gradient
        return gradient


def _topological(roots: Sequence[TapeNode]) -> list[TapeNode]:
    """Return all nodes below the roots, inputs first. Iterative, because tapes are deep."""
    order: list[TapeNode] = []
    seen: set[int] = set()
    stack: list[tuple[TapeNode, Iterator[Entry | None]]] = []
    for root in roots:
        if id(root) not in seen:
            seen.add(id(root))
            stack.append((root, iter(root.inputs)))
        while stack:
            node, rest = stack[-1]
            for entry in rest:
                if entry is not None and id(entry[0]) not in seen:
                    seen.add(id(entry[0]))
                    stack.append((entry[0], iter(entry[0].inputs)))
                    break
            else:
                order.append(node)
                stack.pop()
    return order


def _listed(arrays: NDArray | Sequence[NDArray]) -> list[NDArray]:
    return list(arrays) if isinstance(arrays, (list, tuple)) else [arrays]  # type: ignore[list-item]


def _head_gradients(heads: Sequence[NDArray], given: NDArray | Sequence[NDArray | None] | None) -> list[NDArray]:
    gradients: list[Any] = [None] * len(heads) if given is None else _listed(given)  # type: ignore[arg-type]
    if len(gradients) != len(heads):
        raise ValueError(f"{len(heads)} heads need as many head gradients, {len(gradients)} were given")
    return [h._filled(1) if g is None else g for h, g in zip(heads, gradients, strict=True)]


class Function:
    """Base class of differentiable functions with a custom backward.

    ``forward(*inputs)`` runs on arrays without being recorded; ``backward(*output gradients)`` returns one gradient per
    input. A traced graph does not contain the custom backward: MXNet drops it there, and so does this runtime.
    """

    def __init__(self) -> None:
        self._saved_: tuple[NDArray, ...] = ()
        self._shapes_: tuple[tuple[int, ...], ...] = ()
        self._used = False

    @property
    def saved_tensors(self) -> tuple[NDArray, ...]:
        """Arrays kept by `save_for_backward`."""
        return self._saved_

    def save_for_backward(self, *args: NDArray) -> None:
        """Save arrays for use in `backward`."""
        self._saved_ = args

    def __call__(self, *inputs: NDArray) -> Any:
        if self._used:
            raise AssertionError("Each Function instance can only be called once. Please create another instance.")
        self._used = True
        with pause(mode.training):
            outputs = self.forward(*inputs)
        arrays = _listed(outputs)
        if mode.recording and any(x._entry is not None for x in inputs):
            if any(not hasattr(array, "_detached") for array in arrays):
                raise TypeError(f"forward of {type(self).__name__} returns no array, but {outputs!r}")
            self._shapes_ = tuple(x.shape for x in inputs)
            arrays = [a._detached() for a in arrays]
            node = TapeNode(self._pull_, [x._entry for x in inputs], len(arrays))
            for k, array in enumerate(arrays):
                array._entry = (node, k)
        return tuple(arrays) if isinstance(outputs, (list, tuple)) else arrays[0]

    def _pull_(self, _node: TapeNode, gradients: list[NDArray | None], _recorded: bool) -> Sequence[NDArray | None]:
        """Return the gradients of the inputs. Raises MXNetError for all that goes wrong, as MXNet's C++ code does."""
        try:
            found = _listed(self.backward(*gradients))
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise MXNetError(f"backward of {type(self).__name__} failed: {reason}") from error
        shapes = tuple(getattr(gradient, "shape", None) for gradient in found)
        if shapes != self._shapes_ or not all(hasattr(gradient, "_detached") for gradient in found):
            raise MXNetError(
                f"backward of {type(self).__name__} has to return one array for each input, of the shapes "
                f"{', '.join(map(str, self._shapes_))}, and returned {found}"
            )
        return found

    def forward(self, *inputs: NDArray) -> Any:
        """Compute the outputs."""
        raise NotImplementedError(f"{type(self).__name__} does not implement forward")

    def backward(self, *output_grads: Any) -> Any:
        """Compute the gradients of the inputs."""
        raise NotImplementedError(f"{type(self).__name__} does not implement backward")
