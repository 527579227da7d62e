"""``mx.gluon.data``: data sets, samplers and loaders of batches."""

from hybridlint.runtime.gluon.data import vision
from hybridlint.runtime.gluon.data.dataloader import DataLoader
from hybridlint.runtime.gluon.data.dataset import ArrayDataset, Dataset, RecordFileDataset, SimpleDataset
from hybridlint.runtime.gluon.data.sampler import (
    BatchSampler,
    FilterSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
)

__all__ = [
    "ArrayDataset",
    "BatchSampler",
    "DataLoader",
    "Dataset",
    "FilterSampler",
    "RandomSampler",
    "RecordFileDataset",
    "Sampler",
    "SequentialSampler",
    "SimpleDataset",
    "vision",
]
