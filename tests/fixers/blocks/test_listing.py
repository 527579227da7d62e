"""Parameters that a block makes itself: made so that it lists them."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed_text

HEAD = "import mxnet as mx\nfrom mxnet.gluon import HybridBlock\n\nCPU = mx.cpu()\n\n\n"
CLASS = """\
class Scale(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.gain = {made}

    def hybrid_forward(self, F, x, gain):
        return F.broadcast_mul(x, gain)
"""
WRITTEN = {
    'mx.gluon.Parameter("gain", shape=(1,))': 'self.params.get("gain", shape=(1,))',
    'mx.gluon.Parameter("gain", init=mx.init.One())': 'self.params.get("gain", init=mx.init.One())',
    'mx.gluon.Parameter(name="gain", shape=(1,))': 'self.params.get(name="gain", shape=(1,))',
    'mx.gluon.Constant("gain", mx.nd.ones((1,)))': 'self.params.get_constant("gain", mx.nd.ones((1,)))',
}


@pytest.mark.parametrize(("made", "result"), WRITTEN.items())
def test_a_parameter_is_made_with_the_params_of_the_block(made: str, result: str) -> None:
    assert fixed_text(HEAD + CLASS.format(made=made), unsafe=True) == HEAD + CLASS.format(made=result)


def test_an_import_that_only_the_old_call_used_goes() -> None:
    head = "from mxnet.gluon import HybridBlock, Parameter\n\n\n"
    made = fixed_text(head + CLASS.format(made='Parameter("gain", shape=(1,))'), unsafe=True)
    assert made == head.replace(", Parameter", "") + CLASS.format(made='self.params.get("gain", shape=(1,))')


@pytest.mark.parametrize("made", ['mx.gluon.Parameter("gain", "write", (1,))', "mx.gluon.Parameter(*given)"])
def test_settings_that_get_does_not_take_by_position_are_left(made: str) -> None:
    assert fixed_text(HEAD + CLASS.format(made=made), unsafe=True) == HEAD + CLASS.format(made=made)
