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

import ast
import re
from collections.abc import Iterator

from hybridlint.analysis.events import BlockDef
from hybridlint.rule import Finding, Rule
from hybridlint.syntax import branches

rule = Rule(__name__, code="HYB904", summary="parameter called data in a block without a prefix")

_INPUT = re.compile(r"data\d*")


@rule.on(BlockDef)
def check(event: BlockDef) -> Iterator[Finding]:
    """Report parameters called as inputs are, in classes that choose an empty prefix."""
    init = event.methods.get("__init__")
    if init is None:
        return
    calls = [node for node in branches(init) if isinstance(node, ast.Call)]
    if not any(
        k.arg == "prefix" and isinstance(k.value, ast.Constant) and k.value.value == ""
        for c in calls
        for k in c.keywords
    ):
        return
    for call in calls:
        match call:
            case ast.Call(
                func=ast.Attribute(value=ast.Attribute(attr="params"), attr="get" | "get_constant"),
                args=[ast.Constant(value=str() as name), *_],
            ) if _INPUT.fullmatch(name):
                yield rule.at(
                    call,
                    f"the parameter's full name is `{name}`, which is what the hybridized block calls its input",
                    help="Choose another name, or a prefix.",
                )
