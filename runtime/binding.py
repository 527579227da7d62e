"""How a call in MXNet's conventions becomes inputs and parameters: inputs first, parameters next, also by keyword."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.registry import Operator


def bind(
    op: Operator, args: Sequence[Any], kwargs: Mapping[str, Any], tensor: type, label: str
) -> tuple[list[Any], dict[str, Any]]:
    """Split a call's arguments into inputs (None for one that is not given) and given parameters.

    `tensor` is the class that inputs must have, `label` how messages call it. Raises AssertionError for an input of
    another class, as MXNet does, and MXNetError or TypeError for arguments that fit nowhere.
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
        # As numpy reads a dtype of None.
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
    named = given.pop(op.inputs[0], None)
    if named is not None:
        inputs += named if isinstance(named, (list, tuple)) else [named]
    given.pop("num_args", None)
    return inputs, given


def require_inputs(op: Operator, inputs: Sequence[Any], params: Mapping[str, Any]) -> list[Any]:
    """Check that the inputs which a call with these parameters takes are there; None stays in place of an absent one.

    Raises MXNetError where one is missing.
    """
    chosen = list(inputs)
    if not op.variadic:
        active = op.active_inputs(params)
        if any(value is None and name in active for name, value in zip(op.inputs, chosen, strict=True)):
            present = sum(value is not None for value in chosen)
            raise MXNetError(f"Operator {op.name} expects {len(active)} inputs, but got {present} instead.")
    while chosen and chosen[-1] is None:
        chosen.pop()
    return chosen
