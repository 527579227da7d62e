"""Fixers of tensors that are read as Python numbers: tensors with a stopped gradient in their place."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext, Concretize, MethodCall, TraceConstant
from hybridlint.analysis.model.values import Tensor, Value
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.fixers.arithmetic.one_element import number
from hybridlint.fixers.arithmetic.python_operators import beside_tensor, of_one_dtype
from hybridlint.fixers.blocks.parameters import argument_of_parameter
from hybridlint.fixers.control.pauses import stopped_in_scope
from hybridlint.fixers.evidence.helper_uses import uses_of
from hybridlint.fixers.evidence.layers_without_gradient import leaves_layer_without_gradient
from hybridlint.fixers.evidence.moving_statistics import may_update_statistics
from hybridlint.fixers.evidence.sure_tensors import surely_tensor
from hybridlint.fixers.evidence.tensors import is_given, proved_value
from hybridlint.fixers.functions.copies import stop_gradient
from hybridlint.fixers.functions.namespace_arguments import functions_passed
from hybridlint.fixers.toolkit.names import dotted_parts, named_operand, parent_of, required_inputs
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.lookup import EXTREMES
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk


def blocked_scalar(event: MethodCall) -> Fix | None:
    """Write ``x.sum().asscalar()`` as ``F.BlockGrad(x.sum())`` if it is an operand of tensor arithmetic."""
    assert isinstance(event.node, ast.Call)
    assert isinstance(event.node.func, ast.Attribute)
    if event.name == "asnumpy" and isinstance(event.receiver, Tensor) and event.receiver.mode == "legacy":
        single = event.receiver.type.shape == (1,)
        return number(event.frame, event.node, event.frame.concrete(event.node.func.value), single=single)
    if event.name not in {"asscalar", "item"} or event.arguments.nodes:
        return None
    return _blocked(event.frame, event.node, event.node.func.value, event.receiver)


def blocked_number(event: Concretize) -> Fix | None:
    """Write ``float(x.sum())`` as ``F.BlockGrad(x.sum())`` if it is an operand of tensor arithmetic.

    ``int(x.sum())`` becomes ``F.trunc`` of it.
    """
    node = event.node
    if not isinstance(node, ast.Call) or len(node.args) != 1:
        return None
    if event.how == "bool" and isinstance(parent_of(event.frame, node), ast.If | ast.IfExp | ast.While):
        return rewrite(event.frame, node, event.frame.concrete(node.args[0]), Applicability.SAFE)
    if event.how not in {"float", "int"}:
        return None
    return _blocked(event.frame, node, node.args[0], event.value, truncated=event.how == "int")


def parameter_scalar(event: TraceConstant) -> Fix | None:
    """Write ``x * self.weight.data().sum().asscalar()`` with the argument `weight` of hybrid_forward.

    The result is ``F.broadcast_mul(x, F.BlockGrad(weight.sum()))``: the gradient is stopped, as it was by asscalar.
    """
    frame, node, functions = event.frame, event.node, event.frame.functions
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr="asscalar" | "asnumpy" as how), args=[]):
            pass
        case _:
            return None
    reads = [c for c in walk(inner) if isinstance(c, ast.Call) and argument_of_parameter(frame, c) is not None]
    if functions is None or len(reads) != 1:
        return None
    read = reads[0]
    assert isinstance(read.func, ast.Attribute)
    assert isinstance(read.func.value, ast.Attribute)
    tensor = concrete_with(frame, inner, {read: expression("{name}", name=read.func.value.attr)})
    if how == "asnumpy":
        return number(frame, node, tensor, single=False)
    found = beside_tensor(frame, node, expression("{F}.BlockGrad({x})", F=functions, x=tensor))
    return None if found is None else rewrite(frame, *found, Applicability.UNSAFE)


def _blocked(
    frame: CodeContext, node: ast.expr, inner: ast.expr, value: Value, *, truncated: bool = False
) -> Fix | None:
    functions = frame.functions
    if not isinstance(value, Tensor) or may_be_python_number(frame, inner, value):
        return None
    if functions is None:
        return functions_passed(frame)
    parent = parent_of(frame, node)
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id in {"float", "int"}:
        # The conversion around it has a finding of its own.
        used = _is_operand(frame, parent)
        return rewrite(frame, node, frame.concrete(inner), Applicability.UNSAFE) if used else None
    if leaves_layer_without_gradient(frame, inner):
        alone = not truncated and isinstance(parent, ast.Assign) and _is_operand(frame, node)
        return stopped_in_scope(frame, node, inner, value.mode, Applicability.UNSAFE) if alone else None
    new = stop_gradient(functions, value, frame, inner)
    if truncated:
        new = expression("{F}.np.trunc({x})" if value.mode == "np" else "{F}.trunc({x})", F=functions, x=new)
    extreme = _extreme(frame, functions, node, new) if value.mode == "legacy" else None
    if extreme is not None:
        node, new = extreme
    elif isinstance(parent, ast.Call) and value.mode == "legacy":
        return _full(frame, functions, parent, node, new)
    return _put(frame, node, new, value) if _is_operand(frame, node) or _is_operand_elsewhere(frame, node) else None


def _extreme(
    frame: CodeContext, functions: str, node: ast.expr, new: cst.BaseExpression
) -> tuple[ast.Call, cst.BaseExpression] | None:
    """Return ``max(n, 1)`` around a number, and ``F.maximum(x, 1)`` of the tensor in its place; None for others."""
    match parent_of(frame, node):
        case ast.Call(func=ast.Name(id="max" | "min" as name), args=[one, other], keywords=[]) as call:
            bound = other if one is node else one
            if not isinstance(bound, ast.Constant) or not isinstance(bound.value, int | float):
                return None
            number = frame.concrete(bound)
            parts = [new, number] if one is node else [number, new]
            return call, expression("{F}.{name}({parts})", F=functions, name=EXTREMES[name], parts=parts)
    return None


def _is_operand_elsewhere(frame: CodeContext, node: ast.expr) -> bool:
    """Whether a helper returns the number, and each call of the helper is an operand of arithmetic."""
    helper = frame.function
    if not isinstance(helper, ast.FunctionDef) or helper.name == ENTRY:
        return False
    uses = uses_of(frame, helper) if isinstance(parent_of(frame, node), ast.Return) else []
    return bool(uses) and all(isinstance(parent_of(use.frame, use.call, use.frame.function), ast.BinOp) for use in uses)


def may_be_python_number(frame: CodeContext, node: ast.expr, value: Tensor) -> bool:
    """Whether an argument may be a Python number, on which BlockGrad raises; the only input is always an array."""
    return is_given(value) and len(required_inputs(frame)) != 1 and not proved_value(frame, value, node)


def _put(frame: CodeContext, node: ast.expr, new: cst.BaseExpression, value: Tensor) -> Fix | None:
    """Replace a Python number by the tensor `new`, and the operator around it by a function that broadcasts."""
    parent = parent_of(frame, node)
    sure = safe_if(isinstance(parent, ast.BinOp) and of_one_dtype(parent), not may_update_statistics(frame))
    beside = beside_tensor(frame, node, new) if value.mode == "legacy" else None
    return rewrite(frame, *(beside or (node, new)), sure)


def names_dtype(node: ast.expr) -> bool:
    """Whether an expression names a dtype, as ``x.astype("float32")`` does."""
    names = {n.attr for n in walk(node) if isinstance(n, ast.Attribute)}
    return any(lookup.of_tensors(name) is lookup.method("astype") for name in names) or any(
        isinstance(n, ast.keyword) and n.arg == "dtype" for n in walk(node)
    )


def _is_operand(frame: CodeContext, node: ast.expr) -> bool:
    """Whether a number, or its name, is an operand of arithmetic with tensors or is in the output."""
    outer = node
    while isinstance(parent := parent_of(frame, outer), ast.BinOp | ast.UnaryOp):
        outer = parent
    if outer is not node and names_dtype(outer) and not of_one_dtype(outer):
        # Two tensors may have different dtypes, on which operators raise; a number fits any dtype.
        return False
    named = isinstance(parent, ast.Assign) and named_operand(frame)
    return named or (outer is not node and (surely_tensor(frame, outer) or isinstance(parent, ast.Return)))


def _full(frame: CodeContext, functions: str, call: ast.Call, node: ast.expr, number: cst.BaseExpression) -> Fix | None:
    """Write ``F.full(shape, x.sum().asscalar())`` as ones multiplied by a tensor of one element.

    The result is ``F.broadcast_mul(F.ones(shape), F.BlockGrad(x.sum()).astype("float32"))``.
    """
    if (
        dotted_parts(call.func) != (functions, "full")
        or len(call.args) != 2
        or call.args[1] is not node
        or call.keywords
    ):
        return None
    template = '{F}.broadcast_mul({F}.ones({shape}), {x}.astype("float32"))'
    new = expression(template, F=functions, shape=frame.concrete(call.args[0]), x=number)
    sure = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return rewrite(frame, call, new, safe_if(sure))
