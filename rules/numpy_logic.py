"""An operator that Symbols of numpy mode lack.

Arrays of numpy mode take `&`, `|`, `^`, `~`, `@` and `abs()`. Their Symbols do not, and raise TypeError or
AttributeError when the block is hybridized. The functions of `F.np` work in both.

Bad:

    mx.npx.set_np()

    class Clip(HybridBlock):
        def hybrid_forward(self, F, x):
            return F.np.exp(x) * abs(x)  # HYB305

Good:

    mx.npx.set_np()

    class Clip(HybridBlock):
        def hybrid_forward(self, F, x):
            return F.np.exp(x) * F.np.abs(x)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import AttributeRead, Binary
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.arithmetic.python_operators import numpy_function, numpy_special
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB305", summary="operator that Symbols of numpy mode lack")

_OPERATORS = frozenset({"&", "|", "^", "~", "@", "<<", ">>"})


@rule.on(Binary)
def check_operator(event: Binary) -> Iterator[Finding]:
    """Report the operators ``&``, ``|``, ``^`` and ``@`` on a tensor of numpy mode."""
    if event.symbol in _OPERATORS and any(isinstance(v, Tensor) for v in (event.left, event.right)):
        yield rule.at(
            event.node,
            f"{snippet(event.frame, event.node)}: a Symbol has no operator `{event.symbol}`",
            fix=numpy_function(event),
            help="Use a function of F or F.np.",
        )


@rule.on(AttributeRead)
def check_special(event: AttributeRead) -> Iterator[Finding]:
    """Report ``abs(x)`` and ``~x`` on a tensor of numpy mode, which call special methods."""
    if event.name not in {"__abs__", "__invert__"} or not isinstance(event.value, Tensor):
        return
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)}: a Symbol of numpy mode has no `{event.name}`",
        fix=numpy_special(event),
        help="Use F.np.abs or F.np.logical_not.",
    )
