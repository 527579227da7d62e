"""Fixers of dtypes read from tensors: the dtype by its name."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.model.events import AttributeRead, CodeContext
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.toolkit.names import parent_of
from hybridlint.fixers.toolkit.nodes import string
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.statements import taken_out
from hybridlint.runtime.facts.records import replace
from hybridlint.text.edits import Applicability, Fix, FixKind
from hybridlint.text.syntax import walk

#: The dtype of parameters, and of what layers compute, in a block that nobody casts.
_UNCAST = "float32"


def named_dtype(event: AttributeRead) -> Fix | None:
    """Write ``x.dtype`` as ``"float32"`` in calls such as ``y.astype(x.dtype)``, directly or through a name.

    It is safe if the dtype of `x` is known. Where it is not, a block that is cast to half precision needs another name;
    then a call that reads sizes too stays, as a fix of these makes the tensor from another one, with its dtype.
    """
    frame, node, value = event.frame, event.node, event.value
    if event.name != "dtype" or not isinstance(value, Tensor) or not isinstance(node, ast.Attribute):
        return None
    calls = _askers(frame, node)
    known = value.type.dtype
    if not calls or (known is None and any(_reads_sizes(frame, call) for call in calls)):
        return None
    if known is not None:
        return rewrite(frame, node, string(known), Applicability.SAFE)
    message = f'Write `"{_UNCAST}"`, which is right unless the block is cast to another dtype'
    fix = rewrite(frame, node, string(_UNCAST), Applicability.UNSAFE, message=message)
    return None if fix is None else replace(fix, kind=FixKind.PART)


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


def _askers(frame: CodeContext, node: ast.Attribute) -> list[ast.Call]:
    """Return the calls that are asked for a dtype that is read there; none if other code sees it too."""
    binding = next((b for b in frame.flow.bindings if b.assigned is node), None)
    reads: Sequence[ast.expr] = (node,) if binding is None else frame.uses(binding)
    calls = [_asked(frame, read) for read in reads]
    alone = all(frame.binding(read) is binding for read in reads) if binding is not None else True
    return [call for call in calls if call is not None] if alone and None not in calls else []


def _asked(frame: CodeContext, node: ast.expr) -> ast.Call | None:
    """Return the call that is asked for a dtype: ``y.astype(...)``, ``F.cast(y, dtype=...)``."""
    statement = frame.flow.statement_at(node)
    match parent_of(frame, node, within=statement):
        case ast.Call(func=ast.Attribute(attr="astype"), args=[first]) as call if first is node:
            return call
        case ast.keyword(arg="dtype") as keyword:
            caller = parent_of(frame, keyword, within=statement)
            return caller if isinstance(caller, ast.Call) else None
        case _:
            return None


def _reads_sizes(frame: CodeContext, call: ast.Call) -> bool:
    """Whether an argument of a call reads sizes of a tensor."""
    parts = (part for one in (*call.args, *call.keywords) for part in walk(one))
    return any(
        isinstance(part, ast.Attribute) and part.attr == "shape" and isinstance(frame.seen.value(part.value), Tensor)
        for part in parts
    )
