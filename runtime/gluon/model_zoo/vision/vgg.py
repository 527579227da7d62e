"""VGG (Simonyan and Zisserman, 2014)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridlint.runtime.gluon import nn
from hybridlint.runtime.gluon.block import HybridBlock
from hybridlint.runtime.gluon.model_zoo.model_store import load_pretrained
from hybridlint.runtime.initializer import Xavier

__all__ = ["VGG", "get_vgg", "vgg11", "vgg11_bn", "vgg13", "vgg13_bn", "vgg16", "vgg16_bn", "vgg19", "vgg19_bn"]

_FILTERS = (64, 128, 256, 512, 512)

#: Number of layers -> convolutions of each stage, and their channels.
vgg_spec = {
    11: ((1, 1, 2, 2, 2), _FILTERS),
    13: ((2, 2, 2, 2, 2), _FILTERS),
    16: ((2, 2, 3, 3, 3), _FILTERS),
    19: ((2, 2, 4, 4, 4), _FILTERS),
}


class VGG(HybridBlock):
    """Stages of 3 x 3 convolutions and three dense layers on images (N, 3, 224, 224).

    `layers` is the number of convolutions of each stage, `filters` their channels.
    """

    def __init__(
        self,
        layers: Sequence[int],
        filters: Sequence[int],
        classes: int = 1000,
        batch_norm: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if len(layers) != len(filters):
            raise AssertionError("layers and filters must be as many")
        with self.name_scope():
            self.features = self._make_features(layers, filters, batch_norm)
            for _ in range(2):
                self.features.add(
                    nn.Dense(4096, activation="relu", weight_initializer="normal", bias_initializer="zeros")
                )
                self.features.add(nn.Dropout(rate=0.5))
            self.output = nn.Dense(classes, weight_initializer="normal", bias_initializer="zeros")

    def _make_features(self, layers: Sequence[int], filters: Sequence[int], batch_norm: bool) -> nn.HybridSequential:
        features = nn.HybridSequential(prefix="")
        for count, channels in zip(layers, filters, strict=True):
            for _ in range(count):
                weights = Xavier(rnd_type="gaussian", factor_type="out", magnitude=2)
                features.add(
                    nn.Conv2D(channels, kernel_size=3, padding=1, weight_initializer=weights, bias_initializer="zeros")
                )
                if batch_norm:
                    features.add(nn.BatchNorm())
                features.add(nn.Activation("relu"))
            features.add(nn.MaxPool2D(strides=2))
        return features

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return scores (N, classes)."""
        return self.output(self.features(x))


def get_vgg(num_layers: int, pretrained: bool = False, ctx: Any = None, root: str | None = None, **kwargs: Any) -> VGG:
    """Return VGG of 11, 13, 16 or 19 layers."""
    net = VGG(*vgg_spec[num_layers], **kwargs)
    if pretrained:
        suffix = "_bn" if kwargs.get("batch_norm") else ""
        load_pretrained(net, f"vgg{num_layers}{suffix}", ctx, root)
    return net


def vgg11(**kwargs: Any) -> VGG:
    """Return VGG-11."""
    return get_vgg(11, **kwargs)


def vgg13(**kwargs: Any) -> VGG:
    """Return VGG-13."""
    return get_vgg(13, **kwargs)


def vgg16(**kwargs: Any) -> VGG:
    """Return VGG-16."""
    return get_vgg(16, **kwargs)


def vgg19(**kwargs: Any) -> VGG:
    """Return VGG-19."""
    return get_vgg(19, **kwargs)


def vgg11_bn(**kwargs: Any) -> VGG:
    """Return VGG-11 with batch normalization."""
    return get_vgg(11, **{**kwargs, "batch_norm": True})


def vgg13_bn(**kwargs: Any) -> VGG:
    """Return VGG-13 with batch normalization."""
    return get_vgg(13, **{**kwargs, "batch_norm": True})


def vgg16_bn(**kwargs: Any) -> VGG:
    """Return VGG-16 with batch normalization."""
    return get_vgg(16, **{**kwargs, "batch_norm": True})


def vgg19_bn(**kwargs: Any) -> VGG:
    """Return VGG-19 with batch normalization."""
    return get_vgg(19, **{**kwargs, "batch_norm": True})
