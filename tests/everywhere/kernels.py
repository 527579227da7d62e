"""Kernels of OpenBLAS, which numpy multiplies matrices with, and the vector instructions that its own loops take."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass

#: Kernel -> the letters that the names of features begin with which processors of its time do not have; all of those
#: that numpy can choose from for `Prescott`. A kernel that is not here leaves numpy as it is.
_LACKING = {"Prescott": ("",), "Haswell": ("AVX512", "X86_V4"), "Zen": ("AVX512", "X86_V4")}
#: Kernel -> a feature that a processor must have to run it.
_NEEDED = {"Haswell": "AVX2", "Zen": "AVX2", "SkylakeX": "AVX512F"}
KERNELS = ("Prescott", "Haswell", "Zen", "SkylakeX")

_ASK = r"""
import ctypes, json, platform
from pathlib import Path
import numpy
try:
    from numpy._core import _multiarray_umath as core
except ImportError:
    from numpy.core import _multiarray_umath as core

def taken():
    package = Path(numpy.__file__).parent
    for path in [*package.with_name("numpy.libs").glob("*openblas*"), *package.glob(".dylibs/*openblas*")]:
        library = ctypes.CDLL(str(path))
        for name in ("scipy_openblas_get_corename64_", "openblas_get_corename64_", "openblas_get_corename"):
            if hasattr(library, name):
                function = getattr(library, name)
                function.restype = ctypes.c_char_p
                return function().decode()
    return "unknown"

print(json.dumps({
    "python": platform.python_version(),
    "numpy": numpy.__version__,
    "kernel": taken(),
    "features": [name for name, there in core.__cpu_features__.items() if there],
    "chosen": [name for name in core.__cpu_dispatch__ if core.__cpu_features__[name]],
}))
"""


@dataclass(frozen=True, slots=True)
class Numpy:
    """What a numpy says of itself: the kernel that it took, and features of the processor that it knows or may use."""

    python: str
    numpy: str
    kernel: str
    features: frozenset[str]
    chosen: tuple[str, ...]


def ask(python: str, environment: Mapping[str, str]) -> Numpy:
    """Return what the numpy of an interpreter says. Raises CalledProcessError where there is none."""
    printed = subprocess.run([python, "-c", _ASK], env=environment, capture_output=True, text=True, check=True).stdout
    found = json.loads(printed)
    return Numpy(**{**found, "features": frozenset(found["features"]), "chosen": tuple(found["chosen"])})


def refusal(kernel: str, here: Numpy) -> str | None:
    """Return why a kernel cannot run on this processor, None where it can."""
    if not {"SSE2", "SSE3"} & here.features:
        return "not an x86-64 processor"
    needed = _NEEDED.get(kernel)
    return f"the processor has no {needed}" if needed is not None and needed not in here.features else None


def settings(kernel: str, here: Numpy) -> dict[str, str]:
    """Return the environment variables that make numpy compute as on a processor of a kernel."""
    off = [name for name in here.chosen if name.startswith(_LACKING.get(kernel, ()))]
    return {"OPENBLAS_CORETYPE": kernel, **({"NPY_DISABLE_CPU_FEATURES": " ".join(off)} if off else {})}
