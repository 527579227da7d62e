"""Composition of transforms, and random application."""

from __future__ import annotations

import random
from collections.abc import Sequence as SequenceOf
from itertools import groupby
from typing import Any

from hybridlint.runtime.gluon.block import HybridBlock
from hybridlint.runtime.gluon.nn import HybridSequential, Sequential


class Compose(Sequential):
    """Applies transforms one after the other. Adjacent hybrid transforms are hybridized as one block."""

    def __init__(self, transforms: SequenceOf[Any]) -> None:
        super().__init__()
        for hybrid, neighbours in groupby(transforms, lambda transform: isinstance(transform, HybridBlock)):
            group = list(neighbours)
            if not hybrid or len(group) == 1:
                for transform in group:
                    if hybrid:
                        transform.hybridize()
                    self.add(transform)
                continue
            together = HybridSequential()
            together.add(*group)
            together.hybridize()
            self.add(together)


class RandomApply(Sequential):
    """Applies a transform with probability `p`."""

    def __init__(self, transforms: Any, p: float = 0.5) -> None:
        super().__init__()
        self.transforms = transforms
        self.p = p

    def forward(self, x: Any) -> Any:
        """Return the input, transformed or not."""
        return x if self.p < random.random() else self.transforms(x)
