"""The data of a tensor are read into Python.

`asnumpy()`, `asscalar()`, `item()` and `tolist()` need data, and at the trace there are none: a Symbol raises
NotImplementedForSymbol. Compute with operators, and read the result outside of `hybrid_forward`.

Bad:

    # hybridlint: shapes(x=("N", 3))
    scale = x.sum().asscalar()  # HYB106
    return x * scale

Good:

    # hybridlint: shapes(x=("N", 3))
    scale = F.BlockGrad(x.sum())
    return F.broadcast_mul(x, scale)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import subject
from hybridlint.analysis.model.events import MethodCall
from hybridlint.analysis.model.values import Outputs, Tensor
from hybridlint.analysis.mxnet.describe import describe_expression
from hybridlint.fixers.arithmetic.number_flows import numbers_as_tensors, of_several
from hybridlint.fixers.arithmetic.round_trips import computed_by_operators
from hybridlint.fixers.arithmetic.scalars import blocked_scalar
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.fixers.control.preparatory import last_resort
from hybridlint.fixers.control.read_tests import tested_array, tested_tensor
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB106", summary="asnumpy, asscalar and other ways to read data", needs_values=True)

READING_METHODS = frozenset({"asnumpy", "asscalar", "item", "tolist"})


@rule.on(MethodCall)
def check(event: MethodCall) -> Iterator[Finding]:
    """Report methods that return a tensor's data as Python numbers or numpy arrays, such as ``x.asnumpy()``."""
    if event.name not in READING_METHODS or not isinstance(event.receiver, Tensor | Outputs):
        return
    receiver = subject(event.node)
    yield rule.at(
        event.node,
        f"{describe_expression(event.frame, receiver, event.receiver)}: "
        f"`{event.name}()` raises on a Symbol, which has no data",
        fix=of_several(blocked_scalar(event), event)
        or computed_by_operators(event)
        or tested_tensor(event)
        or tested_array(event)
        or numbers_as_tensors(event, tested=True)
        or last_resort(event.frame),
        otherwise=lambda: keep_eager(event),
        help="Use operators (F.BlockGrad stops the gradient), or read the data outside of hybrid_forward.",
    )
