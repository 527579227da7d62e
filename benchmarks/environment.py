"""The environment of a process that is timed."""

from __future__ import annotations

import os
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
#: What OpenBLAS reads. A machine that tests numbers may name old kernels here, which halves the speed of products.
_TUNED = "OPENBLAS_"


def environment(threads: int, **own: str) -> dict[str, str]:
    """Return this environment with so many threads and some variables more; OpenBLAS chooses its kernels itself.

    What is timed is native code from the first call on, unless `own` says something else.
    """
    found = {name: value for name, value in os.environ.items() if not name.startswith(_TUNED)}
    return {
        **found,
        "HYBRIDLINT_NATIVE_AFTER": "0",
        **dict.fromkeys(_THREADS, str(threads)),
        "PYTHONPATH": str(_ROOT),
        **own,
    }
