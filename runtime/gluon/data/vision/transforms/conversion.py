"""Transforms of dtype, layout and value range."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.gluon.block import HybridBlock
from hybridlint.runtime.util import is_np_array


class Cast(HybridBlock):
    """Convert the input to another dtype."""

    def __init__(self, dtype: Any = "float32") -> None:
        super().__init__()
        self._dtype = dtype

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return an input of any shape in the dtype."""
        return x.astype(self._dtype) if is_np_array() else F.cast(x, self._dtype)


class ToTensor(HybridBlock):
    """Convert uint8 (..., height, width, C) to float32 (..., C, height, width) between 0 and 1."""

    def __init__(self) -> None:
        super().__init__()

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the image with channels first."""
        return images(F).to_tensor(x)


class Normalize(HybridBlock):
    """Subtract the mean of each channel of (..., C, height, width) and divide by the standard deviation."""

    def __init__(self, mean: Any = 0.0, std: Any = 1.0) -> None:
        super().__init__()
        self._mean = mean
        self._std = std

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the image normalized."""
        return images(F).normalize(x, self._mean, self._std)


def images(F: Any) -> Any:
    """Return the namespace of image operators."""
    return F.npx.image if is_np_array() else F.image
