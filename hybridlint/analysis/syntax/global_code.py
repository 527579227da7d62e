"""The results of code that runs at import: values of global calls, and decorated functions."""

from __future__ import annotations

import ast

from hybridlint.analysis.dispatch import evaluate
from hybridlint.analysis.model.lattice import as_kept
from hybridlint.analysis.model.values import (
    Block,
    ForeignTensor,
    Function,
    Made,
    NumpyArray,
    Partial,
    RecordType,
    Remembered,
    Static,
    This,
    Unknown,
    Value,
)
from hybridlint.analysis.project.at_import import runs_at_import
from hybridlint.analysis.project.instances import Instance
from hybridlint.analysis.project.program import Module
from hybridlint.analysis.run.activation import Activation, Role
from hybridlint.analysis.run.run import Run
from hybridlint.analysis.syntax.functions import decorate
from hybridlint.runtime.facts.records import replace


@runs_at_import(ast.Call)
def made(module: Module, node: ast.Call) -> Value:
    """Return the array, block, object or function that a global call makes; Unknown for other results."""
    act = _activation(module)
    with act.run.reporting.silently():
        value = evaluate(act, node)
    match value:
        case ForeignTensor():
            return replace(value, kept=True)
        case Block():
            return replace(value, stray=True)
        case NumpyArray() | RecordType() | Made() | Function() | Remembered():
            return value
        case Partial():
            return as_kept(value)
        case This(instance=Instance() as instance) if not instance.info.block:
            instance.imported = True
            return value
        case Static(certain=True):
            return value
        case _:
            return Unknown()


@runs_at_import(ast.Compare)
@runs_at_import(ast.BoolOp)
@runs_at_import(ast.UnaryOp)
def answered(module: Module, node: ast.expr) -> Value:
    """Return the value of a module-level comparison, boolean or unary expression if it is constant, else Unknown."""
    act = _activation(module)
    with act.run.reporting.silently():
        value = evaluate(act, node)
    return value if isinstance(value, Static) and value.certain else Unknown()


@runs_at_import(ast.FunctionDef)
def decorated(module: Module, node: ast.FunctionDef) -> Value:
    """Return the value that a global function has after its decorators are applied.

    An object that a class makes of it has state, and would keep what one analysis leaves for the next.
    """
    function = Function(node, module)
    value = decorate(_activation(module), node, function)
    return function if isinstance(value, This) else value


def _activation(module: Module) -> Activation:
    return Activation(Run(module.project, module), module, None, mode=module.mode, role=Role(building=True))
