"""Cases that the fuzzers found, as tests: each stands for the family that was repaired."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime.base import MXNetError

from .files import readers, refused
from .linting import never_raises

_MODULE = """\
import numpy as np
from mxnet import nd, npx
from mxnet.gluon import HybridBlock, nn

{mode}


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        return {body}
"""


@pytest.mark.parametrize(
    "body",
    [
        "F.full(x, 3, *x)",
        "F.zeros((2,), *x)",
        "np.frompyfunc(x, 1, 1)(x)",
        "np.vectorize(x)(x)",
        "nn.Dense(4, in_units=3)(x.reshape(1, 0.5, 3))",
        "nn.Dense(4, in_units=3)(x.broadcast_to((0.5, 3)))",
        "nn.Dense(4)(nn.Dense(0.5, in_units=8)(x))",
        "x * nd.zeros((4, 3))[0.5:2]",
    ],
)
def test_sources_that_crashed_the_analysis(body: str) -> None:
    for mode in ("npx.set_np()", ""):
        never_raises(_MODULE.format(body=body, mode=mode))


def _numpy(function: str, *shapes: tuple[int, ...]) -> Any:
    mx.util.set_np()
    try:
        module: Any = mx.np
        for part in function.split("."):
            module = getattr(module, part)
        return module(*(mx.np.array(np.ones(shape)) for shape in shapes))
    finally:
        mx.util.reset_np()


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        ("linalg.svd", [(2, 3, 2)]),
        ("linalg.solve", [(2, 2, 2), (2,)]),
        ("linalg.pinv", [(3,)]),
        ("polyval", [(3, 1), (2,)]),
    ],
)
def test_shapes_that_mxnet_refuses_in_numpy_mode(function: str, shapes: list[tuple[int, ...]]) -> None:
    with pytest.raises((MXNetError, ValueError)):
        _numpy(function, *shapes)


@pytest.mark.parametrize("function", ["SequenceLast", "SequenceMask", "SequenceReverse"])
@pytest.mark.parametrize("lengths", [(2, 1), (2, 2, 1), (3,)])
def test_lengths_are_one_for_each_sequence(function: str, lengths: tuple[int, ...]) -> None:
    with pytest.raises(MXNetError, match="sequence_length"):
        getattr(mx.nd, function)(mx.nd.ones((4, 2, 2)), mx.nd.ones(lengths), use_sequence_length=True)


def test_boxes_are_decoded_from_anchors_of_one_example() -> None:
    with pytest.raises(MXNetError, match="anchors"):
        mx.nd.contrib.box_decode(mx.nd.ones((1, 3, 4)), mx.nd.ones((3, 3, 4)))
    with pytest.raises(MXNetError, match="anchors"):
        mx.nd.contrib.box_decode(mx.nd.ones((2, 3, 4)), mx.nd.ones((1, 2, 4)))
    with pytest.raises(MXNetError, match="last axis"):
        mx.nd.contrib.box_decode(mx.nd.ones((3, 4, 3)), mx.nd.ones((1, 4, 3)))


def test_quantized_operators_refuse_other_ranks() -> None:
    table, ends = mx.nd.ones((4,), dtype="int8"), (mx.nd.ones((1,)), mx.nd.ones((1,)))
    with pytest.raises(MXNetError, match="weight"):
        mx.nd.contrib.quantized_embedding(mx.nd.ones((3,)), table, *ends, input_dim=4, output_dim=2)
    joined = (mx.nd.ones((2, 3), dtype="int8"), mx.nd.ones((2,), dtype="int8"))
    with pytest.raises(MXNetError, match="expected 2 dimensions, got 1"):
        mx.nd.contrib.quantized_concat(*joined, *ends, *ends, dim=1)


def test_a_norm_of_lamb_may_have_several_axes() -> None:
    ones = mx.nd.ones((3,))
    assert mx.nd.lamb_update_phase2(ones, ones, mx.nd.ones((1,)), mx.nd.ones((1, 1)), lr=0.1).shape == (3,)
    with pytest.raises(MXNetError, match="r2"):
        mx.nd.lamb_update_phase2(ones, ones, mx.nd.ones((1,)), ones, lr=0.1)


@pytest.mark.parametrize(("name", "content"), [("settings", b"a = " + b"[" * 3000), ("record of a run", b"[" * 9000)])
def test_deep_nesting_is_refused(name: str, content: bytes) -> None:
    reader = readers()[name]
    with pytest.raises(reader.errors):
        reader.read(b"[tool.hybridlint]\n" * (name == "settings") + content)


@pytest.mark.parametrize(
    "comment",
    [
        "shapes(" + "[" * 3000,
        "verify(" + "(" * 3000,
        "shapes(x=1) + (2)",
        "shapes(x=[(2, 3)])",
        "shapes(x=(None, 1.5))",
    ],
)
def test_directives_that_crashed(comment: str) -> None:
    refused("directives", f"# hybridlint: {comment}\nclass Net:\n    pass\n".encode())
    result = never_raises(_MODULE.format(body="x.asnumpy()", mode=f"# hybridlint: {comment}"))
    assert result.failure is None
    assert "HYB106" in {found.code for found in result.diagnostics}
