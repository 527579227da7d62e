"""The models of gluoncv by the names of its zoo: how each is built, and inputs as small as it takes.

Both interpreters run this file, so it stays within Python 3.8.
"""

from __future__ import annotations

import importlib
import re
from typing import Any

#: Patterns of names -> shapes of the inputs; the first that fits counts. One model of most families is given images of
#: the usual size, for its memory.
_INPUTS: list[tuple[str, list[tuple[int, ...]]]] = [
    (r"^cifar_", [(1, 3, 32, 32)]),
    (r"^inceptionv3|^xception", [(1, 3, 299, 299)]),
    (r"^slowfast_4x16", [(1, 3, 36, 64, 64)]),
    (r"^slowfast_8x8", [(1, 3, 40, 64, 64)]),
    (r"^slowfast_16x8", [(1, 3, 80, 64, 64)]),
    (r"^(r2plus1d_resnet18|i3d_resnet50_v1_k|i3d_inception|c3d)", [(1, 3, 16, 112, 112)]),
    (r"^(i3d|r2plus1d)", [(1, 3, 16, 64, 64)]),
    (r"^p3d", [(1, 3, 16, 160, 160)]),
    (r"^fastscnn", [(1, 3, 1024, 1024)]),
    (r"^ssd_", [(1, 3, 320, 320)]),
    (r"^yolo3", [(1, 3, 160, 160)]),
    (r"rcnn_.*fpn", [(1, 3, 128, 128)]),
    (r"rcnn_", [(1, 3, 160, 160)]),
    (r"^center_net", [(1, 3, 128, 128)]),
    (r"^(simple|alpha|mobile)_pose", [(1, 3, 256, 192)]),
    (r"^(fcn|psp|deeplab|danet)_(resnes?t50_(voc|ade))", [(1, 3, 480, 480)]),
    (r"^(fcn|psp|deeplab|danet)_", [(1, 3, 96, 96)]),
    (r"^icnet|^hrnet.*_s$", [(1, 3, 480, 480)]),
    (r"^monodepth2", [(1, 3, 192, 640)]),
    (r"^siamrpn", [(1, 3, 127, 127), (1, 3, 287, 287)]),
]


#: Attributes of detectors that say how many regions they look into, and how many are enough. With pyramids of features
#: only the last is set: with few regions, what MXNet reads outside of its arrays there differs from run to run.
_REGIONS = ("_test_post_nms", "_rpn_test_post_nms", "_rcnn_max_dets")
_ENOUGH = 20


def names() -> list[str]:
    """Return what the zoo knows, in its own order."""
    return list(_zoo().get_model_list())


def build(name: str) -> Any:
    """Return a model without weights. Raises what the package raises where it cannot do without."""
    net = _model(name)
    for block in (net, getattr(net, "rpn", None)):
        for attribute in _REGIONS[-1:] if "fpn" in name else _REGIONS:
            if hasattr(block, attribute):
                setattr(block, attribute, _ENOUGH)
    return net


def _model(name: str) -> Any:
    keywords: dict[str, Any] = {"pretrained": False, "pretrained_base": False}
    if re.search(r"^custom_|^(ssd|yolo3|faster_rcnn).*_custom$", name):
        keywords["classes"] = ["one", "two"]
    if re.search(r"^(i3d|slowfast)_.*_(custom|ucf101|hmdb51)$", name):
        keywords["use_kinetics_pretrain"] = False
    if re.search(r"^(fcn|psp|deeplab|danet)_.*(?<!int8)$", name):
        keywords["crop_size"] = inputs(name)[0][-1]
    try:
        return _zoo().get_model(name, **keywords)
    except (TypeError, Warning):
        # What has no base does not know the argument.
        del keywords["pretrained_base"]
        return _zoo().get_model(name, **keywords)


def inputs(name: str) -> list[tuple[int, ...]]:
    """Return the shapes of what a model takes."""
    return next((shapes for pattern, shapes in _INPUTS if re.search(pattern, name)), [(1, 3, 224, 224)])


def gain(name: str) -> float:
    """Return what weights are multiplied by, so that what they give stays small.

    Exponentials of large numbers are infinite. A softmax of large numbers jumps with their last digit: MXNet's own
    answer then changes by a tenth where each parameter is moved by one rounding. Scores of detectors are all 1 then,
    and sorted by that digit.
    """
    deepest = (
        r"^yolo3_darknet53|resnest(200|269)|residualattentionnet(128|164|2|452)"
        r"|center_net_resnet101|ssd_300_resnet34_v1b|ssd_512_resnet152"
    )
    return 0.7 if re.search(deepest, name) else 1.0


def _zoo() -> Any:
    return importlib.import_module("gluoncv.model_zoo")
