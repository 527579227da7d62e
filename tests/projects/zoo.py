"""Build one model of a package by name, with parameters and inputs that a seed decides, and say what it gives.

    PYTHON -m hybridlint run -m tests.projects.zoo gluoncv mobilenet1.0
    PYTHON_WITH_MXNET -m tests.projects.zoo gluoncv mobilenet1.0

prints one line of JSON. Both interpreters run this file, so it stays within Python 3.8.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

from .drawn import fill, image, summary

mx: Any = importlib.import_module("mxnet")


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


BUILDERS: dict[str, Callable[[str], Any]] = {"gluoncv": _gluoncv, "mxnet": _mxnet}
INPUTS: dict[str, Callable[[str], list[Any]]] = {
    "gluoncv": _gluoncv_inputs,
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
