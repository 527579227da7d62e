"""A dozen of gluoncv's networks on which engines are compared, and the files of one of them.

    python -m hybridlint run benchmarks/networks.py FOLDER NETWORK

builds a network on the bundled runtime and writes it into a folder as `exported.write` writes workloads. Parameters and
inputs are drawn, each from its own name. Needs gluoncv beside the interpreter; engines.py runs it for each network.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

#: The shape of what each network takes, one picture or clip, and what it is built with beside its name. Pictures are as
#: large as the networks are made for; that of the segmentation is a quarter of it, and a clip has half as many frames.
NETWORKS: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {
    "squeezenet1.1": ((1, 3, 224, 224), {}),
    "resnet50_v1": ((1, 3, 224, 224), {}),
    "resnet50_v2": ((1, 3, 224, 224), {}),
    "mobilenetv2_1.0": ((1, 3, 224, 224), {}),
    "mobilenetv3_large": ((1, 3, 224, 224), {}),
    "densenet121": ((1, 3, 224, 224), {}),
    "inceptionv3": ((1, 3, 299, 299), {}),
    "se_resnext50_32x4d": ((1, 3, 224, 224), {}),
    "ssd_512_mobilenet1.0_voc": ((1, 3, 512, 512), {"pretrained_base": False}),
    "deeplab_resnet50_ade": ((1, 3, 240, 240), {"pretrained_base": False, "crop_size": 240}),
    "simple_pose_resnet18_v1b": ((1, 3, 256, 192), {"pretrained_base": False}),
    "i3d_resnet50_v1_kinetics400": ((1, 3, 16, 112, 112), {"pretrained_base": False}),
}


def write(folder: Path, name: str) -> None:
    """Write a network into a folder: the graph as MXNet's files hold it, and the numbers of parameters and inputs."""
    mx: Any = importlib.import_module("mxnet")
    drawn = importlib.import_module("tests.projects.drawn")
    shape, options = NETWORKS[name]
    net = importlib.import_module("gluoncv.model_zoo").get_model(name, pretrained=False, **options)
    for parameter in net.collect_params().values():
        # To draw numbers that are replaced takes long.
        if not isinstance(parameter, mx.gluon.Constant):
            parameter.init = None
    net.initialize(mx.init.Zero())
    data = drawn.image(*shape)
    net(data)
    drawn.fill(net)
    importlib.import_module("exported").write_net(folder, name, net, [data])


if __name__ == "__main__":
    write(Path(sys.argv[1]), sys.argv[2])
