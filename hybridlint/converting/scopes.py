"""The classes and functions around the code that is being converted, and what their names mean."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import field

from hybridlint.converting.survey import BlockSurvey
from hybridlint.runtime.facts.records import record

#: Methods that are called with the inputs of a block.
FORWARD = ("hybrid_forward", "forward")


@record(slots=True)
class NameScope:
    """A class, a function or a lambda."""

    name: str
    block: BlockSurvey | None = None
    function: bool = False
    #: Names that hold the namespace of operators, as F does.
    namespaces: set[str] = field(default_factory=set)
    #: Arguments that are parameters of the block.
    parameters: set[str] = field(default_factory=set)
    #: Local names that hold containers of blocks.
    containers: set[str] = field(default_factory=set)
    #: Arguments with the default 0.
    zeros: set[str] = field(default_factory=set)
    #: Names that the function binds.
    locals: set[str] = field(default_factory=set)
    #: Arguments that hold what the caller gave, in a forward method.
    inputs: set[str] = field(default_factory=set)


class NameScopes:
    """The scopes around a place, the innermost last."""

    def __init__(self) -> None:
        self.stack: list[NameScope] = []

    @property
    def owner(self) -> str:
        """The outermost class or function, "" at the level of the module."""
        return self.stack[0].name if self.stack else ""

    @property
    def block(self) -> BlockSurvey | None:
        """The block whose code this is, None outside of blocks."""
        return next((scope.block for scope in reversed(self.stack) if scope.block is not None), None)

    @property
    def function(self) -> str:
        """The name of the innermost function, "" outside of functions."""
        return next((scope.name for scope in reversed(self.stack) if scope.function), "")

    def is_namespace(self, name: str) -> bool:
        """Whether a name holds the namespace of operators."""
        return any(name in scope.namespaces for scope in self.stack)

    def is_parameter(self, name: str) -> bool:
        """Whether a name is an argument through which a forward method gets a parameter."""
        return any(name in scope.parameters for scope in self.stack)

    def is_container(self, text: str | None) -> bool:
        """Whether an expression is a container of blocks that code adds to."""
        if text is None:
            return False
        block = self.block
        if text == "self":
            return block is not None and block.base.endswith("Sequential")
        if text.startswith("self."):
            return block is not None and text.partition(".")[2] in block.containers
        return any(text in scope.containers for scope in self.stack)

    def is_local(self, name: str) -> bool:
        """Whether a function around binds a name."""
        return any(name in scope.locals for scope in self.stack)

    def new_name(self, wanted: str) -> str:
        """Return a name that the innermost function does not bind yet, and bind it."""
        scope = next(scope for scope in reversed(self.stack) if scope.function)
        name, count = wanted, 1
        while self.is_local(name):
            count += 1
            name = f"{wanted}{count}"
        scope.locals.add(name)
        return name

    def release(self, names: Collection[str]) -> None:
        """Unbind names that `new_name` returned for what is not written."""
        for scope in self.stack:
            scope.locals -= set(names)

    def is_input(self, name: str) -> bool:
        """Whether a name is an argument of the forward method that this is in."""
        return any(name in scope.inputs for scope in self.stack)
