"""Fixers of dtypes read from tensors: the dtype by its name."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import AttributeRead, Frame
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.toolkit.names import parent_of
from hybridlint.fixers.toolkit.nodes import string
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.text.edits import Fix

#: The dtype of parameters, and of what layers compute, in a block that nobody casts.
_UNCAST = "float32"


def named_dtype(event: AttributeRead) -> Fix | None:
    """Write ``y.astype(x.dtype)`` as ``y.astype("float32")``.

    It is safe if the dtype of `x` is known. Where it is not, a block that is cast to half precision needs another name.
    """
    frame, node, value = event.frame, event.node, event.value
    if event.name != "dtype" or not isinstance(value, Tensor) or not isinstance(node, ast.Attribute):
        return None
    if not _is_requested(frame, node):
        return None
    known = value.type.dtype
    return rewrite(frame, node, string(known or _UNCAST), safe_if(known is not None))


def _is_requested(frame: Frame, node: ast.Attribute) -> bool:
    """Whether a dtype is what a call is asked for: ``y.astype(...)``, ``F.cast(y, dtype=...)``."""
    match parent_of(frame, node):
        case ast.Call(func=ast.Attribute(attr="astype"), args=[first]):
            return first is node
        case ast.keyword(arg="dtype") as keyword:
            return isinstance(parent_of(frame, keyword), ast.Call)
    return False
