"""Events of how classes of blocks are written: children, parameters, signatures."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Literal

from hybridlint.analysis.model.events.code_context import Event
from hybridlint.analysis.model.values import Mode, Value
from hybridlint.runtime.facts.records import record


@record(frozen=True, slots=True, eq=False, repr=False)
class ChildDef(Event):
    """``self.name = SomeBlock(...)`` in the ``__init__`` of a hybrid class.

    `container` is set if the block is put into a list or dict, which registers no children. Not emitted for blocks
    without parameters, which need not be registered. `idle` is set if nothing calls the block, so that its parameters
    get no shapes while those of other children wait for them: to the settings under which that is so, if there are any.
    """

    owner: str
    attribute: str
    child: Value
    container: Literal["list", "dict"] | None
    idle: str | None = None


@record(frozen=True, slots=True, eq=False, repr=False)
class UnusedResult(Event):
    """A call of a child with parameters, or of its part, whose result reaches no output of the block.

    `child` is the child or its part, `owner` the class of the block. Its parameters get no shapes while other children
    wait for theirs.
    """

    owner: str
    child: str


@record(frozen=True, slots=True, eq=False, repr=False)
class BlockDef(Event):
    """A class that is a HybridBlock. `node` is the ast.ClassDef; `methods` by name."""

    methods: Mapping[str, ast.FunctionDef]
    bases: tuple[str, ...]
    mode: Mode


@record(frozen=True, slots=True, eq=False, repr=False)
class PlainBlockDef(Event):
    """A class that is a Gluon block and no HybridBlock. `node` is the ast.ClassDef, `forward` its own method."""

    forward: ast.FunctionDef


@record(frozen=True, slots=True, eq=False, repr=False)
class SignatureEvent(Event):
    """The signature of a hybrid_forward with the parameters that the class declares.

    `unused` are those that no code reads, `required` those without a default. `for_functions` is the name of the input
    that stands where `F` is passed; None if the signature has an `F`. `later` is whether something is unused, and the
    first batch determines sizes of parameters of the block. `inner` is whether other blocks of the file have blocks of
    this class as parts of their graphs.
    """

    parameters: frozenset[str]
    unused: frozenset[str]
    required: frozenset[str] = frozenset()
    for_functions: str | None = None
    later: bool = False
    inner: bool = False


@record(frozen=True, slots=True, eq=False, repr=False)
class UnlistedParameter(Event):
    """A parameter that `hybrid_forward` gets and ``collect_params`` does not: ``self.name = gluon.Parameter(...)``."""

    name: str


@record(frozen=True, slots=True, eq=False, repr=False)
class ParameterDef(Event):
    """A parameter that ``__init__`` declares by name, ``self.params.get("name", ...)``.

    `prefix` is the prefix that the class itself puts before its names, None if it leaves that to its caller.
    """

    name: str
    prefix: str | None
