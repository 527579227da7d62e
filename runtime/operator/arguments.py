"""The names of all operators, and their arguments as MXNet describes them."""

from __future__ import annotations

from typing import Any, NamedTuple

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.core import missing
from hybridlint.runtime.core.literals import literal
from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.registry import Operator, Param

_KINDS = {
    "Axes": "Shape or None",
    "Ints": "Shape(tuple)",
    "Floats": "tuple of <float>",
    "bool": "boolean",
    "str": "string",
}


class OperatorArguments(NamedTuple):
    """The arguments of an operator: their number, names and types."""

    narg: int
    names: list[str]
    types: list[str]


def get_operator_arguments(op_name: str) -> OperatorArguments:
    """Return an operator's arguments: inputs, then parameters. Integer and float types are named without width.

    Raises MXNetError for an unknown operator.
    """
    try:
        op = registry.get(op_name)
    except KeyError as error:
        raise MXNetError(f"Operator {op_name} is not registered") from error
    described = {**_inputs(op), **{name: _described(param) for name, param in op.params.items()}}
    return OperatorArguments(len(described), list(described), list(described.values()))


def _inputs(op: Operator) -> dict[str, str]:
    if op.variadic:
        return {op.inputs[0]: "NDArray-or-Symbol[]", "num_args": "int, required"}
    return dict.fromkeys(op.inputs, "NDArray-or-Symbol")


def _described(param: Param) -> str:
    kind, _, nothing = param.annotation.partition(" | ")
    if kind.startswith("Literal["):
        choices = sorted(literal(kind.removeprefix("Literal")))
        shown = ", ".join([*(["None"] if nothing else []), *map(repr, choices)])
        return f"{{{shown}}}" + (", required" if param.required else f",optional, default='{param.default}'")
    words = _KINDS.get(kind, kind) + (" or None" if nothing else "")
    return f"{words}, required" if param.required else f"{words}, optional, default={_default(kind, param.default)}"


def _default(kind: str, value: Any) -> str:
    if kind == "int":
        return f"'{value}'"
    if kind == "bool":
        return str(value if value is None else int(value))
    if kind == "Ints" and value is not None:
        return str(list(value))
    return f"{value:g}" if kind == "float" and value in {0, 1, -1} else str(value)


def get_all_registered_operators() -> list[str]:
    """Return the names of all MXNet operators, including those that this runtime lacks."""
    return sorted({*registry.names(), *missing.MISSING})
