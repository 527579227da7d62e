"""Binding of call arguments to an operator's inputs and parameters, by MXNet's conventions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.facts.registry import Operator


def bind(
    op: Operator, args: Sequence[Any], kwargs: Mapping[str, Any], tensor: type, label: str
) -> tuple[list[Any], dict[str, Any]]:
    """Split call arguments into inputs (None if absent) and given parameters.

    `tensor` is the required class of inputs, `label` its name in messages. Raises AssertionError for an input of
    another class, as MXNet does, and MXNetError or TypeError for arguments that match neither.
    """
    if op.variadic:
        return _bind_variadic(op, args, kwargs, tensor, label)
    inputs: list[Any] = list(args[: len(op.inputs)])
    given: dict[str, Any] = {}
    rest = args[len(op.inputs) :]
    if len(rest) > len(op.params):
        raise TypeError(
            f"{op.name}() takes at most {len(op.inputs) + len(op.params)} positional arguments, {len(args)} were given"
        )
    given.update(zip(op.params, rest, strict=False))
    inputs += [None] * (len(op.inputs) - len(inputs))
    for name, value in kwargs.items():
        if name in op.inputs:
            inputs[op.inputs.index(name)] = value
        elif name in given:
            raise TypeError(f"{op.name}() got multiple values for argument '{name}'")
        else:
            given[name] = value
    for name, value in zip(op.inputs, inputs, strict=True):
        if value is not None and not isinstance(value, tensor):
            raise AssertionError(f"Argument {name} must {label}, but got {value}")
    if "dtype" in op.params and given.get("dtype", "") is None:
        # numpy reads a dtype of None this way.
        given["dtype"] = "float64"
    return inputs, given


def _bind_variadic(
    op: Operator, args: Sequence[Any], kwargs: Mapping[str, Any], tensor: type, label: str
) -> tuple[list[Any], dict[str, Any]]:
    for value in args:
        if not isinstance(value, tensor):
            raise AssertionError(f"Positional arguments must {label}, but got {value}")
    inputs = list(args)
    given = dict(kwargs)
    if op.facts.named_inputs is not None:
        by_name = [given.pop(name) for name, value in kwargs.items() if isinstance(value, tensor)]
        if by_name and inputs:
            raise TypeError(
                "Operators with variable length input can only accept input Symbols either as positional or keyword "
                "arguments, not both"
            )
        inputs += by_name
    named = given.pop(op.inputs[0], None)
    if named is not None:
        inputs += named if isinstance(named, (list, tuple)) else [named]
    given.pop("num_args", None)
    return inputs, given


def require_given(op: Operator, given: Collection[str], called: str) -> None:
    """Raise MXNetError for a parameter that the gradient reads and the call does not give, despite its default."""
    missing = next((name for name in op.facts.traced_required if name not in given), None)
    if missing is not None:
        raise MXNetError(f"Invalid Parameter format for {missing} of {called}: give it explicitly, for its gradient")


def require_inputs(op: Operator, inputs: Sequence[Any], params: Mapping[str, Any]) -> list[Any]:
    """Check that the inputs required by these parameters are present. Absent inputs stay None.

    Raises MXNetError if one is missing.
    """
    chosen = list(inputs)
    if op.variadic and not chosen:
        raise MXNetError(f"Operator {op.name} expects at least one input, but got none.")
    if not op.variadic:
        active = op.active_inputs(params)
        if any(value is None and name in active for name, value in zip(op.inputs, chosen, strict=True)):
            present = sum(value is not None for value in chosen)
            raise MXNetError(f"Operator {op.name} expects {len(active)} inputs, but got {present} instead.")
    while chosen and chosen[-1] is None:
        chosen.pop()
    return chosen
