"""A constant is initialized with the network that holds it; a block that nobody initializes does it itself."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import HEAD, fixed_text

BLOCK = """\
class Shift(HybridBlock):
    def __init__(self):
        super().__init__()
        self.mean = nd.array([1, 2]){more}

    def hybrid_forward(self, F, x):
        return F.broadcast_sub(x, self.mean)
"""
OWN_CALL = "        self.mean.initialize()\n"

USES = {
    "of which the file shows no use": ("", False),
    "that a network holds": (
        "\n\nclass Net(HybridBlock):\n    def __init__(self):\n        super().__init__()\n"
        "        self.shift = Shift()\n",
        False,
    ),
    "that is made and initialized": ("\n\nshift = Shift()\nshift.initialize(ctx=mx.cpu(1))\n", False),
    "that is made and never initialized": ("\n\nprint(Shift()(nd.ones((3, 2))))\n", True),
}


@pytest.mark.parametrize(("use", "own"), USES.values(), ids=USES.keys())
def test_a_block_without_other_parameters(use: str, own: bool) -> None:
    fixed = fixed_text(HEAD + BLOCK.format(more="") + use, unsafe=True)
    assert 'self.params.get_constant("mean", nd.array([1, 2]))' in fixed
    assert (OWN_CALL in fixed) is own


def test_a_block_with_parameters_is_initialized_by_its_users() -> None:
    more = "\n        self.out = nn.Dense(2)"
    text = HEAD.replace("HybridBlock\n", "HybridBlock, nn\n") + BLOCK.format(more=more) + "\n\nprint(Shift())\n"
    assert OWN_CALL not in fixed_text(text, unsafe=True)


def test_a_layer_without_parameters_changes_nothing() -> None:
    text = HEAD.replace("HybridBlock\n", "HybridBlock, nn\n") + BLOCK.format(
        more="\n        self.drop = nn.Dropout(0.1)"
    )
    text = text.replace("return F.broadcast_sub(x, self.mean)", "return self.drop(F.broadcast_sub(x, self.mean))")
    assert OWN_CALL in fixed_text(f"{text}\n\nprint(Shift()(nd.ones((3, 2))))\n", unsafe=True)
    assert OWN_CALL not in fixed_text(text.replace("Dropout(0.1)", "HybridSequential()") + "\n\nShift()\n", unsafe=True)
