"""SqueezeNet (Iandola and others, 2016)."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.gluon import nn
from hybridlint.runtime.gluon.block import HybridBlock
from hybridlint.runtime.gluon.contrib.nn import HybridConcurrent
from hybridlint.runtime.gluon.model_zoo.model_store import load_pretrained

__all__ = ["SqueezeNet", "get_squeezenet", "squeezenet1_0", "squeezenet1_1"]

# Channels that a stage squeezes to, pool where there are none; it expands each of its two halves to four times as many.
_POOL = 0
_STAGES = {
    "1.0": (_POOL, 16, 16, 32, _POOL, 32, 48, 48, 64, _POOL, 64),
    "1.1": (_POOL, 16, 16, _POOL, 32, 32, _POOL, 48, 48, 64, 64),
}
_FIRST = {"1.0": (96, 7), "1.1": (64, 3)}


class SqueezeNet(HybridBlock):
    """Convolutions that reduce and expand channels, on images (N, 3, 224, 224). `version` is ``"1.0"`` or ``"1.1"``."""

    def __init__(self, version: str, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if version not in _STAGES:
            raise AssertionError(f"Unsupported SqueezeNet version {version}: 1.0 or 1.1 expected")
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            channels, kernel = _FIRST[version]
            self.features.add(nn.Conv2D(channels, kernel_size=kernel, strides=2), nn.Activation("relu"))
            for squeezed in _STAGES[version]:
                if squeezed == _POOL:
                    self.features.add(nn.MaxPool2D(pool_size=3, strides=2, ceil_mode=True))
                else:
                    self.features.add(_make_fire(squeezed, 4 * squeezed, 4 * squeezed))
            self.features.add(nn.Dropout(0.5))
            self.output = nn.HybridSequential(prefix="")
            self.output.add(nn.Conv2D(classes, kernel_size=1), nn.Activation("relu"), nn.AvgPool2D(13), nn.Flatten())

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return scores (N, classes)."""
        return self.output(self.features(x))


def _make_fire(squeeze_channels: int, expand1x1_channels: int, expand3x3_channels: int) -> nn.HybridSequential:
    fire = nn.HybridSequential(prefix="")
    fire.add(_make_fire_conv(squeeze_channels, 1))
    paths = HybridConcurrent(axis=1, prefix="")
    paths.add(_make_fire_conv(expand1x1_channels, 1))
    paths.add(_make_fire_conv(expand3x3_channels, 3, 1))
    fire.add(paths)
    return fire


def _make_fire_conv(channels: int, kernel_size: int, padding: int = 0) -> nn.HybridSequential:
    out = nn.HybridSequential(prefix="")
    out.add(nn.Conv2D(channels, kernel_size, padding=padding), nn.Activation("relu"))
    return out


def get_squeezenet(
    version: str, pretrained: bool = False, ctx: Any = None, root: str | None = None, **kwargs: Any
) -> SqueezeNet:
    """Return SqueezeNet of version ``"1.0"`` or ``"1.1"``."""
    net = SqueezeNet(version, **kwargs)
    if pretrained:
        load_pretrained(net, f"squeezenet{version}", ctx, root)
    return net


def squeezenet1_0(**kwargs: Any) -> SqueezeNet:
    """Return SqueezeNet 1.0."""
    return get_squeezenet("1.0", **kwargs)


def squeezenet1_1(**kwargs: Any) -> SqueezeNet:
    """Return SqueezeNet 1.1."""
    return get_squeezenet("1.1", **kwargs)
