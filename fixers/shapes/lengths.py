"""Fixers of the length of a tensor, by a mean, codes of reshape, a one-element tensor, or operators."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import Concretize
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.evidence.tensors import is_no_list, proved_value
from hybridlint.fixers.loops.foreach import foreach
from hybridlint.fixers.loops.iteration import beside_numpy, replace_size
from hybridlint.fixers.shapes.coded_reshapes import coded_reshape
from hybridlint.fixers.shapes.means import as_mean
from hybridlint.fixers.shapes.numpy_sizes import numpy_sizes
from hybridlint.fixers.shapes.positions import numpy_positions
from hybridlint.fixers.shapes.sized_calls import with_tensor
from hybridlint.fixers.shapes.sizes import in_its_dtype, name_of, number, numpy_size, of_axis, whole_number
from hybridlint.fixers.toolkit.names import parent_of
from hybridlint.fixers.toolkit.rewriting import safe_if
from hybridlint.runtime.facts.records import replace
from hybridlint.text.edits import Applicability, Fix


def length(event: Concretize) -> Fix | None:
    """Write ``x * len(x)`` with the length as a one-element tensor, or ``for i in range(len(x))`` as foreach."""
    node, functions = event.node, event.frame.functions
    if functions is None or not isinstance(node, ast.Call) or len(node.args) != 1:
        return None
    name = name_of(node.args[0])
    if not isinstance(event.value, Tensor) or name is None:
        return None
    simple = as_mean(event.frame, node) or _in_reshape(event, node)
    if simple is not None:
        return simple
    if event.value.mode == "np":
        found = beside_numpy(event.frame, node, numpy_size(functions, name, 0), proved=False)
        call = parent_of(event.frame, node)
        counted = numpy_positions(event, call) if found is None and isinstance(call, ast.Call) else None
        return found or counted or numpy_sizes(event, node, event.value)
    own = event.value.type.dtype is None and in_its_dtype(event.frame, node, name)
    whole = whole_number(event.frame, node)
    if whole is not node:
        arithmetic = number(
            event.frame, whole, own=event.value.type.dtype is None and in_its_dtype(event.frame, whole, name)
        )
        found = None if arithmetic is None else replace_size(event.frame, whole, arithmetic, event.value)
        return found or foreach(event.frame, node)
    # A number has no length, so that what is no list is a tensor.
    proved = own and (proved_value(event.frame, event.value, node.args[0]) or is_no_list(event.frame, name))
    found = replace_size(event.frame, node, of_axis(functions, name, 0, own=own), event.value, own=proved)
    return found or _in_call(event, node, event.value) or foreach(event.frame, node)


def _in_call(event: Concretize, node: ast.Call, value: Tensor) -> Fix | None:
    """Write ``F.arange(len(x))`` and other calls that take sizes with operators that take the tensor.

    Safe for what is proved to be a tensor: a list has a length too.
    """
    call: ast.AST | None = parent_of(event.frame, node)
    while call is not None and not isinstance(call, ast.Call):
        call = parent_of(event.frame, call)
    fix = None if call is None else with_tensor(event, call)
    if fix is None or fix.applicability is not Applicability.SAFE:
        return fix
    return replace(fix, applicability=safe_if(proved_value(event.frame, value, node.args[0])))


def _in_reshape(event: Concretize, node: ast.expr) -> Fix | None:
    """Write ``y.reshape((len(x), -1))`` with codes, or as reshape_like."""
    outer = parent_of(event.frame, node)
    call = parent_of(event.frame, outer) if isinstance(outer, ast.Tuple | ast.keyword) else outer
    if isinstance(call, ast.keyword):
        call = parent_of(event.frame, call)
    return coded_reshape(event, call) if isinstance(call, ast.Call) else None
