"""What a block registers among its parameters reaches the helpers that read it."""

from __future__ import annotations

from tests.fixers.bodies import fixed_text, lines

HEAD = "import mxnet as mx\nfrom mxnet.gluon import HybridBlock, nn\n\n\n"
SHIFTED = """
class Shifted(HybridBlock):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3)
        self.eye = mx.nd.array(mx.np.eye(3))

    def shifted(self, F, x{parameter}):
        return F.broadcast_add(x, {eye})

    def hybrid_forward(self, F, x{argument}):
        return {call}
"""


def _shifted(call: str, eye: str = "self.eye", parameter: str = "", argument: str = "") -> str:
    return HEAD + lines(SHIFTED.format(call=call, eye=eye, parameter=parameter, argument=argument)) + "\n"


def test_a_constant_is_handed_to_the_helper_that_reads_it() -> None:
    fixed = fixed_text(_shifted("self.shifted(F, self.dense(x)) * 2"), unsafe=True)
    wanted = _shifted("self.shifted(F, self.dense(x), eye) * 2", "eye", ", eye", ", eye")
    made = 'self.params.get_constant("eye", mx.nd.array(mx.np.eye(3)))'
    assert fixed == wanted.replace("mx.nd.array(mx.np.eye(3))", made)


def test_it_is_given_by_name_beside_names() -> None:
    fixed = fixed_text(_shifted("self.shifted(F, x=self.dense(x))"), unsafe=True)
    assert "return self.shifted(F, x=self.dense(x), eye=eye)" in fixed


def test_a_helper_that_more_than_calls_name_stays() -> None:
    for call in ("self.shifted(F, x) + getattr(self, 'shifted')(F, x)", "self.shifted(F, self.shifted(F, x))"):
        assert "get_constant" not in fixed_text(_shifted(call), unsafe=True)
