"""The blocks of residual networks: version 1 normalizes after its convolutions, version 2 before them."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.gluon import nn
from hybridlint.runtime.gluon.block import HybridBlock


def _conv3x3(channels: int, stride: int, in_channels: int) -> nn.Conv2D:
    return nn.Conv2D(channels, kernel_size=3, strides=stride, padding=1, use_bias=False, in_channels=in_channels)


def _conv1x1(channels: int, stride: int, in_channels: int = 0) -> nn.Conv2D:
    return nn.Conv2D(channels, kernel_size=1, strides=stride, use_bias=False, in_channels=in_channels)


class _BlockV1(HybridBlock):
    """Base of both blocks of version 1: `body`, and `downsample` if the shapes of input and output differ."""

    body: nn.HybridSequential
    downsample: nn.HybridSequential | None

    def _shorten(self, channels: int, stride: int, downsample: bool, in_channels: int) -> None:
        if not downsample:
            self.downsample = None
            return
        self.downsample = nn.HybridSequential(prefix="")
        self.downsample.add(_conv1x1(channels, stride, in_channels), nn.BatchNorm())

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return (N, channels, height / stride, width / stride)."""
        residual = x if self.downsample is None else self.downsample(x)
        return F.Activation(residual + self.body(x), act_type="relu")


class BasicBlockV1(_BlockV1):
    """Two 3 x 3 convolutions."""

    def __init__(self, channels: int, stride: int, downsample: bool = False, in_channels: int = 0, **kwargs: Any):
        super().__init__(**kwargs)
        self.body = nn.HybridSequential(prefix="")
        self.body.add(_conv3x3(channels, stride, in_channels), nn.BatchNorm(), nn.Activation("relu"))
        self.body.add(_conv3x3(channels, 1, channels), nn.BatchNorm())
        self._shorten(channels, stride, downsample, in_channels)


class BottleneckV1(_BlockV1):
    """A 3 x 3 convolution of a quarter of the channels, between 1 x 1 convolutions."""

    def __init__(self, channels: int, stride: int, downsample: bool = False, in_channels: int = 0, **kwargs: Any):
        super().__init__(**kwargs)
        few = channels // 4
        self.body = nn.HybridSequential(prefix="")
        self.body.add(nn.Conv2D(few, kernel_size=1, strides=stride), nn.BatchNorm(), nn.Activation("relu"))
        self.body.add(_conv3x3(few, 1, few), nn.BatchNorm(), nn.Activation("relu"))
        self.body.add(nn.Conv2D(channels, kernel_size=1, strides=1), nn.BatchNorm())
        self._shorten(channels, stride, downsample, in_channels)


class BasicBlockV2(HybridBlock):
    """Two 3 x 3 convolutions, each after normalization."""

    def __init__(self, channels: int, stride: int, downsample: bool = False, in_channels: int = 0, **kwargs: Any):
        super().__init__(**kwargs)
        self.bn1 = nn.BatchNorm()
        self.conv1 = _conv3x3(channels, stride, in_channels)
        self.bn2 = nn.BatchNorm()
        self.conv2 = _conv3x3(channels, 1, channels)
        self.downsample = _conv1x1(channels, stride, in_channels) if downsample else None

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return (N, channels, height / stride, width / stride)."""
        out = F.Activation(self.bn1(x), act_type="relu")
        residual = self.downsample(out) if self.downsample else x
        out = F.Activation(self.bn2(self.conv1(out)), act_type="relu")
        return self.conv2(out) + residual


class BottleneckV2(HybridBlock):
    """A 3 x 3 convolution of a quarter of the channels, between 1 x 1 convolutions, each after normalization."""

    def __init__(self, channels: int, stride: int, downsample: bool = False, in_channels: int = 0, **kwargs: Any):
        super().__init__(**kwargs)
        few = channels // 4
        self.bn1 = nn.BatchNorm()
        self.conv1 = _conv1x1(few, 1)
        self.bn2 = nn.BatchNorm()
        self.conv2 = _conv3x3(few, stride, few)
        self.bn3 = nn.BatchNorm()
        self.conv3 = _conv1x1(channels, 1)
        self.downsample = _conv1x1(channels, stride, in_channels) if downsample else None

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return (N, channels, height / stride, width / stride)."""
        out = F.Activation(self.bn1(x), act_type="relu")
        residual = self.downsample(out) if self.downsample else x
        out = F.Activation(self.bn2(self.conv1(out)), act_type="relu")
        out = F.Activation(self.bn3(self.conv2(out)), act_type="relu")
        return self.conv3(out) + residual
