"""The private helper functions of Gluon's losses, which other projects import for losses of their own."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from hybridlint.analysis.model.arguments import argument
from hybridlint.analysis.model.values import Tensor, Value

if TYPE_CHECKING:
    from hybridlint.analysis.model.events import ArgumentsEvent
    from hybridlint.analysis.run.activation import Activation

#: By full name: the argument whose shape the result has, and its position.
_SHAPED = {"mxnet.gluon.loss._apply_weighting": ("loss", 1), "mxnet.gluon.loss._reshape_like": ("y", 2)}


def weighting_call(act: Activation, node: ast.Call, name: str, args: ArgumentsEvent) -> Value | None:
    """Evaluate a call of one of these helpers; None for other functions, and for arguments that are no tensors."""
    del node
    if name not in _SHAPED:
        return None
    like = argument(args, *_SHAPED[name])
    if not isinstance(like, Tensor):
        return None
    return act.tensor(type=like.type.with_dtype(None), lineage=like.lineage)
