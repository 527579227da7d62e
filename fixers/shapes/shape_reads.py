"""Fixers of shapes read from tensors: operators that take the tensor itself, and sizes as tensors."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.describe import subject
from hybridlint.analysis.model.events import AttributeRead, CodeContext
from hybridlint.analysis.model.values import Namespace, Tensor
from hybridlint.fixers.control.preparatory import last_resort
from hybridlint.fixers.control.removals import without_unused
from hybridlint.fixers.control.size_fitting import fitted_always
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from hybridlint.fixers.functions.device_arguments import handed_device
from hybridlint.fixers.functions.devices import NAMED, context_of, eagerly_on_device, with_imports
from hybridlint.fixers.functions.methods import remove_argument
from hybridlint.fixers.functions.namespace_arguments import functions_passed
from hybridlint.fixers.functions.namespaces import creation
from hybridlint.fixers.indexing.crops import crop_around
from hybridlint.fixers.indexing.even_parts import even_parts
from hybridlint.fixers.loops.foreach import foreach
from hybridlint.fixers.loops.iteration import beside_numpy, one_size, replace_size
from hybridlint.fixers.loops.split_steps import steps_of_split
from hybridlint.fixers.loops.unrolls import write_unroll
from hybridlint.fixers.shapes.broadcast_sizes import has_rank
from hybridlint.fixers.shapes.coded_reshapes import coded_reshape, reshape_of
from hybridlint.fixers.shapes.kept_tails import kept_tail
from hybridlint.fixers.shapes.means import as_mean, mean_by_names
from hybridlint.fixers.shapes.named_dtypes import cast_always, named_dtype
from hybridlint.fixers.shapes.numpy_sizes import numpy_sizes
from hybridlint.fixers.shapes.other_tails import other_tail
from hybridlint.fixers.shapes.positions import numpy_positions
from hybridlint.fixers.shapes.random_samples import sample_like
from hybridlint.fixers.shapes.rank_choices import one_way
from hybridlint.fixers.shapes.rank_guards import with_missing_axis
from hybridlint.fixers.shapes.reduced_axes import all_but_first
from hybridlint.fixers.shapes.reshapes import reshape
from hybridlint.fixers.shapes.size_arguments import handed_sizes
from hybridlint.fixers.shapes.sized_calls import with_tensor
from hybridlint.fixers.shapes.sizes import (
    count_of,
    in_its_dtype,
    name_of,
    number,
    reads_shape,
    whole_number,
)
from hybridlint.fixers.shapes.square_roots import by_last_size, by_named_size
from hybridlint.fixers.shapes.triangles import triangle
from hybridlint.fixers.toolkit.names import ARRAYS, dotted_parts, parent_of
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup, surface
from hybridlint.runtime.facts.records import replace
from hybridlint.text.edits import Applicability, Fix

_DESCRIBING = frozenset({"ctx", "dtype", "shape"})


def without_shape(event: AttributeRead) -> Fix | None:
    """Rewrite code that reads ``x.shape`` with an operator or a reshape code that takes `x` itself."""
    frame, node = event.frame, event.node
    found = _without_size(event)
    if found is not None or event.name != "shape" or not isinstance(node, ast.Attribute):
        return found or _without_statement(event)
    if frame.functions is None:
        call = _enclosing_call(frame, node)
        made = None if call is None else kept_tail(event, call) or coded_reshape(event, call) or other_tail(event, call)
        return made or _without_statement(event)
    place = parent_of(frame, node)
    size = _size_operand(event, node) or (None if not isinstance(place, ast.Subscript) else crop_around(frame, place))
    if size is not None:
        return size
    call = _enclosing_call(frame, node)
    if isinstance(event.value, Tensor) and event.value.mode == "np":
        found = None if call is None else numpy_positions(event, call) or coded_reshape(event, call)
        whole = place if isinstance(place, ast.Subscript) else node
        return found or numpy_sizes(event, whole, event.value) or _without_statement(event)
    if not isinstance(event.value, Tensor) or call is None or frame.statement is None:
        return _without_statement(event)
    return (
        kept_tail(event, call)
        or other_tail(event, call)
        or _reshape(event, call, node)
        or _like(event, call, node)
        or sample_like(event, call)
        or with_tensor(event, call)
        or triangle(event, call)
        or steps_of_split(event, call)
        or foreach(frame, node)
        or write_unroll(event, call)
        or _without_statement(event)
    )


def _without_size(event: AttributeRead) -> Fix | None:
    """Rewrite code that reads ``x.shape``, ``x.size`` or ``x.ndim`` and needs none of its numbers."""
    found = without_unused(event) or with_missing_axis(event) or one_way(event) or fitted_always(event)
    return found or even_parts(event) or _number_of_elements(event) or all_but_first(event)


def _reshape(event: AttributeRead, call: ast.Call, node: ast.Attribute) -> Fix | None:
    """Write a reshape with codes, or with reshape_like and a tensor; the simpler one if both are safe.

    Codes that depend on a guess come before a tensor that is made only for its shape, which is their safer form.
    """
    found, coded = reshape(event, call, node), coded_reshape(event, call)
    if found is None or coded is None:
        return coded or found
    if found.applicability is not Applicability.SAFE:
        return coded
    if coded.applicability is not Applicability.SAFE:
        made = _length(event.frame, found) - _length(event.frame, coded) > 1
        return replace(coded, safer=found) if made and coded.applicability is Applicability.UNSAFE else found
    of_equals = (coded, found) if _reads_others(event.frame, call) else (found, coded)
    return min(of_equals, key=lambda fix: _length(event.frame, fix))


def _length(frame: CodeContext, fix: Fix) -> int:
    """Return how many functions of F a fix writes."""
    return sum(edit.content.count(f"{frame.functions}.") for edit in fix.edits)


def _reads_others(frame: CodeContext, call: ast.Call) -> bool:
    """Whether a reshape has sizes by name, ``(b, x.shape[1], -1)``: these the codes for ``x.shape`` alone leave."""
    found, reader = reshape_of(frame, call), SizeInference(frame)
    return found is not None and any(reader.reads_tensor(size) and not reads_shape(size) for size in found.sizes)


def without_attribute(event: AttributeRead) -> Fix | None:
    """Keep ``ctx=x.context``, checks and prints that read an array's attributes for eager runs only.

    If nothing reads the value, the assignment is removed.
    """
    frame, node = event.frame, event.node
    unused = without_unused(event)
    handed = handed_device(frame, node) if isinstance(node, ast.expr) else None
    if unused is not None or handed is not None:
        return unused or handed
    call = parent_of(frame, node)
    if isinstance(call, ast.keyword) and call.arg == "ctx":
        return _without_context(frame, parent_of(frame, call), call)
    return cast_always(event) or named_dtype(event) or _without_statement(event)


def _without_context(frame: CodeContext, call: ast.AST | None, keyword: ast.keyword) -> Fix | None:
    """Write ``ctx=x.context`` in a function of F as ``ctx=x.context if F is mx.nd else None``.

    A function of `nd` that makes an array becomes one of F first, which a helper without F gets from its callers.
    """
    if not isinstance(call, ast.Call):
        return None
    space = frame.seen.value(call.func.value) if isinstance(call.func, ast.Attribute) else None
    if not isinstance(call.func, ast.Attribute) or not isinstance(space, Namespace) or space.root != "F":
        return _made_by_functions(frame, call)
    choice = context_of(frame, keyword.value)
    if choice is None or call.func.attr in surface.NO_CONTEXT:
        device = eagerly_on_device(frame, call, keyword)
        return device or remove_argument(frame, call, keyword, Applicability.UNSAFE)
    return with_imports(choice, rewrite(frame, keyword.value, choice.new, Applicability.SAFE, message=NAMED))


def _made_by_functions(frame: CodeContext, call: ast.Call) -> Fix | None:
    """Write ``nd.arange(n, ctx=x.context)`` by F, which a helper gets first; None beside a tensor.

    The fix of that arithmetic makes the array too, and lets the two broadcast.
    """
    around = parent_of(frame, call)
    sides = (around.left, around.right) if isinstance(around, ast.BinOp) else ()
    if any(side is not call and isinstance(frame.seen.value(side), Tensor) for side in sides):
        return None
    makes = (dotted_parts(call.func) or ("",))[-1]
    return creation(frame, call) or (functions_passed(frame) if lookup.makes_array(makes) else None)


def _number_of_elements(event: AttributeRead) -> Fix | None:
    """Write ``x / x.size`` and ``x * x.ndim`` with the number as a tensor that the graph computes."""
    functions, node, value = event.frame.functions, event.node, event.value
    if functions is None or event.name not in {"size", "ndim"} or not isinstance(value, Tensor):
        return None
    tensor, frame = name_of(subject(node)), event.frame
    if not isinstance(node, ast.Attribute | ast.Call) or tensor is None:
        return None
    mean = as_mean(frame, node)
    if mean is not None:
        return mean
    if value.mode == "np":
        new = expression("{F}.npx.shape_array({F}.npx.shape_array({x}))[0]", F=functions, x=tensor)
        return beside_numpy(frame, node, new, proved=True) if event.name == "ndim" else None
    # `getattr(x, "size")` is not followed into arithmetic.
    whole = whole_number(frame, node) if isinstance(node, ast.Attribute) else node
    own = event.name == "size" and value.type.dtype is None and in_its_dtype(frame, whole, tensor)
    count = count_of(frame, tensor, event.name, own=own) if whole is node else number(frame, whole, own=own)
    return None if count is None else replace_size(frame, whole, count, value)


def _size_operand(event: AttributeRead, node: ast.Attribute) -> Fix | None:
    """Write the size in ``x / x.shape[0]`` as a one-element tensor that the graph computes."""
    place, value = parent_of(event.frame, node), event.value
    if not isinstance(place, ast.Subscript) or not isinstance(node.value, ast.Name) or not isinstance(value, Tensor):
        return None
    if isinstance(event.frame.statement, ast.Assign) and SizeInference(event.frame).size(event.frame.statement.value):
        # What a name holds that is a size itself, other fixes write where it is used.
        return None
    simpler = as_mean(event.frame, place) or by_last_size(event.frame, place)
    if simpler is not None:
        return simpler
    whole = whole_number(event.frame, place)
    own = value.type.dtype is None and in_its_dtype(event.frame, whole, node.value.id)
    new = number(event.frame, whole, own=own)
    if whole is place or new is None:
        return one_size(event.frame, place, node.value.id, value)
    if value.mode == "np":
        return beside_numpy(event.frame, whole, new, proved=value.type.dtype == "float32")
    return replace_size(event.frame, whole, new, value)


def _enclosing_call(frame: CodeContext, node: ast.expr) -> ast.Call | None:
    """Return the nearest call around the node; for ``array(range(x.shape[0]))`` the outer call."""
    inner: ast.AST | None = node
    while inner is not None and not isinstance(inner, ast.Call):
        inner = parent_of(frame, inner)
    outer = parent_of(frame, inner) if inner is not None and dotted_parts(inner.func) == ("range",) else None
    return outer if isinstance(outer, ast.Call) and (dotted_parts(outer.func) or ("",))[-1] == "array" else inner


def _like(event: AttributeRead, call: ast.Call, node: ast.Attribute) -> Fix | None:
    """Write ``F.zeros(x.shape)`` as ``F.zeros_like(x)``, and ``y.broadcast_to(x.shape)`` as broadcast_like."""
    frame = event.frame
    path = dotted_parts(call.func)
    if not isinstance(event.value, Tensor):
        return None
    if isinstance(call.func, ast.Attribute) and call.func.attr == "broadcast_to":
        return _broadcast_like(frame, call, node)
    if path is None:
        return None
    shape = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "shape"), None)
    namespace = path[:-1] in {(frame.functions,), *ARRAYS}
    if not namespace or shape is not node or any(k.arg not in _DESCRIBING | {"val"} for k in call.keywords):
        return None
    return _filled(event, call, node, path[-1])


def _filled(event: AttributeRead, call: ast.Call, node: ast.Attribute, name: str) -> Fix | None:
    """Write zeros, ones or full of shape ``x.shape`` with zeros_like or ones_like, if the dtype agrees."""
    frame, tensor = event.frame, event.frame.concrete(node.value)
    assert isinstance(event.value, Tensor)
    plain = {k.arg: k.value for k in call.keywords}
    dtype = plain.get("dtype")
    same_dtype = (
        isinstance(dtype, ast.Attribute) and dtype.attr == "dtype" and ast.dump(dtype.value) == ast.dump(node.value)
    )
    if dtype is not None and not same_dtype:
        return None
    sure = safe_if(same_dtype or event.value.type.dtype == "float32")
    filled = lookup.like(name)
    if filled is not None and len(call.args) <= 1:
        new = expression("{F}.{like}({x})", F=frame.functions, like=filled, x=tensor)
        return rewrite(frame, call, new, sure)
    if name == "full":
        filler = call.args[1] if len(call.args) > 1 else plain.get("val")
        if filler is None or len(call.args) > 2:
            return None
        template = "{F}.ones_like({x}) * {filler}"
        new = expression(template, F=frame.functions, x=tensor, filler=frame.concrete(filler))
        return rewrite(frame, call, new, sure)
    return None


def _broadcast_like(frame: CodeContext, call: ast.Call, node: ast.Attribute) -> Fix | None:
    if not isinstance(call.func, ast.Attribute) or len(call.args) + len(call.keywords) > 2:
        return None
    values = [*call.args, *(k.value for k in call.keywords)]
    if values[-1] is not node:
        return None
    like = frame.concrete(node.value)
    if len(values) == 2 and dotted_parts(call.func.value) == (frame.functions,):
        template = "{F}.broadcast_like({x}, {like})"
        new = expression(template, F=frame.functions, x=frame.concrete(values[0]), like=like)
        return rewrite(frame, call, new, Applicability.SAFE)
    if len(values) == 1:
        new = expression("{x}.broadcast_like({like})", x=frame.concrete(call.func.value), like=like)
        held = frame.seen.value(node.value)
        known = has_rank(frame, call.func.value, held.type.rank if isinstance(held, Tensor) else None)
        return rewrite(frame, call, new, safe_if(known))
    return None


def _without_statement(event: AttributeRead) -> Fix | None:
    """Put a check or logging under ``if F is mx.nd:``, or prepare other fixes."""
    frame = event.frame
    return by_named_size(frame) or mean_by_names(frame) or handed_sizes(frame) or last_resort(frame)
