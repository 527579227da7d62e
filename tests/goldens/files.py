"""Have the real MXNet 1.9.1 write arrays, an exported network and symbols into the folder `files` beside this file.

    PYTHON_WITH_MXNET tests/goldens/files.py

It runs in MXNet's interpreter, so it stays within Python 3.8.
"""

from __future__ import annotations

from pathlib import Path

import mxnet as mx  # type: ignore[import-not-found]
import numpy as np
from mxnet import nd
from mxnet.gluon import nn  # type: ignore[import-not-found]

FOLDER = Path(__file__).with_name("files")


def arrays() -> None:
    """Write lists, a single array, a dict, sparse arrays, nothing at all, and a dict of numpy mode."""
    whole = nd.arange(6).reshape((2, 3))
    nd.save(str(FOLDER / "list.nd"), [whole, nd.ones((2,), dtype="int32")])
    nd.save(str(FOLDER / "single.nd"), nd.array([1.5, -2]))
    nd.save(str(FOLDER / "dict.nd"), {"arg:w": whole.astype("float16"), "aux:m": nd.zeros((1, 2), dtype="uint8")})
    sparse = [whole.tostype("csr"), whole.tostype("row_sparse")]
    nd.waitall()
    nd.save(str(FOLDER / "sparse.nd"), sparse)
    nd.save(str(FOLDER / "empty.nd"), [])
    with mx.util.np_shape(True), mx.util.np_array(True):
        mx.npx.save(str(FOLDER / "np_dict.npx"), {"scalar": mx.np.array(3.0), "none": mx.np.zeros((0, 2))})


def network() -> None:
    """Write a network of convolutions: its parameters, what it is exported as, an input and its output."""
    mx.random.seed(3)
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(4, 3, activation="relu"), nn.MaxPool2D(), nn.BatchNorm(), nn.Dense(5, activation="tanh"))
        net.add(nn.Dropout(0.5), nn.Dense(3))
    net.initialize(mx.init.Xavier())
    net.hybridize()
    data = nd.array(np.random.RandomState(0).uniform(size=(2, 1, 8, 8)))
    output = net(data)
    net.export(str(FOLDER / "model"), epoch=1)
    net.save_parameters(str(FOLDER / "net.params"))
    np.save(str(FOLDER / "input.npy"), data.asnumpy())
    np.save(str(FOLDER / "output.npy"), output.asnumpy())


def symbols() -> None:
    """Write symbols: a classifier, and one with attributes and several outputs."""
    data = mx.sym.var("data")
    classifier = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(data, num_hidden=3, name="fc"), name="softmax")
    (FOLDER / "classifier.json").write_text(classifier.tojson(), encoding="utf-8")
    x = mx.sym.var("x", shape=(2, 3), lr_mult=2.0, dtype="float16", init=mx.init.One(), attr={"foo": "bar"})
    parts = mx.sym.split(x + 1, num_outputs=2, axis=0, name="parts")
    several = mx.sym.Group([parts[0] * 2, parts[1], mx.sym.BatchNorm(parts[0], name="norm")])
    (FOLDER / "several.json").write_text(several.tojson(), encoding="utf-8")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    arrays()
    network()
    symbols()
