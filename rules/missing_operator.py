"""An operator or a method that MXNet does not have.

`F.grid_sample` and `x.clamp` are names of other libraries or of other versions: neither `mx.nd` nor `mx.sym`, neither
an array nor a Symbol of MXNet 1.9.1 has them. The call raises AttributeError eagerly and hybridized. Names that the
project adds itself (`mx.nd.double = ...`), operators that its settings declare, and names that the code tests with
`hasattr` or whose AttributeError it catches are not reported.

Bad:

    return F.contrib.gelu(x)  # HYB519

Good:

    return F.LeakyReLU(x, act_type="gelu")
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import MissingName
from hybridlint.analysis.model.values import Namespace
from hybridlint.rule import Finding, Rule
from hybridlint.runtime.facts.lookup import like_named

rule = Rule(__name__, code="HYB519", summary="operator or method that MXNet does not have")


@rule.on(MissingName)
def check(event: MissingName) -> Iterator[Finding]:
    """Report names that exist neither for arrays nor for Symbols."""
    operator = isinstance(event.value, Namespace)
    alike = like_named(event.value.path if isinstance(event.value, Namespace) else (), event.name)
    what = "operator" if operator else "tensor method or attribute"
    similar = f" Similar names: {', '.join(f'`F.{name}`' for name in alike)}." if alike else ""
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)} raises AttributeError: MXNet has no {what} `{event.name}`",
        help=f"Use an operator that MXNet 1.9.1 has.{similar}",
    )
