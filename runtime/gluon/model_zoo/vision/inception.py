"""Inception v3 (Szegedy and others, 2015)."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.gluon import nn
from hybridlint.runtime.gluon.block import HybridBlock
from hybridlint.runtime.gluon.contrib.nn import HybridConcurrent
from hybridlint.runtime.gluon.model_zoo.model_store import load_pretrained

__all__ = ["Inception3", "inception_v3"]

# A convolution: channels, size of the kernel, strides, padding.
_Convolution = tuple[int, Any, int, Any]


def _basic_conv(channels: int, kernel_size: Any, strides: int = 1, padding: Any = 0) -> nn.HybridSequential:
    out = nn.HybridSequential(prefix="")
    out.add(nn.Conv2D(channels, kernel_size, strides, padding, use_bias=False))
    out.add(nn.BatchNorm(epsilon=0.001), nn.Activation("relu"))
    return out


def _branch(*convolutions: _Convolution, pool: Any = None) -> nn.HybridSequential:
    out = nn.HybridSequential(prefix="")
    if pool is not None:
        out.add(pool)
    for convolution in convolutions:
        out.add(_basic_conv(*convolution))
    return out


def _average() -> nn.AvgPool2D:
    return nn.AvgPool2D(pool_size=3, strides=1, padding=1)


def _halve() -> nn.MaxPool2D:
    return nn.MaxPool2D(pool_size=3, strides=2)


def _wide(channels: int) -> _Convolution:
    return channels, (1, 7), 1, (0, 3)


def _high(channels: int) -> _Convolution:
    return channels, (7, 1), 1, (3, 0)


def _same(channels: int, size: int = 1) -> _Convolution:
    return channels, size, 1, size // 2


def _make_A(pool_features: int, prefix: str) -> HybridConcurrent:
    out = HybridConcurrent(axis=1, prefix=prefix)
    with out.name_scope():
        out.add(_branch(_same(64)))
        out.add(_branch(_same(48), _same(64, 5)))
        out.add(_branch(_same(64), _same(96, 3), _same(96, 3)))
        out.add(_branch(_same(pool_features), pool=_average()))
    return out


def _make_B(prefix: str) -> HybridConcurrent:
    out = HybridConcurrent(axis=1, prefix=prefix)
    with out.name_scope():
        out.add(_branch((384, 3, 2, 0)))
        out.add(_branch(_same(64), _same(96, 3), (96, 3, 2, 0)))
        out.add(_branch(pool=_halve()))
    return out


def _make_C(channels_7x7: int, prefix: str) -> HybridConcurrent:
    few = channels_7x7
    out = HybridConcurrent(axis=1, prefix=prefix)
    with out.name_scope():
        out.add(_branch(_same(192)))
        out.add(_branch(_same(few), _wide(few), _high(192)))
        out.add(_branch(_same(few), _high(few), _wide(few), _high(few), _wide(192)))
        out.add(_branch(_same(192), pool=_average()))
    return out


def _make_D(prefix: str) -> HybridConcurrent:
    out = HybridConcurrent(axis=1, prefix=prefix)
    with out.name_scope():
        out.add(_branch(_same(192), (320, 3, 2, 0)))
        out.add(_branch(_same(192), _wide(192), _high(192), (192, 3, 2, 0)))
        out.add(_branch(pool=_halve()))
    return out


def _make_E(prefix: str) -> HybridConcurrent:
    out = HybridConcurrent(axis=1, prefix=prefix)
    with out.name_scope():
        out.add(_branch(_same(320)))
        for first in (_branch(_same(384)), None):
            path = nn.HybridSequential(prefix="")
            path.add(first or _branch(_same(448), _same(384, 3)))
            both = HybridConcurrent(axis=1, prefix="")
            both.add(_branch((384, (1, 3), 1, (0, 1))))
            both.add(_branch((384, (3, 1), 1, (1, 0))))
            path.add(both)
            out.add(path)
        out.add(_branch(_same(192), pool=_average()))
    return out


class Inception3(HybridBlock):
    """Parallel convolutions of several sizes, on images (N, 3, 299, 299)."""

    def __init__(self, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            self.features.add(_basic_conv(32, 3, 2), _basic_conv(32, 3), _basic_conv(64, 3, padding=1), _halve())
            self.features.add(_basic_conv(80, 1), _basic_conv(192, 3), _halve())
            self.features.add(_make_A(32, "A1_"), _make_A(64, "A2_"), _make_A(64, "A3_"), _make_B("B_"))
            self.features.add(_make_C(128, "C1_"), _make_C(160, "C2_"), _make_C(160, "C3_"), _make_C(192, "C4_"))
            self.features.add(_make_D("D_"), _make_E("E1_"), _make_E("E2_"))
            self.features.add(nn.AvgPool2D(pool_size=8), nn.Dropout(0.5))
            self.output = nn.Dense(classes)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return scores (N, classes)."""
        return self.output(self.features(x))


def inception_v3(pretrained: bool = False, ctx: Any = None, root: str | None = None, **kwargs: Any) -> Inception3:
    """Return Inception v3."""
    net = Inception3(**kwargs)
    if pretrained:
        load_pretrained(net, "inceptionv3", ctx, root)
    return net
