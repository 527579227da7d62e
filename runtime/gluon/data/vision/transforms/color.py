"""Random colour changes of images. Factors are drawn from ``[max(0, 1 - amount), 1 + amount]``."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.gluon.block import HybridBlock
from hybridlint.runtime.gluon.data.vision.transforms.conversion import images


class _Jitter(HybridBlock):
    """Changes an image by a random factor; subclasses name the operator."""

    operator: str

    def __init__(self, amount: float) -> None:
        super().__init__()
        self._args = (max(0, 1 - amount), 1 + amount)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the image with the colours changed."""
        return getattr(images(F), self.operator)(x, *self._args)


class RandomBrightness(_Jitter):
    """Change the brightness of an image by a random factor, 1 plus or minus at most `brightness`."""

    operator = "random_brightness"

    def __init__(self, brightness: float) -> None:
        super().__init__(brightness)


class RandomContrast(_Jitter):
    """Change the contrast of an image by a random factor, 1 plus or minus at most `contrast`."""

    operator = "random_contrast"

    def __init__(self, contrast: float) -> None:
        super().__init__(contrast)


class RandomSaturation(_Jitter):
    """Change the saturation of an image by a random factor, 1 plus or minus at most `saturation`."""

    operator = "random_saturation"

    def __init__(self, saturation: float) -> None:
        super().__init__(saturation)


class RandomHue(_Jitter):
    """Change the hue of an image by a random factor, 1 plus or minus at most `hue`."""

    operator = "random_hue"

    def __init__(self, hue: float) -> None:
        super().__init__(hue)


class RandomColorJitter(HybridBlock):
    """Change brightness, contrast, saturation and hue, in random order."""

    def __init__(self, brightness: float = 0, contrast: float = 0, saturation: float = 0, hue: float = 0) -> None:
        super().__init__()
        self._args = (brightness, contrast, saturation, hue)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the image with the colours changed."""
        return images(F).random_color_jitter(x, *self._args)


class RandomLighting(HybridBlock):
    """Add noise along the principal components of ImageNet's colours, with standard deviation `alpha`."""

    def __init__(self, alpha: float) -> None:
        super().__init__()
        self._alpha = alpha

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the image with the colours changed."""
        return images(F).random_lighting(x, self._alpha)
