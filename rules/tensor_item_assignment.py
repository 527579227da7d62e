"""Items of a tensor are assigned.

A Symbol cannot be written into: `x[:, 0] = y` raises TypeError when the block is hybridized. Build a new tensor
instead: `zeros_like` or `ones_like` fill a whole one, `concat` joins parts, and `where` chooses by a condition.

Bad:

    # hybridlint: shapes(x=("N", 3))
    y = x * 2
    y[:] = 0  # HYB205
    return y + x

Good:

    # hybridlint: shapes(x=("N", 3))
    y = x * 2
    y = F.zeros_like(y)
    return y + x
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.events import TensorStore
from hybridlint.analysis.model.values import Outputs, Tensor
from hybridlint.analysis.mxnet.describe import describe_expression
from hybridlint.fixers.blocks.new_constants import constant_of_helper
from hybridlint.fixers.blocks.outputs import as_list
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.fixers.functions.namespace_arguments import functions_passed
from hybridlint.fixers.indexing.assembled import assemble_tensor
from hybridlint.fixers.indexing.end_stores import end_filled
from hybridlint.fixers.indexing.row_items import item_of_each_row
from hybridlint.fixers.indexing.slice_stores import concat_slice_stores
from hybridlint.fixers.indexing.stores import store
from hybridlint.fixers.loops.filled_tensors import filled_by_loop
from hybridlint.rule import Finding, Rule
from hybridlint.text.edits import Applicability, Fix

rule = Rule(__name__, code="HYB205", summary="assignment to items of a tensor")


@rule.on(TensorStore)
def check(event: TensorStore) -> Iterator[Finding]:
    """Report every item assignment on a tensor or on an operator's outputs."""
    if not isinstance(event.value, Tensor | Outputs):
        return
    yield rule.at(
        event.node,
        f"{describe_expression(event.frame, event.target.value, event.value)}: "
        "a Symbol does not support item assignment",
        fix=as_list(event.frame, event.target.value) if isinstance(event.value, Outputs) else _stored(event),
        otherwise=lambda: keep_eager(event),
        help="Make a new tensor: zeros_like, concat, where.",
    )


def _stored(event: TensorStore) -> Fix | None:
    """Return the fix of a whole run of stores where that is sure, or where no single store has one.

    A helper needs F first.
    """
    together, single = assemble_tensor(event), store(event)
    sure = together is not None and together.applicability is Applicability.SAFE
    found = together if sure or single is None else single
    parts = end_filled(event) or item_of_each_row(event) or concat_slice_stores(event)
    return found or filled_by_loop(event) or parts or functions_passed(event.frame) or constant_of_helper(event.frame)
