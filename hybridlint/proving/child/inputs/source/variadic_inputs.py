"""Names for the inputs that a block takes as ``*inputs``: the variables or arguments that they become."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hybridlint.proving.child.brief.code import facts_of
from hybridlint.proving.child.brief.inputs import OWN, SUPER
from hybridlint.proving.child.classes import ENTRY
from hybridlint.proving.child.inputs.source.input_flow import base_method, passed_on

if TYPE_CHECKING:
    from hybridlint.proving.child.brief.inputs import Callee, ItemCount

#: How many nested calls ``*inputs`` is followed through, and the most inputs of one block.
_DEPTH, _MOST = 3, 8


def variadic_names(block: Any, function: Any) -> list[list[str]]:
    """Return the lists of names that ``*inputs`` of a function may represent, the likeliest list first."""
    found = [names for names in _names(block, function, _DEPTH) if 0 < len(names) <= _MOST]
    distinct = {tuple(names): names for names in found}
    return list(distinct.values())


def goes_through_all(function: Any) -> bool:
    """Whether a function iterates over its variadic inputs."""
    return facts_of(function).inputs.through


def _names(block: Any, function: Any, depth: int) -> Iterator[list[str]]:
    plain = inspect.unwrap(getattr(function, "__func__", function))
    if not inspect.isfunction(plain):
        return
    parameters, facts = inspect.signature(plain).parameters.values(), facts_of(plain).inputs
    star = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), None)
    if star is None:
        plain_ones = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD and p.name not in ("self", "F")]
        yield [p.name for p in plain_ones if p.default is p.empty]
        return
    for call in facts.starred if depth else ():
        for owner, method in _called(block, function, call.callee):
            yield from (names[call.before :] for names in _names(owner, method, depth - 1))
    yield from _numbered(block, facts.counts.get(star, ()))
    yield from map(list, facts.taken)
    for passed in passed_on(block, function) if depth else ():
        # A helper that gets all inputs as one argument may go through them.
        counts = facts_of(passed.function).inputs.counts if passed.function is not None else {}
        for argument in (argument for argument, given in passed.names.items() if given == star):
            yield from _numbered(passed.block, counts.get(argument, ()))


def _numbered(block: Any, counts: Sequence[ItemCount]) -> Iterator[list[str]]:
    """Yield the names of as many inputs as some numbers of items say."""
    known = (count.of(block) for count in counts)
    yield from ([f"input {k}" for k in range(count)] for count in known if count is not None)


def _called(block: Any, function: Any, callee: Callee) -> Iterator[tuple[Any, Any]]:
    """Yield the methods that a call on self, super() or a child block reaches, each with its block."""
    if callee.kind == OWN and len(callee.path) == 1:
        name = str(callee.path[0])
        method, part = getattr(type(block), name, None), getattr(block, name, None)
        if method is not None:
            yield block, method
        elif part is not None and hasattr(part, ENTRY):
            yield part, part.hybrid_forward
    elif callee.kind == SUPER:
        method = base_method(block, function, callee.name)
        if method is not None:
            yield block, method
