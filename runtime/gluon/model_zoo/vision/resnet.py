"""Residual networks (He and others, 2015 and 2016)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridlint.runtime.gluon import nn
from hybridlint.runtime.gluon.block import HybridBlock
from hybridlint.runtime.gluon.model_zoo.model_store import load_pretrained
from hybridlint.runtime.gluon.model_zoo.vision.resnet_blocks import (
    BasicBlockV1,
    BasicBlockV2,
    BottleneckV1,
    BottleneckV2,
    _conv3x3,
)

__all__ = [
    "BasicBlockV1",
    "BasicBlockV2",
    "BottleneckV1",
    "BottleneckV2",
    "ResNetV1",
    "ResNetV2",
    "get_resnet",
    "resnet18_v1",
    "resnet18_v2",
    "resnet34_v1",
    "resnet34_v2",
    "resnet50_v1",
    "resnet50_v2",
    "resnet101_v1",
    "resnet101_v2",
    "resnet152_v1",
    "resnet152_v2",
]

_NARROW = (64, 64, 128, 256, 512)
_WIDE = (64, 256, 512, 1024, 2048)

#: Number of layers -> kind of block, blocks of each stage, channels before and after each stage.
resnet_spec = {
    18: ("basic_block", (2, 2, 2, 2), _NARROW),
    34: ("basic_block", (3, 4, 6, 3), _NARROW),
    50: ("bottle_neck", (3, 4, 6, 3), _WIDE),
    101: ("bottle_neck", (3, 4, 23, 3), _WIDE),
    152: ("bottle_neck", (3, 8, 36, 3), _WIDE),
}


class _ResNet(HybridBlock):
    """Base of both versions of residual networks: `features`, then `output`."""

    features: nn.HybridSequential
    output: nn.Dense

    def _begin(self, channels: int, thumbnail: bool) -> None:
        """Add the first convolution; unless `thumbnail`, also normalization, activation and pooling after it."""
        if thumbnail:
            self.features.add(_conv3x3(channels, 1, 0))
            return
        self.features.add(nn.Conv2D(channels, 7, 2, 3, use_bias=False))
        self.features.add(nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D(3, 2, 1))

    def _add_stages(self, block: Any, layers: Sequence[int], channels: Sequence[int]) -> None:
        for place, count in enumerate(layers):
            stride = 1 if place == 0 else 2
            stage = self._make_layer(block, count, channels[place + 1], stride, place + 1, in_channels=channels[place])
            self.features.add(stage)

    def _make_layer(
        self, block: Any, layers: int, channels: int, stride: int, stage_index: int, in_channels: int = 0
    ) -> nn.HybridSequential:
        stage = nn.HybridSequential(prefix=f"stage{stage_index}_")
        with stage.name_scope():
            stage.add(block(channels, stride, channels != in_channels, in_channels=in_channels, prefix=""))
            for _ in range(layers - 1):
                stage.add(block(channels, 1, False, in_channels=channels, prefix=""))
        return stage

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return scores (N, classes)."""
        return self.output(self.features(x))


class ResNetV1(_ResNet):
    """A residual network, version 1, on images (N, 3, 224, 224); with `thumbnail` on small ones.

    `layers` is the number of blocks of each stage, `channels` those before and after each.
    """

    def __init__(
        self,
        block: Any,
        layers: Sequence[int],
        channels: Sequence[int],
        classes: int = 1000,
        thumbnail: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if len(layers) != len(channels) - 1:
            raise AssertionError("channels must be one more than layers")
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            self._begin(channels[0], thumbnail)
            self._add_stages(block, layers, channels)
            self.features.add(nn.GlobalAvgPool2D())
            self.output = nn.Dense(classes, in_units=channels[-1])


class ResNetV2(_ResNet):
    """A residual network, version 2, on images (N, 3, 224, 224); with `thumbnail` on small ones.

    `layers` is the number of blocks of each stage, `channels` those before and after each.
    """

    def __init__(
        self,
        block: Any,
        layers: Sequence[int],
        channels: Sequence[int],
        classes: int = 1000,
        thumbnail: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if len(layers) != len(channels) - 1:
            raise AssertionError("channels must be one more than layers")
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            self.features.add(nn.BatchNorm(scale=False, center=False))
            self._begin(channels[0], thumbnail)
            self._add_stages(block, layers, channels)
            self.features.add(nn.BatchNorm(), nn.Activation("relu"), nn.GlobalAvgPool2D(), nn.Flatten())
            self.output = nn.Dense(classes, in_units=channels[-1])


resnet_net_versions = (ResNetV1, ResNetV2)
resnet_block_versions = (
    {"basic_block": BasicBlockV1, "bottle_neck": BottleneckV1},
    {"basic_block": BasicBlockV2, "bottle_neck": BottleneckV2},
)


def get_resnet(
    version: int,
    num_layers: int,
    pretrained: bool = False,
    ctx: Any = None,
    root: str | None = None,
    **kwargs: Any,
) -> Any:
    """Return a residual network of version 1 or 2 and 18, 34, 50, 101 or 152 layers. Raises AssertionError."""
    if num_layers not in resnet_spec:
        raise AssertionError(f"Invalid number of layers: {num_layers}. Options are {list(resnet_spec)}")
    if version not in {1, 2}:
        raise AssertionError(f"Invalid resnet version: {version}. Options are 1 and 2.")
    kind, layers, channels = resnet_spec[num_layers]
    net = resnet_net_versions[version - 1](resnet_block_versions[version - 1][kind], layers, channels, **kwargs)
    if pretrained:
        load_pretrained(net, f"resnet{num_layers}_v{version}", ctx, root)
    return net


def resnet18_v1(**kwargs: Any) -> Any:
    """Return ResNet-18, version 1."""
    return get_resnet(1, 18, **kwargs)


def resnet34_v1(**kwargs: Any) -> Any:
    """Return ResNet-34, version 1."""
    return get_resnet(1, 34, **kwargs)


def resnet50_v1(**kwargs: Any) -> Any:
    """Return ResNet-50, version 1."""
    return get_resnet(1, 50, **kwargs)


def resnet101_v1(**kwargs: Any) -> Any:
    """Return ResNet-101, version 1."""
    return get_resnet(1, 101, **kwargs)


def resnet152_v1(**kwargs: Any) -> Any:
    """Return ResNet-152, version 1."""
    return get_resnet(1, 152, **kwargs)


def resnet18_v2(**kwargs: Any) -> Any:
    """Return ResNet-18, version 2."""
    return get_resnet(2, 18, **kwargs)


def resnet34_v2(**kwargs: Any) -> Any:
    """Return ResNet-34, version 2."""
    return get_resnet(2, 34, **kwargs)


def resnet50_v2(**kwargs: Any) -> Any:
    """Return ResNet-50, version 2."""
    return get_resnet(2, 50, **kwargs)


def resnet101_v2(**kwargs: Any) -> Any:
    """Return ResNet-101, version 2."""
    return get_resnet(2, 101, **kwargs)


def resnet152_v2(**kwargs: Any) -> Any:
    """Return ResNet-152, version 2."""
    return get_resnet(2, 152, **kwargs)
