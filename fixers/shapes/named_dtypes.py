"""Fixers of dtypes read from tensors: the dtype by its name."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import AttributeRead, Frame
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.toolkit.names import parent_of
from hybridlint.fixers.toolkit.nodes import string
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.statements import taken_out
from hybridlint.text.edits import Applicability, Fix

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


def cast_always(event: AttributeRead) -> Fix | None:
    """Write ``if x.dtype != np.float32: x = x.astype("float32")`` as the cast alone, which changes no other dtype."""
    frame, statement = event.frame, event.frame.statement
    match statement:
        case ast.If(
            test=ast.Compare(left=read, ops=[ast.NotEq()], comparators=[dtype]),
            body=[
                ast.Assign(
                    targets=[ast.Name(id=target)],
                    value=ast.Call(func=ast.Attribute(attr=method, value=receiver), args=args, keywords=keywords),
                )
            ],
            orelse=[],
        ) if read is event.node and event.name == "dtype":
            pass
        case _:
            return None
    own = method == "astype"
    data = [receiver, *args] if own else args
    given = [*data, *(k.value for k in keywords if k.arg == "dtype")]
    cast = own or (method == "cast" and isinstance(receiver, ast.Name) and receiver.id == frame.functions)
    if not cast or len(given) != 2 or len(keywords) + len(data) != 2 or not isinstance(read, ast.Attribute):
        return None
    tensor, wanted = given
    plain = all(isinstance(n, ast.Name) and n.id == target for n in (tensor, read.value))
    if not plain or _dtype_name(dtype) is None or _dtype_name(dtype) != _dtype_name(wanted):
        return None
    return taken_out(frame, statement, Applicability.SAFE, message="Cast whatever the dtype is")


def _dtype_name(node: ast.expr) -> str | None:
    """Return the name of a dtype: ``"float32"``, ``np.float32``."""
    match node:
        case ast.Constant(value=str() as name) | ast.Attribute(value=ast.Name(id="np" | "numpy" | "onp"), attr=name):
            return name
    return None


def _is_requested(frame: Frame, node: ast.Attribute) -> bool:
    """Whether a dtype is what a call is asked for: ``y.astype(...)``, ``F.cast(y, dtype=...)``."""
    match parent_of(frame, node):
        case ast.Call(func=ast.Attribute(attr="astype"), args=[first]):
            return first is node
        case ast.keyword(arg="dtype") as keyword:
            return isinstance(parent_of(frame, keyword), ast.Call)
    return False
