"""Sizes of arrays that a call creates from settings: expressions of one value are one size."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING

from hybridlint.analysis.dataflow.function_flow import flow_of
from hybridlint.runtime.facts.dims import Dim, DimLike
from hybridlint.runtime.facts.records import replace
from hybridlint.text.syntax import walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridlint.analysis.dataflow.function_flow import FunctionFlow
    from hybridlint.analysis.model.events import ArgumentsEvent
    from hybridlint.analysis.run.activation import Activation
    from hybridlint.runtime.facts.registry import Operator
    from hybridlint.runtime.facts.types import TensorType


def with_setting_sizes(act: Activation, operator: Operator, arguments: ArgumentsEvent, made: TensorType) -> TensorType:
    """Return the type of a created array, in which one expression of the function represents one unknown size."""
    if made.shape is None or not isinstance(act.node, ast.FunctionDef):
        return made
    nodes = _size_nodes(flow_of(act.node), operator, arguments)
    if nodes is None or len(nodes) != len(made.shape):
        return made
    return replace(made, shape=tuple(_named(act, size, node) for size, node in zip(made.shape, nodes, strict=True)))


def _size_nodes(flow: FunctionFlow, operator: Operator, arguments: ArgumentsEvent) -> Sequence[ast.expr] | None:
    """Return the expressions of the sizes that a creation function or a draw is given; None if they are not seen."""
    if "shape" not in operator.params:
        rows = _argument(operator, arguments, "N")
        return None if rows is None else (rows, _argument(operator, arguments, "M") or rows)
    shape = _argument(operator, arguments, "shape")
    if isinstance(shape, ast.Name):
        binding = flow.binding(shape)
        shape = binding.assigned if binding is not None else None
    return shape.elts if isinstance(shape, ast.Tuple | ast.List) else None


def _argument(operator: Operator, arguments: ArgumentsEvent, name: str) -> ast.expr | None:
    if name in arguments.keyword_nodes:
        return arguments.keyword_nodes[name]
    place = list(operator.params).index(name) if name in operator.params else len(arguments.nodes)
    return arguments.nodes[place] if place < len(arguments.nodes) else None


def _named(act: Activation, size: DimLike, node: ast.expr) -> DimLike:
    if not (isinstance(size, Dim) and size.anonymous):
        return size
    assert isinstance(act.node, ast.FunctionDef)
    key = _value_key(act.node, node)
    return size if key is None else act.sizes.setdefault(key, size)


def _value_key(function: ast.FunctionDef, node: ast.expr) -> str | None:
    """Return a text that equal expressions of settings share in a function; None where it may change its value."""
    flow, versions = flow_of(function), []
    for part in walk(node):
        match part:
            case ast.Name():
                version = flow.version(part)
                if version is None or not (version.is_given or version.binding is not None):
                    return None
                statement = None if version.binding is None else version.binding.statement
                if statement is not None and not version.is_given and flow.may_run_after(statement, statement):
                    return None
                versions.append(version.label)
            case ast.Attribute(attr=attribute):
                if attribute in _stored(function):
                    return None
            case ast.Constant() | ast.BinOp() | ast.UnaryOp() | ast.operator() | ast.unaryop() | ast.expr_context():
                pass
            case _:
                return None
    return f"{ast.unparse(node)} {' '.join(versions)}"


@lru_cache(maxsize=64)
def _stored(function: ast.FunctionDef) -> frozenset[str]:
    """Return the attributes that a function stores."""
    return frozenset(n.attr for n in walk(function) if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load))
