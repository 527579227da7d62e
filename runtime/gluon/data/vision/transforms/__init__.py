"""``mx.gluon.data.vision.transforms``: image transforms as blocks, for (height, width, C) unless stated otherwise."""

from hybridlint.runtime.gluon.data.vision.transforms.color import (
    RandomBrightness,
    RandomColorJitter,
    RandomContrast,
    RandomHue,
    RandomLighting,
    RandomSaturation,
)
from hybridlint.runtime.gluon.data.vision.transforms.conversion import Cast, Normalize, ToTensor
from hybridlint.runtime.gluon.data.vision.transforms.crop import CenterCrop, CropResize, RandomResizedCrop, Resize
from hybridlint.runtime.gluon.data.vision.transforms.direction import (
    RandomFlipLeftRight,
    RandomFlipTopBottom,
    RandomRotation,
    Rotate,
)
from hybridlint.runtime.gluon.data.vision.transforms.sequence import Compose, RandomApply

__all__ = [
    "Cast",
    "CenterCrop",
    "Compose",
    "CropResize",
    "Normalize",
    "RandomApply",
    "RandomBrightness",
    "RandomColorJitter",
    "RandomContrast",
    "RandomFlipLeftRight",
    "RandomFlipTopBottom",
    "RandomHue",
    "RandomLighting",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomSaturation",
    "Resize",
    "Rotate",
    "ToTensor",
]
