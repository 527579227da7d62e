"""Inputs followed to where a forward method passes them: its helper methods, its children, functions of the module."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from hybridlint.proving.child.brief.code import facts_of
from hybridlint.proving.child.brief.inputs import NAME, SUPER
from hybridlint.proving.child.classes import ENTRY

if TYPE_CHECKING:
    from typing import Union

    from hybridlint.proving.child.brief.inputs import Callee

    Path = Sequence[Union[str, int]]  # noqa: UP007 - the child also runs under Python 3.8

#: How many nested calls an input is followed through.
DEPTH = 3
_ENGINE = ("mxnet.", "hybridlint.runtime.")


class ForwardedInput(NamedTuple):
    """A call that gets inputs of a forward method unchanged.

    `block` is the block whose method is called (the caller's own for a plain function), `function` is what runs, None
    for a layer of MXNet. `names` maps an argument of `function` to the caller's input; a layer has the argument "".
    """

    block: Any
    function: Any
    names: dict[str, str]


def passed_on(block: Any, function: Any) -> Iterator[ForwardedInput]:
    """Yield the calls in `function`, a method of `block` or a function that it calls, that get its arguments."""
    facts = facts_of(function).inputs
    items = _items(block, facts.loops)
    for call in facts.passed:
        owner, called = _called(block, function, call.callee, items)
        names = {} if owner is None else _bound(called, call.given, call.named)
        if names:
            yield ForwardedInput(owner, called, names)


def first_layers(block: Any) -> Iterator[Any]:
    """Yield the layers that an input passes through in a sequence of layers, in order."""
    if not is_sequence(block):
        yield block
        return
    for child in block._children.values():
        yield from first_layers(alive(child))


def is_sequence(block: Any) -> bool:
    """Whether a block passes its input through its children one after the other."""
    return type(block).__name__ in ("HybridSequential", "Sequential")


def alive(child: Any) -> Any:
    """Return the block that an entry of `_children` stands for; MXNet 2 stores weak references."""
    return child() if type(child).__name__ == "ReferenceType" else child


def _items(block: Any, loops: Sequence[tuple[str, Path]]) -> dict[str, Any]:
    """Return the first block that each loop variable holds in loops over children of the block."""
    found: dict[str, Any] = {}
    for name, path in loops:
        owner = _attribute(block, path)
        children = [alive(c) for c in getattr(owner, "_children", {}).values()] if owner is not None else []
        listed = owner if isinstance(owner, (list, tuple)) else children
        if len(listed) and hasattr(listed[0], "_children"):
            found.setdefault(name, listed[0])
    return found


def _attribute(block: Any, path: Path) -> Any:
    """Return the value that attributes of a block and indices lead to, None if there is none."""
    try:
        for key in path:
            block = getattr(block, key, None) if isinstance(key, str) else block[key]
    except Exception:
        return None
    return block


def _called(block: Any, function: Any, callee: Callee, items: dict[str, Any]) -> tuple[Any, Any]:
    """Return (block, function) for a call; the function is None for a layer, both for an unknown call."""
    if callee.kind == NAME:
        if callee.name in items:
            return _of_block(items[callee.name])
        plain = getattr(inspect.unwrap(function), "__globals__", {}).get(callee.name)
        return (block, plain) if inspect.isfunction(plain) else (None, None)
    if callee.kind == SUPER:
        base = base_method(block, function, callee.name)
        own = inspect.isfunction(base) and not base.__module__.startswith(_ENGINE)
        return (block, base.__get__(block)) if own else (None, None)
    value = _attribute(block, callee.path)
    if hasattr(value, "_children"):
        return _of_block(value)
    if inspect.ismethod(value) and value.__self__ is block and not value.__func__.__module__.startswith(_ENGINE):
        return block, value
    return None, None


def base_method(block: Any, function: Any, name: str) -> Any:
    """Return the method that ``super()`` has in a method of a block, None if there is none."""
    plain = getattr(function, "__func__", function)
    mro = type(block).__mro__
    places = [k for k, base in enumerate(mro) if plain in vars(base).values()]
    later = mro[places[0] + 1 :] if places else ()
    return next((vars(base)[name] for base in later if name in vars(base)), None)


def _of_block(child: Any) -> tuple[Any, Any]:
    return child, None if is_sequence(child) or is_layer(child) else forward_of(child)


def is_layer(block: Any) -> bool:
    """Whether a block is one of MXNet's own layers."""
    return type(block).__module__.startswith(_ENGINE)


def forward_of(block: Any) -> Any:
    """Return the forward method that a project's block defines, None if it inherits MXNet's."""
    for name in (ENTRY, "forward"):
        for base in type(block).__mro__:
            if name in vars(base) and not base.__module__.startswith(_ENGINE):
                return getattr(block, name)
    return None


def _bound(called: Any, given: Sequence[str], named: Mapping[str, str]) -> dict[str, str]:
    """Return {argument of the called function: the caller's name} for the names that a call passes."""
    places = [""] if called is None else _arguments(called)
    if called is not None and called.__name__ == ENTRY and given[:1] != ("F",):
        # A child is called without F.
        places = places[1:]
    found = {**dict(zip(places, given)), **{place: name for place, name in named.items() if place in places}}  # noqa: B905
    return {place: name for place, name in found.items() if name and name not in ("F", "self")}


def _arguments(function: Any) -> list[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
