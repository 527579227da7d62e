"""The results of code that runs at import: values of global calls, and decorated functions."""

from __future__ import annotations

import ast

from hybridlint.analysis.dispatch import evaluate
from hybridlint.analysis.model.lattice import as_kept
from hybridlint.analysis.model.values import (
    BlockRef,
    CachedFunction,
    CapturedArray,
    Function,
    LibraryInstance,
    NumpyArray,
    Partial,
    RecordType,
    SelfRef,
    StaticValue,
    Unknown,
    Value,
)
from hybridlint.analysis.project.at_import import runs_at_import
from hybridlint.analysis.project.instances import Instance
from hybridlint.analysis.project.program import ProjectFile
from hybridlint.analysis.run.activation import Activation, Role
from hybridlint.analysis.run.run import AnalysisRun
from hybridlint.analysis.syntax.functions import decorate
from hybridlint.runtime.facts.records import replace


@runs_at_import(ast.Call)
def global_object(module: ProjectFile, node: ast.Call) -> Value:
    """Return the array, block, object or function that a global call makes; Unknown for other results."""
    act = _activation(module)
    with act.run.reporting.silently():
        value = evaluate(act, node)
    match value:
        case CapturedArray():
            return replace(value, kept=True)
        case BlockRef():
            return replace(value, stray=True)
        case NumpyArray() | RecordType() | LibraryInstance() | Function() | CachedFunction():
            return value
        case Partial():
            return as_kept(value)
        case SelfRef(instance=Instance() as instance) if not instance.info.block:
            instance.imported = True
            return value
        case StaticValue(certain=True):
            return value
        case _:
            return Unknown()


@runs_at_import(ast.Compare)
@runs_at_import(ast.BoolOp)
@runs_at_import(ast.UnaryOp)
def global_constant(module: ProjectFile, node: ast.expr) -> Value:
    """Return the value of a module-level comparison, boolean or unary expression if it is constant, else Unknown."""
    act = _activation(module)
    with act.run.reporting.silently():
        value = evaluate(act, node)
    return value if isinstance(value, StaticValue) and value.certain else Unknown()


@runs_at_import(ast.FunctionDef)
def decorated_function(module: ProjectFile, node: ast.FunctionDef) -> Value:
    """Return the value that a global function has after its decorators are applied.

    An object that a class makes of it has state, and would keep what one analysis leaves for the next.
    """
    function = Function(node, module)
    value = decorate(_activation(module), node, function)
    return function if isinstance(value, SelfRef) else value


def _activation(module: ProjectFile) -> Activation:
    return Activation(AnalysisRun(module.project, module), module, None, mode=module.mode, role=Role(building=True))
