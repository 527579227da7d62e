"""``mx.rtc``: kernels in CUDA, which need a GPU."""

from __future__ import annotations

from hybridlint.runtime.contrib.refused import refused

_REASON = "kernels in CUDA run on GPUs only; write the operator in Python with mx.operator.CustomOp"

CudaModule = refused("rtc.CudaModule", _REASON)
CudaKernel = refused("rtc.CudaKernel", _REASON)
