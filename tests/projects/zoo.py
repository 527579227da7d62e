"""Build one model of a package by name, with parameters and inputs that a seed decides, and say what it gives.

    PYTHON -m hybridlint run tests/projects/zoo.py gluoncv mobilenet1.0
    PYTHON_WITH_MXNET tests/projects/zoo.py gluoncv mobilenet1.0

prints one line of JSON. It runs in both interpreters, so it stays within Python 3.8, and asks nothing of numpy's or
MXNet's generators: each parameter is drawn from its own name, so that neither order nor generator matters.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
import time
import traceback
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

mx: Any = importlib.import_module("mxnet")


def draw(name: str, shape: Any) -> Any:
    """Return numbers of float32 that the name decides, of a size that keeps activations of deep networks near 1."""
    generator = np.random.RandomState(zlib.crc32(name.encode()))
    if name.endswith(("gamma", "_var")):
        return generator.uniform(0.8, 1.2, shape).astype(np.float32)
    if name.endswith(("beta", "bias", "_mean")):
        return generator.uniform(-0.1, 0.1, shape).astype(np.float32)
    fan = int(np.prod(shape[1:])) if len(shape) > 1 else 1
    return (generator.standard_normal(shape) * np.sqrt(1.5 / max(fan, 1))).astype(np.float32)


def fill(net: Any) -> None:
    """Give all parameters their numbers. The counters in names are left out: they depend on what was built before."""
    for structural, parameter in sorted(net._collect_params_with_prefix().items()):
        if not isinstance(parameter, mx.gluon.Constant):
            parameter.set_data(mx.nd.array(draw(structural, parameter.shape), dtype=parameter.dtype))


def leaves(value: Any) -> Iterator[Any]:
    """Yield the arrays of nested outputs."""
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from leaves(part)
    elif isinstance(value, dict):
        for key in sorted(value):
            yield from leaves(value[key])
    elif value is not None:
        yield value


def summary(value: Any) -> list[dict[str, Any]]:
    """Return shape, dtype and statistics of each output, and some of its elements."""
    described: list[dict[str, Any]] = []
    for array in leaves(value):
        numbers = array.asnumpy().astype(np.float64)
        flat = numbers.ravel()
        places: Any = np.unique(np.linspace(0, max(flat.size - 1, 0), 16).astype(int)) if flat.size else []
        described.append(
            {
                "shape": list(numbers.shape),
                "dtype": np.dtype(array.dtype).name,
                "mean": float(flat.mean()) if flat.size else None,
                "largest": float(np.abs(flat).max()) if flat.size else None,
                "elements": [float(flat[k]) for k in places],
            }
        )
    return described


def image(*shape: int) -> Any:
    """Return an input of numbers that its shape decides."""
    return mx.nd.array(draw(f"input {shape}", shape))


def _gluoncv(name: str) -> Any:
    model_zoo: Any = importlib.import_module("gluoncv.model_zoo")
    if name.startswith("custom_"):
        return model_zoo.get_model(name, classes=["one", "two"], pretrained_base=False)
    # What has a base would load its weights otherwise; what has none may not know the argument.
    try:
        return model_zoo.get_model(name, pretrained=False, pretrained_base=False)
    except (TypeError, ValueError, Warning):
        return model_zoo.get_model(name, pretrained=False)


#: Patterns of names of gluoncv -> shapes of the inputs; the first that fits counts.
_GLUONCV_INPUTS: list[tuple[str, list[tuple[int, ...]]]] = [
    (r"^cifar_", [(1, 3, 32, 32)]),
    (r"^inceptionv3$|^xception", [(1, 3, 299, 299)]),
    (r"^nasnet", [(1, 3, 224, 224)]),
    (r"^slowfast_4x16", [(1, 3, 36, 224, 224)]),
    (r"^slowfast_8x8", [(1, 3, 40, 224, 224)]),
    (r"^slowfast_16x8", [(1, 3, 80, 224, 224)]),
    (r"^fastscnn", [(1, 3, 1024, 1024)]),
    (r"^(i3d|r2plus1d|p3d|c3d)", [(1, 3, 16, 112, 112)]),
    (r"i3d_|i3d$", [(1, 3, 32, 224, 224)]),
    (r"(_ucf101|_kinetics400|_hmdb51|_sthsthv2)$", [(1, 3, 224, 224)]),
    (r"^(ssd_300|ssd_512|yolo3|faster_rcnn|mask_rcnn|custom_)", [(1, 3, 320, 320)]),
    (r"^center_net", [(1, 3, 256, 256)]),
    (r"^(simple_pose|alpha_pose|mobile_pose|hrnet.*pose)", [(1, 3, 256, 192)]),
    (r"^(fcn|psp|deeplab|icnet|danet|hrnet.*_s$)", [(1, 3, 480, 480)]),
    (r"^monodepth2", [(1, 3, 192, 640)]),
    (r"^siamrpn", [(1, 3, 127, 127), (1, 3, 287, 287)]),
]


def _gluoncv_inputs(name: str) -> list[Any]:
    for pattern, shapes in _GLUONCV_INPUTS:
        if re.search(pattern, name):
            return [image(*shape) for shape in shapes]
    return [image(1, 3, 224, 224)]


def _mxnet(name: str) -> Any:
    return mx.gluon.model_zoo.vision.get_model(name)


def _mxnet_inputs(name: str) -> list[Any]:
    size = 299 if name == "inceptionv3" else 224
    return [image(1, 3, size, size)]


_TOKENS = 50
_BERT = {"dataset_name": None, "pretrained": False, "use_decoder": False, "use_classifier": False}


def _vocabulary(kind: str) -> Any:
    nlp: Any = importlib.import_module("gluonnlp")
    counted = nlp.data.count_tokens(str(k) for k in range(_TOKENS))
    return nlp.Vocab(counted) if kind == "plain" else nlp.vocab.BERTVocab(counted)


#: Expressions that build blocks of gluonnlp, by name, and their inputs. `nlp` is the package.
_GLUONNLP: dict[str, tuple[str, str]] = {
    "bert_12_768_12": (
        "nlp.model.get_model('bert_12_768_12', vocab=words('bert'), **BERT)[0]",
        "[ids, segments, lengths]",
    ),
    "ernie_12_768_12": (
        "nlp.model.get_model('ernie_12_768_12', vocab=words('bert'), **BERT)[0]",
        "[ids, segments, lengths]",
    ),
    "distilbert_6_768_12": (
        "nlp.model.get_model('distilbert_6_768_12', vocab=words('bert'), dataset_name=None, pretrained=False)[0]",
        "[ids, lengths]",
    ),
    "awd_lstm_lm_600": (
        "nlp.model.get_model('awd_lstm_lm_600', vocab=words('plain'), dataset_name=None, pretrained=False)[0]",
        "[ids]",
    ),
    "standard_lstm_lm_200": (
        "nlp.model.get_model('standard_lstm_lm_200', vocab=words('plain'), dataset_name=None, pretrained=False)[0]",
        "[ids]",
    ),
    "transformer_encoder": (
        "nlp.model.transformer.TransformerEncoder(num_layers=2, units=16, hidden_size=32, num_heads=2, max_length=20)",
        "[image(2, 5, 16)]",
    ),
    "attention_mlp": ("nlp.model.MLPAttentionCell(units=8)", "[image(2, 3, 8), image(2, 5, 8), image(2, 5, 4)]"),
    "attention_dot": (
        "nlp.model.DotProductAttentionCell(units=8, luong_style=False, scaled=True)",
        "[image(2, 3, 8), image(2, 5, 8), image(2, 5, 4)]",
    ),
    "attention_heads": (
        "nlp.model.MultiHeadAttentionCell(nlp.model.DotProductAttentionCell(scaled=True), 8, 8, 8, 2)",
        "[image(2, 3, 8), image(2, 5, 8), image(2, 5, 8)]",
    ),
    "convolutional_encoder": ("nlp.model.ConvolutionalEncoder(embed_size=6)", "[image(9, 2, 6)]"),
    "highway": ("nlp.model.Highway(6, 2)", "[image(2, 6)]"),
}


def _gluonnlp(name: str) -> Any:
    nlp: Any = importlib.import_module("gluonnlp")
    return eval(_GLUONNLP[name][0], {"nlp": nlp, "words": _vocabulary, "BERT": _BERT})


def _gluonnlp_inputs(name: str) -> list[Any]:
    ids = mx.nd.array(np.arange(24).reshape(4, 6) % (_TOKENS - 10))
    known = {"ids": ids, "segments": mx.nd.zeros((4, 6)), "lengths": mx.nd.array([6, 5, 4, 3]), "image": image}
    found: list[Any] = eval(_GLUONNLP[name][1], known)
    return found


BUILDERS: dict[str, Callable[[str], Any]] = {"gluoncv": _gluoncv, "gluonnlp": _gluonnlp, "mxnet": _mxnet}
INPUTS: dict[str, Callable[[str], list[Any]]] = {
    "gluoncv": _gluoncv_inputs,
    "gluonnlp": _gluonnlp_inputs,
    "mxnet": _mxnet_inputs,
}


def measure(package: str, name: str) -> dict[str, Any]:
    """Return what a model gives eagerly and hybridized, or how it fails, and the seconds that each took."""
    answer: dict[str, Any] = {"package": package, "model": name}
    stage = "build"
    try:
        begin = time.time()
        net = BUILDERS[package](name)
        net.initialize(mx.init.Zero())
        inputs = INPUTS[package](name)
        stage = "infer"
        net(*inputs)
        fill(net)
        answer["parameters"] = sum(int(np.prod(p.shape)) for p in net.collect_params().values())
        answer["build_s"] = round(time.time() - begin, 2)
        for stage in ("eager", "hybridized"):
            if stage == "hybridized":
                net.hybridize()
            begin = time.time()
            answer[stage] = summary(net(*inputs))
            answer[stage + "_s"] = round(time.time() - begin, 2)
    except Exception as error:
        answer["failed"] = stage
        answer["error"] = f"{type(error).__name__}: {error}"
        answer["trace"] = traceback.format_exc(limit=-3)
    return answer


if __name__ == "__main__":
    for model in sys.argv[2:]:
        print(json.dumps(measure(sys.argv[1], model)), flush=True)
