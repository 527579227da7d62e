"""Ask the real MXNet 1.9.1 for the attributes of objects whose classes users derive from.

    PYTHON_WITH_MXNET -m tests.runtime.attribute_names

Python 3.8.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ANSWERS = Path(__file__).with_suffix(".json")

_LAYERS = (
    *("Dense(3)", "Conv2D(3, 3)", "Conv2DTranspose(3, 3)", "BatchNorm()", "LayerNorm()", "InstanceNorm()"),
    *("GroupNorm()", "Embedding(3, 4)", "Dropout(0.5)", "Activation('relu')", "LeakyReLU(0.1)", "PReLU()"),
    *("ELU()", "SELU()", "GELU()", "Swish()", "MaxPool2D()", "AvgPool1D()", "GlobalAvgPool2D()", "Flatten()"),
    *("HybridSequential()", "Sequential()", "HybridLambda('relu')", "Lambda('relu')", "ReflectionPad2D()"),
)
_RECURRENT = (
    *("LSTM(3)", "GRU(3)", "RNN(3)", "LSTMCell(3)", "GRUCell(3)", "RNNCell(3)", "SequentialRNNCell()"),
    *("HybridSequentialRNNCell()", "DropoutCell(0.5)", "ResidualCell(rnn.LSTMCell(3))"),
    *("ZoneoutCell(rnn.LSTMCell(3))", "BidirectionalCell(rnn.LSTMCell(3), rnn.GRUCell(3))"),
)
_LOSSES = (
    *("L2Loss()", "L1Loss()", "SoftmaxCrossEntropyLoss()", "SigmoidBinaryCrossEntropyLoss()", "KLDivLoss()"),
    *("CTCLoss()", "HuberLoss()", "HingeLoss()", "TripletLoss()", "CosineEmbeddingLoss()", "PoissonNLLLoss()"),
)
_CONTRIB = (
    *("nn.HybridConcurrent()", "nn.Concurrent()", "nn.Identity()", "nn.PixelShuffle2D(2)", "nn.SyncBatchNorm()"),
    *("rnn.Conv2DLSTMCell((3, 8, 8), 3, 3, 3)", "rnn.VariationalDropoutCell(rnn.LSTMCell(3))"),
    *("rnn.LSTMPCell(3, 2)", "cnn.DeformableConvolution(3)", "estimator.BatchEnd()"),
)
#: Expressions for the objects: ones of classes without names of their own stand for a user's.
OBJECTS = (
    *("type('Own', (gluon.Block,), {})()", "type('Own', (gluon.HybridBlock,), {})()"),
    *(f"nn.{one}" for one in _LAYERS),
    *(f"rnn.{one}" for one in _RECURRENT),
    *(f"gluon.loss.{one}" for one in _LOSSES),
    *(f"gluon.contrib.{one}" for one in _CONTRIB),
    "gluon.data.ArrayDataset([1])",
    *("mx.init.Xavier()", "mx.metric.Accuracy()", "mx.lr_scheduler.FactorScheduler(2)", "mx.operator.CustomOp()"),
    *("mx.optimizer.Optimizer()", "mx.optimizer.SGD()", "mx.optimizer.Adam()", "mx.autograd.Function()"),
    "mx.io.NDArrayIter(mx.nd.ones((2, 2)))",
)


def names_of(mx: Any, written: str) -> list[str]:
    """Return the names of the attributes of the object that an expression makes, special ones left out."""
    space = {"mx": mx, "gluon": mx.gluon, "nn": mx.gluon.nn, "rnn": mx.gluon.rnn}
    found = eval(written, space)
    return sorted(name for name in {*dir(type(found)), *vars(found)} if not name.startswith("__"))


if __name__ == "__main__":
    import importlib

    library = importlib.import_module("mxnet")
    told = {written: names_of(library, written) for written in OBJECTS}
    ANSWERS.write_text(
        "{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in told.items()) + "\n}\n", encoding="utf-8"
    )
