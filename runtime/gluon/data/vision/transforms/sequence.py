"""Transforms one after the other, or at times."""

from __future__ import annotations

import random
from collections.abc import Sequence as SequenceOf
from itertools import groupby
from typing import Any

from hybridlint.runtime.gluon.block import HybridBlock
from hybridlint.runtime.gluon.nn import HybridSequential, Sequential


class Compose(Sequential):
    """Transforms one after the other. Neighbours that can be hybridized are, as one block."""

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
    """A transform, applied with the probability `p`."""

    def __init__(self, transforms: Any, p: float = 0.5) -> None:
        super().__init__()
        self.transforms = transforms
        self.p = p

    def forward(self, x: Any) -> Any:
        """Return the input, or what the transform makes of it."""
        return x if self.p < random.random() else self.transforms(x)
