"""Kernels as a platform runs them: an operator that computes in main memory gets copies of a GPU's arrays."""

from __future__ import annotations

from functools import cache
from typing import Any

from hybridlint.runtime.facts.registry import Kernel, Operator
from hybridlint.runtime.platforms.numpy_platform import NUMPY
from hybridlint.runtime.platforms.protocol import Platform, Raw


def kernel_on(platform: Platform, op: Operator) -> Kernel:
    """Return the operator's kernel for arrays of a platform, called as the kernel itself is."""
    return op.kernel if op.host is None or platform is NUMPY else _through_host(platform, op)


@cache
def _through_host(platform: Platform, op: Operator) -> Kernel:
    def kernel(xp: Any, *raws: Raw | None, **given: Any) -> Any:
        given.pop("out", None)
        if "rng" in given:
            given["rng"] = NUMPY.generator()
        hosts = [None if raw is None else platform.to_host(raw) for raw in raws]
        with NUMPY.computing():
            results = op.kernel(NUMPY.xp, *hosts, **given)
        if op.writes_inputs:
            for raw, host in zip(raws, hosts, strict=True):
                if raw is not None and host is not None:
                    raw[...] = platform.from_host(host)
        if isinstance(results, tuple):
            return tuple(platform.from_host(NUMPY.xp.asarray(result)) for result in results)
        return platform.from_host(NUMPY.xp.asarray(results))

    return kernel
