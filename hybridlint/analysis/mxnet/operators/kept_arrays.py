"""Attributes that hold what a block was given, where only arrays fit: at each trace they are NDArrays among Symbols.

What a caller gives to ``__init__`` is unknown. Where an operator takes it as one of its tensors, it is an array, or the
block works in neither mode: no Symbol of the trace can be in an attribute that only ``__init__`` sets.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridlint.analysis.dataflow.scopes import names_in_body
from hybridlint.analysis.model.events import ArgumentsEvent
from hybridlint.analysis.model.values import CapturedArray, Namespace, Unknown, Value
from hybridlint.runtime.facts.records import replace
from hybridlint.runtime.facts.registry import Operator
from hybridlint.text.parameters import defaults_of, names_of
from hybridlint.text.syntax import branches

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation


def kept_for_operator(
    act: Activation, namespace: Namespace, operator: Operator | None, args: ArgumentsEvent
) -> ArgumentsEvent:
    """Return the arguments of an operator's call, treating values kept from ``__init__`` as arrays for array inputs.

    The operators of numpy mode take numbers as well.
    """
    if operator is None or namespace.root != "F" or namespace.path[:1] in {("np",), ("npx",)}:
        return args
    needed = [name for name in operator.inputs if name not in operator.optional_inputs]
    most = len(args.values) if operator.variadic else len(needed)
    return _known(act, args, most, frozenset(needed))


def kept_for_layer(act: Activation, args: ArgumentsEvent) -> ArgumentsEvent:
    """Return the arguments of a layer's ``hybrid_forward``, its inputs and parameters, likewise."""
    return _known(act, args, len(args.values), frozenset(args.keywords))


def _known(act: Activation, args: ArgumentsEvent, most: int, named: frozenset[str]) -> ArgumentsEvent:
    values = list(args.values)
    for at, node in enumerate(args.nodes[: min(most, len(values))]):
        values[at] = _kept(act, node, values[at])
    keywords = {
        name: _kept(act, args.keyword_nodes[name], value) if name in named and name in args.keyword_nodes else value
        for name, value in args.keywords.items()
    }
    changed = any(a is not b for a, b in zip(values, args.values, strict=True))
    changed = changed or any(keywords[name] is not value for name, value in args.keywords.items())
    return replace(args, values=tuple(values), keywords=keywords) if changed else args


def _kept(act: Activation, node: ast.expr, value: Value) -> Value:
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=name) if isinstance(value, Unknown) and act.this is not None:
            info = act.this.instance.info
            # A plain object may be made in a trace, of Symbols.
            if info.block and info.stores(name) <= info.makes(name) == 1 and _is_given(act, name):
                return CapturedArray(kept=True)
    return value


def _is_given(act: Activation, name: str) -> bool:
    """Return whether an attribute holds a required argument of ``__init__``, or a part of one."""
    assert act.this is not None
    found = act.this.instance.info.method("__init__")
    if found is None:
        return False
    required = {*names_of(found[0].args)[1:]} - defaults_of(found[0].args).keys()
    given = {parameter for parameter in required if parameter not in names_in_body(found[0]).stores}
    return any(_root(value) in given for value in _stored(found[0], name))


def _stored(init: ast.FunctionDef, name: str) -> Iterator[ast.expr]:
    for node in branches(init):
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=attribute)], value=value):
                if attribute == name:
                    yield value


def _root(node: ast.expr) -> str | None:
    """Return the name of which an expression reads an attribute or an item, through any chain of them."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
