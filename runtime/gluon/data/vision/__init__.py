"""``mx.gluon.data.vision``: image data sets and transforms."""

from hybridlint.runtime.gluon.data.vision import transforms
from hybridlint.runtime.gluon.data.vision.datasets import (
    CIFAR10,
    CIFAR100,
    MNIST,
    FashionMNIST,
    ImageFolderDataset,
    ImageRecordDataset,
)

__all__ = [
    "CIFAR10",
    "CIFAR100",
    "MNIST",
    "FashionMNIST",
    "ImageFolderDataset",
    "ImageRecordDataset",
    "transforms",
]
