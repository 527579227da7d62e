"""The text of each node of a plan: statements that call its kernel, in a function of its own or in one of all nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from types import CodeType
from typing import Any, Protocol

from hybridlint.runtime.compiled.graph import GraphNode
from hybridlint.runtime.compiled.plan import MemoryPlan, taken_values
from hybridlint.runtime.facts.recipes import BufferRecipe
from hybridlint.runtime.platforms import Platform
from hybridlint.runtime.platforms.on_host import kernel_on


class Names(Protocol):
    """How statements name what they use."""

    def value(self, number: int) -> str:
        """Return the expression of a value of the graph."""

    def number(self, number: int) -> str:
        """Return the expression of a whole number."""

    def bound(self, thing: Any) -> str:
        """Return the name of an object."""


class NamesInAll:
    """Names in a function of all nodes: values are its locals, numbers stand in its text, `scope` has its objects."""

    def __init__(self, scope: dict[str, Any]) -> None:
        self._scope = scope

    def value(self, number: int) -> str:
        """Return a local's name."""
        return f"v{number}"

    def number(self, number: int) -> str:
        """Return the number."""
        return str(number)

    def bound(self, thing: Any) -> str:
        """Return the name of a global."""
        name = f"c{len(self._scope)}"
        self._scope[name] = thing
        return name


class NamesInOne:
    """Names in the function of one node, in which nodes alike share their text: all that differs is an argument."""

    def __init__(self) -> None:
        self.arguments: list[Any] = []

    def value(self, number: int) -> str:
        """Return an element of the list of values."""
        return f"v[{self.bound(number)}]"

    def number(self, number: int) -> str:
        """Return an argument's name."""
        return self.bound(number)

    def bound(self, thing: Any) -> str:
        """Return an argument's name."""
        self.arguments.append(thing)
        return f"a{len(self.arguments) - 1}"


#: Runs a node: on the values of the graph, the buffers, the memory that has them, and the random numbers.
NodeFunction = Callable[[list[Any], list[Any], Any, Any], None]


class NodeStatements:
    """Writes the statements of a plan's nodes. Values without a buffer get memory of their own."""

    def __init__(
        self, plan: MemoryPlan, recipes: Mapping[int, BufferRecipe], platform: Platform, *, training: bool
    ) -> None:
        self._plan, self._recipes, self._platform, self._training = plan, recipes, platform, training
        self._taken = taken_values(plan.graph)
        self._buffer_of = {value: k for k, value in enumerate(plan.slots)}

    def lines(self, at: int, names: Names) -> list[str]:
        """Return the statements that run a node."""
        node = self._plan.graph.nodes[at]
        if at in self._recipes:
            return list(self._recipe_lines(at, node, names))
        arguments = ["xp", *("None" if v is None else names.value(v) for v in node.inputs)]
        if node.params:
            arguments.append(f"**{names.bound(dict(node.params))}")
        if "training" in node.op.reserved:
            arguments.append(f"training={self._training}")
        if "rng" in node.op.reserved:
            arguments.append("rng=rng")
        place = self._place(node, names)
        if place is not None:
            arguments.append(f"out={place}")
        call = f"{names.bound(kernel_on(self._platform, node.op))}({', '.join(arguments)})"
        if len(node.outputs) > 1:
            return [f"{', '.join(map(names.value, node.outputs))} = {call}"]
        # The kernel of an operator with a variable number of outputs returns a tuple, even of one.
        return [f"{names.value(node.outputs[0])} = {call if place is not None else f'only({call})'}"]

    def function(self, at: int) -> NodeFunction:
        """Return the function of a node."""
        names = NamesInOne()
        lines = "".join(f"    {line}\n" for line in self.lines(at, names))
        header = "".join(f", a{k}" for k in range(len(names.arguments)))
        text = f"def make(xp, only{header}):\n  def run(v, buffers, memory, rng):\n{lines}  return run\n"
        return _maker(text)(self._platform.xp, only, *names.arguments)  # type: ignore[no-any-return]

    def _place(self, node: GraphNode, names: Names) -> str | None:
        """Return the buffer that a node's kernel writes to; None if the kernel allocates its result."""
        first = node.outputs[0]
        if first in self._buffer_of:
            return f"buffers[{names.number(self._buffer_of[first])}]"
        # A function of elements that lie in another order would give them in that one.
        turned = node.op.pointwise and not self._plan.channels_last.isdisjoint(node.inputs)
        return self._empty(first, names) if turned else None

    def _empty(self, value: int, names: Names) -> str:
        """Return an expression that allocates memory for a value without a buffer, in its order of elements."""
        held = self._plan.graph.types[value]
        assert held.shape is not None
        if value not in self._plan.channels_last:
            return f"xp.empty({names.bound(held.shape)}, {held.dtype!r})"
        first, channels, *rest = held.shape
        return f"xp.moveaxis(xp.empty({names.bound((first, *rest, channels))}, {held.dtype!r}), -1, 1)"

    def _recipe_lines(self, at: int, node: GraphNode, names: Names) -> Iterator[str]:
        outputs = [v if v in self._taken else None for v in node.outputs]
        for value in outputs:
            if value is not None:
                kept = value in self._buffer_of
                place = f"buffers[{names.number(self._buffer_of[value])}]" if kept else self._empty(value, names)
                yield f"{names.value(value)} = {place}"
        ins, outs = (
            "".join("None, " if v is None else f"{names.value(v)}, " for v in values)
            for values in (node.inputs, outputs)
        )
        number, recipe = names.number(at), names.bound(self._recipes[at].run)
        yield f"{recipe}(xp, ({ins}), ({outs}), memory.kept.get({number}), memory.scratch[{number}])"


@lru_cache(maxsize=256)
def code_of(source: str) -> CodeType:
    """Return the compiled code of a plan. Graphs of one structure share it, as when a block is built again."""
    return compile(source, "<compiled graph>", "exec")


@lru_cache(maxsize=1024)
def _maker(source: str) -> Callable[..., Any]:
    """Return the function that a text defines under the name `make`."""
    scope: dict[str, Any] = {}
    exec(compile(source, "<compiled node>", "exec"), scope)
    return scope["make"]  # type: ignore[no-any-return]


def only(result: Any) -> Any:
    """Return a kernel's result, which may be a tuple of one."""
    return result[0] if type(result) is tuple else result
