"""Ask MXNet for a network whose layers oneDNN has merged, and what it gives: ``MXNET -m tests.runtime.merged.measure``.

The data are positive: of other data, what oneDNN computes depends on the processor. Runs on MXNet's Python 3.8.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import mxnet as mx  # type: ignore[import-not-found, unused-ignore]
from mxnet import sym
from mxnet.contrib import quantization  # type: ignore[import-not-found, unused-ignore]

from tests.runtime.merged.network import SEEN, arrays, data


def layer(x: Any, name: str, filters: int, size: int, **options: Any) -> Any:
    """Return a convolution that keeps the size of images."""
    return sym.Convolution(x, name=name, num_filter=filters, kernel=(size, size), pad=(size // 2,) * 2, **options)


def normalized(x: Any, name: str, fixed: bool = False) -> Any:
    """Return a normalization."""
    return sym.BatchNorm(x, name=name, eps=1e-5, fix_gamma=fixed)


def network() -> Any:
    """Return a block of a residual network, and a head."""
    start = sym.Activation(normalized(layer(sym.var("data"), "c0", 4, 3), "b0"), act_type="relu")
    start = sym.Pooling(start, kernel=(2, 2), stride=(2, 2), pool_type="max", name="p0")
    left = normalized(layer(start, "c1", 4, 1, no_bias=True), "b1")
    right = sym.Activation(normalized(layer(start, "c2", 3, 3), "b2", fixed=True), act_type="relu")
    joined = sym.Activation(normalized(layer(right, "c3", 4, 3), "b3") + left, act_type="relu")
    deep = sym.Activation(layer(joined, "c4", 4, 3, num_group=4), act_type="relu")
    return layer(deep, "c5", 2, 1)


def main() -> None:
    """Write answers.json."""
    plain = network()
    shapes, _, of_states = plain.infer_shape(data=data().shape)
    given = arrays({name: shapes[k] for k, name in enumerate(plain.list_arguments()) if name != "data"})
    kept = arrays({name: of_states[k] for k, name in enumerate(plain.list_auxiliary_states())})
    args, aux = ({k: mx.nd.array(v) for k, v in held.items()} for held in (given, kept))
    merged = plain.get_backend_symbol("MKLDNN_QUANTIZE")
    samples = mx.io.NDArrayIter(data(), batch_size=len(data()))
    options = {"calib_mode": "naive", "calib_data": samples, "quantized_dtype": "auto", "logger": logging.getLogger()}
    graph = quantization.quantize_model(merged, args, aux, **options)[0].get_backend_symbol("MKLDNN_QUANTIZE")
    outputs = {}
    for name in graph.get_internals().list_outputs():
        if name.endswith(SEEN):
            part = graph.get_internals()[name]
            own = {k: args[k] for k in part.list_arguments() if k in args}
            states = {k: aux[k] for k in part.list_auxiliary_states()}
            found = part.bind(mx.cpu(), {**own, "data": mx.nd.array(data())}, aux_states=states).forward()[0]
            outputs[name] = [str(found.dtype.__name__), found.asnumpy().ravel().tolist()]
    sizes = {name: array.shape for name, array in {**given, **kept}.items()}
    exact = plain.bind(mx.cpu(), {**args, "data": mx.nd.array(data())}, aux_states=aux).forward()[0].asnumpy().tolist()
    graphs = {"graph": graph.tojson(), "merged": merged.tojson()}
    answers = {**graphs, "shapes": sizes, "outputs": outputs, "exact": exact}
    Path(__file__).with_name("answers.json").write_text(json.dumps(answers, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
