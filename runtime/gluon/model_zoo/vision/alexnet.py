"""AlexNet (Krizhevsky, 2014)."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.gluon import nn
from hybridlint.runtime.gluon.block import HybridBlock
from hybridlint.runtime.gluon.model_zoo.model_store import load_pretrained

__all__ = ["AlexNet", "alexnet"]


class AlexNet(HybridBlock):
    """Five convolutions and three dense layers on images (N, 3, 224, 224)."""

    def __init__(self, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            with self.features.name_scope():
                self._add_convolutions()
                self.features.add(nn.Flatten())
                for _ in range(2):
                    self.features.add(nn.Dense(4096, activation="relu"))
                    self.features.add(nn.Dropout(0.5))
            self.output = nn.Dense(classes)

    def _add_convolutions(self) -> None:
        pooled = {0, 1, 4}
        settings = ((64, 11, 4, 2), (192, 5, 1, 2), (384, 3, 1, 1), (256, 3, 1, 1), (256, 3, 1, 1))
        for place, (channels, kernel, stride, padding) in enumerate(settings):
            self.features.add(nn.Conv2D(channels, kernel, stride, padding, activation="relu"))
            if place in pooled:
                self.features.add(nn.MaxPool2D(pool_size=3, strides=2))

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return scores (N, classes)."""
        return self.output(self.features(x))


def alexnet(pretrained: bool = False, ctx: Any = None, root: str | None = None, **kwargs: Any) -> AlexNet:
    """Return AlexNet."""
    net = AlexNet(**kwargs)
    if pretrained:
        load_pretrained(net, "alexnet", ctx, root)
    return net
