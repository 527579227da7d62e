"""Events of what a trace runs once, or otherwise than an eager call does."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events.code_context import Event
from hybridlint.analysis.model.values import Tensor, Value
from hybridlint.runtime.facts.records import record


@record(frozen=True, slots=True, eq=False, repr=False)
class GuardEvent(Event):
    """A branch on the kind of array: isinstance, hasattr, ``F is mx.nd``. `differs` if the two results differ.

    `raises` is True for a ``try`` whose body fails only at the trace, so that the trace runs the handler instead.
    `guess` is True if the trace takes a setting in place of a size: the results differ for all sizes but one. `chooses`
    is True if the size then chooses between two computations, and `moves` if only eager runs change what the block
    computes with in later calls. `by_data` is True if the results differ only where eager runs read certain numbers.
    """

    how: str
    differs: bool
    raises: bool = False
    guess: bool = False
    chooses: bool = False
    moves: bool = False
    by_data: bool = False


@record(frozen=True, slots=True, eq=False, repr=False)
class ScopeEvent(Event):
    """``with autograd.pause()`` and similar scopes around operators.

    `name` is "pause", "record", "train_mode" or "predict_mode", or "name_scope" for ``with self.name_scope()``. `modal`
    is True if something in the scope may behave differently in train mode, `flows` if a result of the scope is used
    after it and lets gradients pass.
    """

    name: str
    modal: bool
    flows: bool
    #: Whether every call enters it, whatever the settings are.
    sure: bool = True


@record(frozen=True, slots=True, eq=False, repr=False)
class ControlFlow(Event):
    """An argument of `foreach`, `while_loop` or `cond` (`name`) that the Symbol form rejects, with the reason.

    `node` is the argument; `backward` is True if only computing gradients fails.
    """

    name: str
    reason: str
    backward: bool


@record(frozen=True, slots=True, eq=False, repr=False)
class SideEffect(Event):
    """An effect that happens only once, at the trace. `target` is the source text of what it writes to.

    `kind` is "print", "log", "warning", "append" (any change of a container that outlives the call), "attribute" (a
    store on self, a class or a child), "global", "nonlocal", "set_data" (of a Parameter), "buffer" (a write into an
    NDArray), "hook" (put on a child by ``__init__``) or "file".
    """

    kind: str
    target: str
    #: Whether the call reads the target's state from earlier calls before it writes.
    carried: bool = False
    #: The control flow operator whose function has the effect, on something that the function did not make itself.
    body: str | None = None
    #: Whether the target only sums up times and counts, which nothing in the file computes with.
    tally: bool = False
    #: Whether what is stored in an attribute depends on the inputs, or is not known.
    data: bool = True

    @property
    def reports(self) -> bool:
        """Whether it only tells people something."""
        return self.kind in {"print", "log", "warning"}


@record(frozen=True, slots=True, eq=False, repr=False)
class TraceConstant(Event):
    """A Python value that is frozen when the block is traced.

    `source_of_value` is the full dotted name of the function ("random.random", "numpy.random.rand", "time.time",
    "autograd.is_training"), or the attribute that changes from call to call ("self.count").
    """

    source_of_value: str
    used: bool


@record(frozen=True, slots=True, eq=False, repr=False)
class SettingChangedOutside(Event):
    """A setting that traced code reads although code outside of the trace changes it between calls.

    `node` is the read, `place` the change, and `by` the method or function around that.
    """

    name: str
    place: ast.AST
    by: str


@record(frozen=True, slots=True, eq=False, repr=False)
class Return(Event):
    """The return value of hybrid_forward.

    `inputs` are the arguments and parameters that are returned unchanged. It is empty for a block that another block of
    the file has as a child, where they are no outputs of the graph.
    """

    value: Value
    inputs: tuple[Tensor, ...]
    #: Whether the block may return elsewhere too.
    one_of_several: bool = False


@record(frozen=True, slots=True, eq=False, repr=False)
class Unfinished(Event):
    """A function that needs more steps than the interpreter allows, or code that is too `deep` for it.

    Code from line `row` on was not analyzed.
    """

    name: str
    row: int
    deep: bool = False
