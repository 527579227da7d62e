"""A parameter has the name of an input.

The inputs of a hybridized block are called `data`, or `data0`, `data1`, ... A parameter whose full name is one of
these is silently replaced by the input.

Measured:

    class Shift(HybridBlock):
        def __init__(self):
            super().__init__(prefix="")
            self.data = self.params.get("data", shape=(1,))

        def hybrid_forward(self, F, x, data):
            return F.broadcast_add(x, data)

    >>> x = [5]
    >>> eager(x)
    [6]
    >>> hybridized(x)
    [10]

Bad:

    class Shift(HybridBlock):
        def __init__(self):
            super().__init__(prefix="")
            self.data = self.params.get("data", shape=(1,))  # HYB904

        def hybrid_forward(self, F, x, data):
            return F.broadcast_add(x, data)

Good:

    class Shift(HybridBlock):
        def __init__(self):
            super().__init__(prefix="")
            self.offset = self.params.get("offset", shape=(1,))

        def hybrid_forward(self, F, x, offset):
            return F.broadcast_add(x, offset)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hybridlint.analysis.model.events import ParameterDef
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB904", summary="parameter called data in a block without a prefix")

_INPUT = re.compile(r"data\d*")


@rule.on(ParameterDef)
def check(event: ParameterDef) -> Iterator[Finding]:
    """Report parameters named as a hybridized block names its inputs (`data0`), in classes that set an empty prefix."""
    if event.prefix == "" and _INPUT.fullmatch(event.name):
        yield rule.at(
            event.node,
            f"the parameter's full name is `{event.name}`, which is what the hybridized block calls its input",
            help="Choose another name, or a prefix.",
        )
