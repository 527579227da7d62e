"""``mx.io``: batches of arrays, from memory and from files."""

from hybridlint.runtime.io.batches import DataBatch, DataDesc, DataIter, NDArrayIter, ResizeIter
from hybridlint.runtime.io.files import CSVIter, MNISTIter, MXDataIter
from hybridlint.runtime.io.images import (
    ImageDetRecordIter,
    ImageRecordInt8Iter,
    ImageRecordIter,
    ImageRecordIter_v1,
    ImageRecordUInt8Iter,
    ImageRecordUInt8Iter_v1,
)
from hybridlint.runtime.io.prefetching import PrefetchingIter
from hybridlint.runtime.io.sparse_files import LibSVMIter

__all__ = [
    "CSVIter",
    "DataBatch",
    "DataDesc",
    "DataIter",
    "ImageDetRecordIter",
    "ImageRecordInt8Iter",
    "ImageRecordIter",
    "ImageRecordIter_v1",
    "ImageRecordUInt8Iter",
    "ImageRecordUInt8Iter_v1",
    "LibSVMIter",
    "MNISTIter",
    "MXDataIter",
    "NDArrayIter",
    "PrefetchingIter",
    "ResizeIter",
]
