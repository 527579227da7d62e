"""Constructor arguments that a block stores in attributes and calls, so that they must be blocks."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from enum import Enum
from typing import Any, NamedTuple

from hybridlint.proving.child.brief.code import class_facts, facts_of
from hybridlint.proving.child.classes import ENTRY

#: Expressions for a block with one input and one output, and for a network whose children can be used.
LAYERS = ("nn.Dense(4)", "nn.Conv2D(4, 3, padding=1)")
SEQUENTIALS = tuple(
    f"(lambda net: net.add({layer}, {layer}) or net)(nn.HybridSequential())"
    for layer in ("nn.Conv2D(4, 3, padding=1)", "nn.Dense(4)")
)


#: The block that stands in for a network if only its numbers of inputs and outputs are known.
_STAND_IN = "nn.HybridLambda"
_RESULTS = ("F.tanh(x)", "F.sigmoid(x)")


class BlockUsage(Enum):
    """How a block uses a block argument: it only calls the block, or uses the block's children too."""

    CALLED = "called"
    TAKEN_APART = "taken apart"


class BlockCallShape(NamedTuple):
    """How a block calls another block: with how many inputs, and how many outputs it unpacks from the result."""

    inputs: int = 1
    outputs: int = 1

    @property
    def plain(self) -> bool:
        """Whether the call has one input and one output, as for an ordinary layer."""
        return self.inputs == 1 and self.outputs == 1

    @property
    def network(self) -> str | None:
        """An expression for a lambda block with as many outputs, None if the call has several inputs."""
        results = ", ".join(_RESULTS[k % len(_RESULTS)] for k in range(self.outputs))
        return f"{_STAND_IN}(lambda F, x: ({results}))" if self.inputs == 1 else None


def stands_in(texts: Iterable[str]) -> bool:
    """Whether one of these argument expressions is a lambda block that stands in for a network."""
    return any(_STAND_IN in text for text in texts)


class ArgumentUse(NamedTuple):
    """How a block uses another block that is an argument of its constructor."""

    part: BlockUsage
    call: BlockCallShape


def parts(cls: Any) -> dict[str, ArgumentUse]:
    """Return how a class uses each constructor argument that it stores in an attribute and calls, by argument name."""
    facts = list(class_facts(cls))
    kept = {attribute: name for each in facts for attribute, name in each.kept.items()}
    called = {attribute for each in facts for attribute in each.called}
    apart = {name for each in facts for name in each.apart}
    calls = {call.attribute: BlockCallShape(call.inputs, call.outputs) for each in facts for call in each.calls}
    return {
        name: ArgumentUse(
            BlockUsage.TAKEN_APART if {name, f"self.{attribute}"} & apart else BlockUsage.CALLED,
            calls.get(attribute, BlockCallShape()),
        )
        for attribute, name in kept.items()
        if attribute in called
    }


def called_like(cls: Any, call: BlockCallShape) -> bool:
    """Whether the hybrid_forward of a class takes and returns as many arrays as `call`; False if it has no source."""
    function: Any = getattr(cls, ENTRY, None)
    function = None if function is None else inspect.unwrap(function)
    code, outputs = getattr(function, "__code__", None), facts_of(function).outputs
    if code is None or not outputs:
        return False
    own = {attribute for facts in class_facts(cls) for attribute in facts.parameters}
    names = [name for name in code.co_varnames[2 : code.co_argcount] if name not in own]
    least = len(names) - len(function.__defaults__ or ())
    fits = least <= call.inputs and (call.inputs <= len(names) or bool(code.co_flags & inspect.CO_VARARGS))
    return fits and (call.outputs in outputs or (call.outputs > 1 and 0 in outputs))
