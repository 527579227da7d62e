"""Functions that decorators of the file put around the ``hybrid_forward`` of a block: they get its Symbols first."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.values import Function, ProjectClass
from hybridlint.analysis.run.activation import Activation, Role
from hybridlint.analysis.run.run import AnalysisRun
from hybridlint.analysis.syntax.functions import decorate


def wrapper(run: AnalysisRun, method: ast.FunctionDef, owner: ProjectClass) -> Function | None:
    """Return the function of the file that a block's decorated entry is, None if that is the method itself."""
    if not method.decorator_list:
        return None
    scope = Activation(run, owner.module, None, owner=owner, mode=owner.mode, role=Role(building=True))
    with run.reporting.silently():
        made = decorate(scope, method, Function(method, owner))
    if not isinstance(made, Function) or made.node is method or not isinstance(made.node, ast.FunctionDef):
        return None
    around = made.closure
    inside = isinstance(around, Activation) and around.module is run.module
    return made if inside and len(made.node.args.posonlyargs + made.node.args.args) > 1 else None
