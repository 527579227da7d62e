"""Ask the real MXNet 1.9.1 what layers and losses give, and keep the answers beside this file.

    PYTHON_WITH_MXNET tests/goldens/layers.py

`answer` runs on any module with MXNet's interface, so that the tests ask the bundled runtime the same way. This file
runs in both interpreters, so it stays within Python 3.8.
"""

from __future__ import annotations

import importlib
import json
import zlib
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

ANSWERS = Path(__file__).parent / "layers.json"

#: Expression that builds the block -> shapes of its inputs; a third number is the bound of integers.
CASES: dict[str, list[Any]] = {
    "nn.Dense(3)": [(2, 4)],
    "nn.Dense(3, activation='relu', flatten=False, use_bias=False)": [(2, 3, 4)],
    "nn.Dense(2, 'tanh', in_units=6)": [(2, 3, 2)],
    "nn.Flatten()": [(2, 3, 2)],
    "nn.Embedding(5, 3)": [((2, 4), 5)],
    "nn.BatchNorm()": [(3, 2, 2, 2)],
    "nn.BatchNorm(axis=-1, momentum=0.5, epsilon=1e-3, scale=False)": [(3, 2, 2)],
    "nn.BatchNorm(use_global_stats=True, center=False)": [(3, 2, 2)],
    "nn.LayerNorm()": [(2, 3, 4)],
    "nn.LayerNorm(axis=1, epsilon=1e-3, scale=False, center=False)": [(2, 3, 4)],
    "nn.InstanceNorm()": [(2, 3, 2, 2)],
    "nn.InstanceNorm(axis=2, scale=True)": [(2, 3, 2, 2)],
    "nn.GroupNorm(2)": [(2, 4, 3)],
    "nn.Activation('softsign')": [(2, 3)],
    "nn.Activation('softrelu')": [(2, 3)],
    "nn.LeakyReLU(0.1)": [(2, 3)],
    "nn.PReLU()": [(2, 3)],
    "nn.PReLU(in_channels=3)": [(2, 3)],
    "nn.ELU(0.5)": [(2, 3)],
    "nn.SELU()": [(2, 3)],
    "nn.GELU()": [(2, 3)],
    "nn.Swish(1.5)": [(2, 3)],
    "nn.Conv1D(2, 3, padding=1)": [(2, 3, 5)],
    "nn.Conv2D(4, (2, 3), strides=2, padding=1, groups=2, activation='relu')": [(2, 2, 5, 5)],
    "nn.Conv2D(3, 2, dilation=2, use_bias=False)": [(1, 2, 5, 4)],
    "nn.Conv3D(2, 2)": [(1, 2, 3, 3, 3)],
    "nn.Conv1DTranspose(2, 3, strides=2, padding=1, output_padding=1)": [(2, 3, 4)],
    "nn.Conv2DTranspose(2, 3, strides=2)": [(1, 3, 3, 2)],
    "nn.Conv3DTranspose(2, 2)": [(1, 2, 2, 2, 2)],
    "nn.MaxPool1D()": [(2, 2, 5)],
    "nn.MaxPool2D(3, 2, 1)": [(1, 2, 6, 5)],
    "nn.MaxPool2D(3, 2, ceil_mode=True)": [(1, 2, 6, 5)],
    "nn.MaxPool3D()": [(1, 2, 4, 4, 4)],
    "nn.AvgPool1D(2, 1, 1)": [(2, 2, 5)],
    "nn.AvgPool2D(3, 2, 1, count_include_pad=False)": [(1, 2, 6, 5)],
    "nn.AvgPool3D()": [(1, 2, 2, 2, 2)],
    "nn.GlobalMaxPool1D()": [(2, 2, 5)],
    "nn.GlobalMaxPool2D()": [(1, 2, 3, 3)],
    "nn.GlobalMaxPool3D()": [(1, 2, 2, 2, 2)],
    "nn.GlobalAvgPool1D()": [(2, 2, 5)],
    "nn.GlobalAvgPool2D()": [(1, 2, 3, 3)],
    "nn.GlobalAvgPool3D()": [(1, 2, 2, 2, 2)],
    "nn.ReflectionPad2D(1)": [(1, 2, 3, 3)],
    "nn.HybridLambda('relu')": [(2, 3)],
    "contrib.nn.Identity()": [(2, 3)],
    "contrib.nn.PixelShuffle1D(2)": [(1, 4, 3)],
    "contrib.nn.PixelShuffle2D((2, 3))": [(1, 6, 2, 2)],
    "contrib.nn.PixelShuffle3D(2)": [(1, 8, 1, 2, 2)],
    "stack(contrib.nn.HybridConcurrent(axis=1), nn.Dense(2), contrib.nn.Identity())": [(2, 3)],
    "stack(nn.HybridSequential(), nn.Dense(4, activation='relu'), nn.BatchNorm(), nn.Dense(2))": [(3, 5)],
    "loss.L2Loss()": [(2, 3), (2, 3)],
    "loss.L1Loss(weight=2.0)": [(2, 3), (2, 3)],
    "loss.SigmoidBCELoss()": [(2, 3), (2, 3), (2, 1), (1, 3)],
    "loss.SigmoidBinaryCrossEntropyLoss()": [(2, 3), (2, 3)],
    "loss.SoftmaxCELoss()": [(2, 3), ((2,), 3)],
    "loss.SoftmaxCrossEntropyLoss(axis=1, sparse_label=False)": [(2, 3, 2), (2, 3, 2)],
    "loss.KLDivLoss(from_logits=False)": [(2, 3), ((2, 3), 4)],
    "loss.CTCLoss()": [(2, 5, 4), ((2, 2), 3)],
    "loss.HuberLoss(rho=0.5)": [(2, 3), (2, 3), (2, 1)],
    "loss.HingeLoss(margin=2)": [(2, 3), (2, 3)],
    "loss.SquaredHingeLoss()": [(2, 3), (2, 3)],
    "loss.LogisticLoss()": [(2, 3), (2, 3)],
    "loss.LogisticLoss(label_format='binary')": [(2, 3), (2, 3)],
    "loss.TripletLoss(margin=2)": [(2, 3), (2, 3), (2, 3)],
    "loss.PoissonNLLLoss()": [(2, 3), ((2, 3), 5)],
    "loss.CosineEmbeddingLoss(margin=0.1)": [(2, 3), (2, 3), ((2,), 2)],
    "loss.SDMLLoss()": [(3, 2), (3, 2)],
    "rnn.RNN(3)": [(4, 2, 3)],
    "rnn.RNN(2, 2, 'tanh', layout='NTC')": [(2, 4, 3)],
    "rnn.LSTM(3, 2, bidirectional=True)": [(4, 2, 3)],
    "rnn.GRU(3, layout='NTC', input_size=2)": [(2, 4, 2)],
    "unrolled(rnn.RNNCell(3, activation='relu'))": [(2, 3, 2)],
    "unrolled(rnn.LSTMCell(3))": [(2, 3, 2), ((2,), 4)],
    "unrolled(rnn.GRUCell(3))": [(2, 3, 2)],
    "unrolled(rnn.ResidualCell(rnn.GRUCell(2)))": [(2, 3, 2)],
    "unrolled(rnn.ZoneoutCell(rnn.RNNCell(2)))": [(2, 3, 2)],
    "unrolled(rnn.BidirectionalCell(rnn.LSTMCell(3), rnn.LSTMCell(3)))": [(2, 3, 2)],
    "unrolled(rnn.BidirectionalCell(rnn.GRUCell(2), rnn.GRUCell(2)))": [(2, 3, 2), ((2,), 4)],
    "unrolled(contrib.rnn.VariationalDropoutCell(rnn.RNNCell(2)))": [(2, 3, 2)],
    "unrolled(contrib.rnn.LSTMPCell(4, 3))": [(2, 3, 2)],
    "unrolled(contrib.rnn.Conv1DRNNCell((2, 4), 3, 3, 3, i2h_pad=1))": [(2, 3, 2, 4)],
    "unrolled(contrib.rnn.Conv1DLSTMCell((2, 4), 3, 2, 3, h2h_dilate=2, activation='relu'))": [(2, 3, 2, 4)],
    "unrolled(contrib.rnn.Conv2DGRUCell((2, 4, 3), 2, (3, 2), (1, 3)))": [(2, 3, 2, 4, 3)],
    "unrolled(contrib.rnn.Conv2DLSTMCell((2, 3, 3), 2, 2, 3, activation='softsign'))": [(2, 3, 2, 3, 3)],
    "unrolled(contrib.rnn.Conv3DRNNCell((1, 2, 3, 2), 2, 2, 1))": [(1, 3, 1, 2, 3, 2)],
    "contrib.cnn.DeformableConvolution(2, 3, padding=1, activation='relu')": [(1, 2, 4, 3)],
    "contrib.cnn.DeformableConvolution(4, 2, strides=2, groups=2, num_deformable_group=2, use_bias=False)": [
        (1, 4, 4, 4)
    ],
    "unrolled(stacked(rnn.HybridSequentialRNNCell(), rnn.LSTMCell(3), rnn.DropoutCell(0.0), rnn.GRUCell(2)))": [
        (2, 3, 2)
    ],
}


def stack(container: Any, *layers: Any) -> Any:
    """Return a container with layers in it."""
    container.add(*layers)
    return container


def stacked(container: Any, *cells: Any) -> Any:
    """Return a container of cells, which takes them one by one."""
    for cell in cells:
        container.add(cell)
    return container


def unrolled(hybrid_block: Any, cell: Any) -> Any:
    """Return a block that runs a cell over three steps and gives outputs and last states in one row."""

    class Unrolled(hybrid_block):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.cell = cell

        def hybrid_forward(self, F: Any, x: Any, valid_length: Any = None) -> Any:
            outputs, states = self.cell.unroll(3, x, merge_outputs=True, valid_length=valid_length)
            return F.concat(F.Flatten(outputs), *[F.Flatten(state) for state in states], dim=1)

    return Unrolled()


def draw(name: str, shape: Any, bound: int = 0) -> Any:
    """Return values that depend on the name alone: integers below `bound`, or numbers from -1 to 1."""
    generator = np.random.RandomState(zlib.crc32(name.encode()))
    if bound:
        return generator.randint(0, bound, shape).astype("float32")
    return generator.uniform(-1, 1, shape).round(3).astype("float32")


def answer(mx: Any, expression: str, hybridize: bool = False) -> dict[str, Any]:
    """Return what the block is and computes: its repr, parameters, outputs, gradients, and running statistics."""
    gluon = mx.gluon
    names = {name: getattr(gluon, name) for name in ("nn", "loss", "contrib", "rnn")}
    names.update(stack=stack, stacked=stacked, unrolled=partial(unrolled, gluon.HybridBlock))
    block = eval(expression, names)
    block.initialize()
    specs = [spec if isinstance(spec[0], tuple) else (spec,) for spec in CASES[expression]]
    inputs = [mx.nd.array(draw(f"input{k}", *spec)) for k, spec in enumerate(specs)]
    text = repr(block)
    block(*inputs)
    params = block._collect_params_with_prefix()
    for name, param in params.items():
        positive = 1.5 if name.endswith("running_var") else 0
        param.set_data(mx.nd.array(draw(name, param.shape) + positive))
    if hybridize:
        block.hybridize()
    predicted = block(*inputs)
    differentiable = [inputs[k] for k, spec in enumerate(specs) if len(spec) == 1]
    for array in differentiable:
        array.attach_grad()
    with mx.autograd.record():
        trained = block(*inputs)
    trained.backward(mx.nd.array(draw("head", trained.shape)))
    return {
        "repr": text,
        "predicted": plain(predicted),
        "trained": plain(trained),
        "inputs": [plain(array.grad) for array in differentiable],
        "params": {k: [list(p.shape), p.grad_req, plain(p.data())] for k, p in params.items()},
        "gradients": {k: plain(p.grad()) for k, p in params.items() if p.grad_req != "null"},
    }


def plain(array: Any) -> Any:
    """Return an array as its shape and short numbers."""
    values = array.asnumpy()
    return {"shape": list(values.shape), "values": [float(f"{v:.6g}") for v in values.ravel()]}


def main() -> None:
    """Write all answers."""
    mxnet = importlib.import_module("mxnet")
    for part in ("cnn", "rnn"):
        importlib.import_module(f"mxnet.gluon.contrib.{part}")
    lines = [f"{json.dumps(case)}: {json.dumps(answer(mxnet, case))}" for case in CASES]
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
