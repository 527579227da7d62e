"""``mx.runtime``: the features of this runtime, queried like those of an MXNet build."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

_ABSENT = """CUDA CUDNN NCCL CUDA_RTC TENSORRT CPU_SSE CPU_SSE2 CPU_SSE3 CPU_SSE4_1 CPU_SSE4_2 CPU_SSE4A CPU_AVX
CPU_AVX2 OPENMP SSE F16C JEMALLOC BLAS_OPEN BLAS_ATLAS BLAS_MKL BLAS_APPLE LAPACK MKLDNN OPENCV CAFFE PROFILER
DIST_KVSTORE CXX14 INT64_TENSOR_SIZE SIGNAL_HANDLER DEBUG TVM_OP"""


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature and whether it is there."""

    name: str
    enabled: bool = False

    def __repr__(self) -> str:
        return f"{'✔' if self.enabled else '✖'} {self.name}"


class Features(OrderedDict[str, Feature]):
    """All features by name, in one object. Those of MXNet's native builds are always off."""

    instance: Features | None = None

    def __new__(cls) -> Features:
        """Return the only object."""
        if cls.instance is None:
            cls.instance = super().__new__(cls)
        return cls.instance

    def __init__(self) -> None:
        super().__init__({name: Feature(name, name == "INT64_TENSOR_SIZE") for name in _ABSENT.split()})

    def __repr__(self) -> str:
        return f"[{', '.join(map(repr, self.values()))}]"

    def is_enabled(self, feature_name: str) -> bool:
        """Return whether a feature is there. Raises RuntimeError for one that MXNet does not know."""
        name = feature_name.upper()
        if name not in self:
            raise RuntimeError(f"Feature '{name}' is unknown, known features are: {list(self)}")
        return self[name].enabled


def feature_list() -> list[Feature]:
    """Return all features."""
    return list(Features().values())
