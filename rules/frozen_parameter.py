"""The data of a parameter are frozen.

`self.weight.data()` read into Python (with `asnumpy`, `asscalar` or `float`) is read once, at the trace. Training
changes the parameter; the hybridized block keeps the first value. Nothing is raised. The argument of
`hybrid_forward` that bears the parameter's name is always current.

Measured:

    class Scale(HybridBlock):
        def __init__(self):
            super().__init__()
            self.gain = self.params.get("gain", shape=(1,))

        def hybrid_forward(self, F, x, gain):
            return F.broadcast_mul(x, gain) * self.gain.data().asscalar()

    >>> x = [1, 2]
    >>> eager(x), eager.block.gain.set_data(mx.nd.array([3])), eager(x)
    ([1, 2], None, [9, 18])
    >>> hybridized(x), hybridized.block.gain.set_data(mx.nd.array([3])), hybridized(x)
    ([1, 2], None, [3, 6])

Bad:

    class Scale(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.gain = self.params.get("gain", shape=(1,))

        def hybrid_forward(self, F, x, gain):
            return F.broadcast_mul(x, gain) * self.gain.data().asscalar()  # HYB605

Good:

    class Scale(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.gain = self.params.get("gain", shape=(1,))

        def hybrid_forward(self, F, x, gain):
            return F.broadcast_mul(F.broadcast_mul(x, gain), F.BlockGrad(gain))
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.events import TraceConstant
from hybridlint.fixers.arithmetic.scalars import parameter_scalar
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB605", summary="data of a parameter, frozen at the trace")


@rule.on(TraceConstant)
def check(event: TraceConstant) -> Iterator[Finding]:
    """Report Python reads of the data of parameters, of arrays that outlive the call, and of random arrays."""
    if not event.source_of_value.endswith(")"):
        return
    yield rule.at(
        event.node,
        f"`{event.source_of_value}` is read once, at the trace, and the block keeps that value while the array changes",
        fix=parameter_scalar(event) if event.source_of_value.startswith("self.") else None,
        help="Use the argument of hybrid_forward that has the name of the parameter.",
    )
