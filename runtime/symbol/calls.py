"""Operator calls on Symbols: names, variables for missing inputs, and the user's source line."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from hybridlint.runtime.attribute import HIDDEN, kept
from hybridlint.runtime.attribute import current as current_attributes
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.core import mixed_precision
from hybridlint.runtime.core.binding import bind, require_inputs
from hybridlint.runtime.core.operator_params import normalize_shared, show
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.name import current as current_names
from hybridlint.runtime.symbol.node import SymbolEntry, SymbolNode
from hybridlint.runtime.symbol.symbol import Symbol

# When served as mxnet, the runtime's modules have that name.
_PACKAGES = ("hybridlint.runtime.", "mxnet.")


def call(
    op: Operator, hint: str, args: Sequence[Any], kwargs: Mapping[str, Any], symbol_class: type[Symbol] | None = None
) -> Symbol:
    """Return the symbol of an operator call. Missing required inputs become variables.

    Raises AssertionError for an input that is not a Symbol, and MXNetError for wrong parameters or for an operator that
    MXNet does not provide for Symbols.
    """
    if op.facts.eager_only:
        raise MXNetError(f"Not enough argument to call operator {op.name}: it works on NDArrays only")
    # An operator without inputs ignores symbols given by keyword, as MXNet's do.
    takes = bool(op.inputs) or op.variadic
    rest = {k: v for k, v in kwargs.items() if takes or not isinstance(v, Symbol)}
    name, attributes = rest.pop("name", None), rest.pop("attr", None)
    rest.pop("out", None)
    if not op.variadic and len(args) == len(op.inputs) + len(op.params) + 1:
        *args, name = args
    extra = {k: str(v) for k, v in rest.items() if k in HIDDEN or (k.startswith("__") and k.endswith("__"))}
    inputs, given = bind(op, args, {k: v for k, v in rest.items() if k not in extra}, Symbol, "be Symbol instances")
    if op.variadic and "num_args" in op.params:
        given = {**given, "num_args": len(inputs)}
    params = normalize_shared(op, given)
    node_name = current_names().get(name, hint.lower())
    written = {k: show(v) for k, v in given.items() if k in op.params}
    if op.variadic:
        if not inputs and "num_args" in kwargs:
            inputs = [Symbol([(SymbolNode(None, f"{node_name}_arg{k}"), 0)]) for k in range(int(kwargs["num_args"]))]
        written = {"num_args": str(len(inputs) // op.facts.inputs_per_argument), **written}
    entries = [None if s is None else _single(s, k) for k, s in enumerate(inputs)]
    # Attribute values, such as initializers, are stored as text.
    given_here = {key: str(value) for key, value in (attributes or {}).items()}
    attached = kept({**current_attributes().get(given_here), **extra})
    _refuse_parameters(op, attached)
    for argument, initial in list(op.names_of_inputs(params).items())[len(entries) :]:
        beginning = {"__init__": initial} if initial else {}
        made = SymbolNode(None, f"{node_name}_{argument}", attributes={**written, **attached, **beginning})
        entries.append((made, 0))
    if not op.variadic:
        entries = _with_variables(op, entries, params, node_name, {**written, **attached})
    states = [e[0] for n, e in zip(op.inputs, entries, strict=False) if n in op.aux and e is not None]
    if any(state.op is not None for state in states):
        raise MXNetError(
            f"operator {op.name}: an auxiliary state, which is changed in training, can only be a variable"
        )
    for state in states:
        state.changes += 1
    for argument, initial in op.facts.initial.items():
        variable = entries[op.inputs.index(argument)]
        if variable is not None and variable[0].op is None:
            variable[0].attributes.setdefault("__init__", initial)
    if mixed_precision.symbols is not None:
        entries = _cast(op, entries, params, symbol_class or Symbol)
    node = SymbolNode(op, node_name, written, params, require_inputs(op, entries, params), attached, user_line())
    return (symbol_class or Symbol)([(node, k) for k in range(node.visible)])


def _cast(
    op: Operator, entries: list[SymbolEntry | None], params: Mapping[str, Any], kind: type[Symbol]
) -> list[SymbolEntry | None]:
    """Return the inputs of a call in the precision of its operator; auxiliary states stay as they are."""
    assert mixed_precision.symbols is not None
    count = len(entries) if op.variadic else len(op.inputs) - len(op.aux)
    given = [None if entry is None else kind([entry]) for entry in entries[:count]]
    found = mixed_precision.symbols(op, given, params)
    return [*(None if one is None else one._entries[0] for one in found), *entries[count:]]


def _refuse_parameters(op: Operator, attached: Mapping[str, str]) -> None:
    """Raise MXNetError for an attribute without double underscores: MXNet reads it as an operator parameter."""
    stranger = next((k for k in attached if op.params and not (k.startswith("__") and k.endswith("__"))), None)
    if stranger is not None:
        raise MXNetError(
            f"Cannot find argument '{stranger}' of operator {op.name}, given as an attribute: name it __{stranger}__"
        )


def _single(symbol: Symbol, position: int) -> SymbolEntry:
    if len(symbol._entries) != 1:
        raise MXNetError(f"Argument {position} is a tuple of {len(symbol._entries)} outputs, single value is required")
    return symbol._entries[0]


def _with_variables(
    op: Operator, entries: list[SymbolEntry | None], params: Mapping[str, Any], name: str, attached: Mapping[str, str]
) -> list[SymbolEntry | None]:
    active = op.active_inputs(params)
    return [
        (SymbolNode(None, f"{name}_{argument}", attributes=dict(attached)), 0)
        if entry is None and argument in active
        else entry
        for argument, entry in zip(op.inputs, entries, strict=True)
    ]


def user_line() -> str | None:
    """Return ``file:line`` of the nearest caller outside the runtime."""
    frame = sys._getframe(1)
    while frame is not None:
        if not frame.f_globals.get("__name__", "").startswith(_PACKAGES):
            return f"{frame.f_code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back  # type: ignore[assignment]
    return None
