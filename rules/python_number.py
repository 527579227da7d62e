"""A tensor is converted to a Python number.

`float(x)`, `int(x)`, `bool(x)` and `round(x)` need data, which a Symbol has not: they raise when the block is
hybridized.

Bad:

    # hybridlint: shapes(x=("N", 3))
    return x * float(x.sum())  # HYB505

Good:

    # hybridlint: shapes(x=("N", 3))
    return F.broadcast_mul(x, F.BlockGrad(x.sum()))
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import Concretize
from hybridlint.analysis.model.values import DataDependentValue, Tensor
from hybridlint.analysis.mxnet.describe import kind
from hybridlint.fixers.arithmetic.number_flows import numbers_as_tensors, of_several
from hybridlint.fixers.arithmetic.scalars import blocked_number
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.fixers.control.preparatory import last_resort
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB505", summary="float, int or bool of a tensor", needs_values=True)

_NUMBERS = frozenset({"float", "int", "bool", "complex", "round", "index", "range", "slice", "hex", "chr", "format"})


@rule.on(Concretize)
def check(event: Concretize) -> Iterator[Finding]:
    """Report conversions of a tensor to a Python number, such as ``float(x)``."""
    if event.how not in _NUMBERS or isinstance(event.value, DataDependentValue):
        return
    given = isinstance(event.value, Tensor) and event.value.origin == "argument" and event.value.type.shape is None
    needs = "a number, but a hybridized block gets a Symbol"
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)}: `{event.how}` needs "
        f"{needs if given else f'the data of {kind(event.value)}, and a Symbol has none'}",
        fix=of_several(blocked_number(event), event)
        or numbers_as_tensors(event, tested=True)
        or last_resort(event.frame),
        otherwise=lambda: keep_eager(event),
        help="Use operators: a tensor of one element broadcasts with F.broadcast_mul and similar operators.",
    )
