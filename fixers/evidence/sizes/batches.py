"""Inputs that have the same batch, judged by the purpose of a block."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.fixers.toolkit.class_hierarchy import lineage_of
from hybridlint.fixers.toolkit.names import class_around, classes_in, dotted_parts


def shares_batch(frame: CodeContext, name: str) -> bool:
    """Return whether a name is an input of a loss: its predictions, labels and weights are rows of one batch."""
    owner, function = class_around(frame), frame.function
    if owner is None or not isinstance(function, ast.FunctionDef) or function.name != ENTRY:
        return False
    bases = (base for one in lineage_of(owner, classes_in(frame.source)) for base in one.bases)
    is_loss = any((dotted_parts(base) or ("",))[-1].endswith("Loss") for base in bases)
    return is_loss and name in {argument.arg for argument in function.args.args[2:]}
