"""Inputs that have the same batch, judged by the purpose of a block."""

from __future__ import annotations

import ast

from hybridlint.analysis.dataflow.bindings import BindingKind
from hybridlint.analysis.model.events import Frame
from hybridlint.analysis.model.shapes import is_as_given
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.fixers.toolkit.lineage import lineage_of
from hybridlint.fixers.toolkit.names import class_around, classes_in, dotted
from hybridlint.text.syntax import each


def shares_batch(frame: Frame, name: str) -> bool:
    """Return whether a name is an input whose rows belong to those of other inputs.

    Predictions, labels and weights of a loss do, and inputs that an operator combines as they are.
    """
    owner, function = class_around(frame), frame.function
    if owner is None or not isinstance(function, ast.FunctionDef) or function.name != ENTRY:
        return False
    if any(_combines(frame, operator, name) for operator in each(function, ast.BinOp)):
        return True
    bases = (base for one in lineage_of(owner, classes_in(frame.source)) for base in one.bases)
    is_loss = any((dotted(base) or ("",))[-1].endswith("Loss") for base in bases)
    return is_loss and name in {argument.arg for argument in function.args.args[2:]}


def _combines(frame: Frame, operator: ast.BinOp, name: str) -> bool:
    """Return whether an operator combines two different inputs of the block, and `name` is among them."""
    match operator:
        case ast.BinOp(left=ast.Name() as left, right=ast.Name() as right) if name in {left.id, right.id}:
            return left.id != right.id and all(_is_input(frame, side) for side in (left, right))
    return False


def _is_input(frame: Frame, node: ast.Name) -> bool:
    binding = frame.binding(node)
    return binding is not None and binding.kind is BindingKind.PARAMETER and is_as_given(frame.seen.value(node))
