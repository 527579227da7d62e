"""Networks and losses of gluonfr 1.0.2, which recognizes faces."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..drawn import image, mx
from .network import WITHOUT_ONEDNN, Build, Network, Networks

_BATCH, _CLASSES, _UNITS = 4, 5, 8


def _net(name: str, side: int = 112, **options: Any) -> Build:
    def build(zoo: Any) -> tuple[Any, list[Any]]:
        return getattr(zoo, name)(classes=_CLASSES, **options), [image(1, 3, side, side)]

    return build


def _loss(kind: str, *inputs: Any, **options: Any) -> Build:
    return lambda losses: (getattr(losses, kind)(**options), [make() for make in inputs])


def _scores() -> Any:
    return mx.nd.tanh(image(_BATCH, _CLASSES))


def _labels() -> Any:
    return mx.nd.array(np.arange(_BATCH) % _CLASSES)


def _features() -> Any:
    return image(_BATCH, _UNITS)


def _others() -> Any:
    return image(_BATCH, _UNITS)[::-1] * 0.5


def _alike() -> Any:
    return mx.nd.array(np.arange(_BATCH) % 2)


_MARGIN: dict[str, Any] = {"classes": _CLASSES, "m": 0.5, "s": 8}
_SIZES = {"embedding_size": _UNITS}
_NETS: dict[str, Build] = {
    "get_mobile_facenet": _net("get_mobile_facenet"),
    "get_mobile_facenet_re": _net("get_mobile_facenet_re"),
    "se_resnet18_v2": _net("se_resnet18_v2", embedding_size=16),
    "attention_net56": _net("attention_net56", 112),
    "get_attention_face": _net("get_attention_face", num_layers=56, embedding_size=16),
}
_LOSSES: dict[str, Build] = {
    "ArcLoss": _loss("ArcLoss", _scores, _labels, **_MARGIN),
    "ArcLoss, not easy": _loss("ArcLoss", _scores, _labels, **_MARGIN, easy_margin=False),
    "CosLoss": _loss("CosLoss", _scores, _labels, **_MARGIN),
    "L2Softmax": _loss("L2Softmax", _features, _labels, classes=_UNITS, alpha=8),
    "ASoftmax": _loss("ASoftmax", _scores, _labels, **{**_MARGIN, "m": 4}),
    "RingLoss": _loss("RingLoss", _scores, _labels, _features, lamda=0.1),
    "CenterLoss": _loss("CenterLoss", _scores, _labels, _features, classes=_CLASSES, lamda=0.5, **_SIZES),
    "LGMLoss": _loss("LGMLoss", _features, _labels, num_classes=_CLASSES, alpha=0.1, lamda=0.01, lr_mult=1, **_SIZES),
    "ContrastiveLoss": _loss("ContrastiveLoss", _features, _others, _alike),
    "TripletLoss": _loss("TripletLoss", _features, _others, lambda: _features() * 0.3),
    "MPSLoss": _loss("MPSLoss", _features, _others),
}

NETWORKS: Networks = {
    # With larger weights, gradients explode.
    **{name: Network("gluonfr.model_zoo", build, WITHOUT_ONEDNN, gain=0.7) for name, build in _NETS.items()},
    **{name: Network("gluonfr.loss", build) for name, build in _LOSSES.items()},
}
