"""The plain blocks of `plain/`: how each is built, and the shapes of its inputs. Python 3.8 reads this too."""

from __future__ import annotations

from typing import Any, NamedTuple

#: Whole numbers below this are inputs that are spelt as shapes with a mark.
TOKENS = 5
#: Files that leave numpy mode to their users.
LIBRARIES = {"numpy_library"}


class Case(NamedTuple):
    """A block: its arguments, and shapes of its inputs; "tokens" in front of one means whole numbers, a list is one."""

    args: tuple[Any, ...]
    inputs: list[Any]


CASES: dict[str, dict[str, Case]] = {
    "vision": {
        "Residual": Case((4,), [(2, 3, 8, 10)]),
        "SqueezeExcite": Case((4,), [(2, 4, 6, 5)]),
        "SpatialAttention": Case((), [(2, 3, 8, 10)]),
        "Pyramid": Case((4,), [(2, 3, 8, 12)]),
        "ChannelShuffle": Case((2,), [(2, 4, 3, 5)]),
    },
    "language": {
        "DotAttention": Case((6,), [(2, 3, 6), (2, 4, 6)]),
        "Highway": Case((4,), [(3, 4)]),
        "TextCNN": Case((TOKENS, 4), [("tokens", 2, 6)]),
        "BagOfWords": Case((TOKENS, 4), [("tokens", 2, 6), (2, 6)]),
    },
    "recommending": {
        "FactorizationMachine": Case((6, 3), [(4, 6)]),
        "Scorer": Case((TOKENS, TOKENS, 3), [("tokens", 4), ("tokens", 4)]),
        "Ranking": Case((), [(4, 3), (4, 3)]),
    },
    "series": {
        "Positions": Case((4,), [(2, 7, 4)]),
        "Scaled": Case((4,), [(2, 7, 3)]),
        "Actor": Case((2,), [(3, 5)]),
        "Dueling": Case((3,), [(2, 5)]),
        "LeakyCell": Case((4,), [(2, 3), [(2, 4)]]),
    },
    "families": {
        "Encoder": Case((4,), [(2, 6)]),
        "Gated": Case((4,), [(2, 6)]),
        "Pair": Case((4,), [(2, 6)]),
        "Stack": Case((4,), [(2, 6)]),
    },
    "numpy_mode": {
        "Perceptron": Case((6, 2), [(3, 5)]),
        "Fixed": Case((4,), [(3, 4)]),
        "Normed": Case((4,), [(3, 4)]),
    },
    "numpy_library": {
        "MultiHead": Case((8, 2), [(2, 3, 6), (2, 4, 6)]),
    },
    "optional": {
        "GraphConv": Case((3, 4), [(5, 5), (5, 3)]),
        "Affine": Case((4, False), [(2, 4)]),
        "Causal": Case((5, True), [(2, 5, 5)]),
    },
    "by_values": {},
}
