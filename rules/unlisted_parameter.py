"""A parameter is made without the block's `params`.

`hybrid_forward` gets every Parameter that an attribute of the block holds, but `collect_params` lists only those that
were made with `self.params.get`. Eagerly the block runs. Hybridized, it looks the parameters of its graph up among
those that are listed, and raises AssertionError: "Unknown input to HybridBlock". A Trainer does not train such a
parameter either, and `initialize` of the block leaves it out.

Bad:

    class Scale(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.gain = gluon.Parameter("gain", shape=(1,))  # HYB818
            self.gain.initialize()

        def hybrid_forward(self, F, x, gain):
            return F.broadcast_mul(x, gain)

Good:

    class Scale(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.gain = self.params.get("gain", shape=(1,))
            self.gain.initialize()

        def hybrid_forward(self, F, x, gain):
            return F.broadcast_mul(x, gain)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.events import UnlistedParameter
from hybridlint.fixers.blocks.listing import listed_parameter
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB818", summary="parameter that collect_params does not list", eager=True)


@rule.on(UnlistedParameter)
def check(event: UnlistedParameter) -> Iterator[Finding]:
    """Report parameters that the class makes itself and gets as an argument of `hybrid_forward`."""
    yield rule.at(
        event.node,
        f"`{event.name}` is not among the block's `params`: hybridized, the block does not find it, and raises",
        fix=listed_parameter(event),
        help="Make it with self.params.get, or self.params.get_constant.",
    )
