"""``mx.contrib``: text, mixed precision, quantization and other formats. Modules load on use."""

from __future__ import annotations

import importlib
from typing import Any

_MODULES = {
    "amp": "contrib.amp",
    "autograd": "contrib.autograd",
    "io": "contrib.io",
    "nd": "ndarray.contrib",
    "ndarray": "ndarray.contrib",
    "onnx": "contrib.onnx",
    "quant": "contrib.quantization",
    "quantization": "contrib.quantization",
    "svrg_optimization": "contrib.svrg_optimization",
    "sym": "symbol.contrib",
    "symbol": "symbol.contrib",
    "tensorboard": "contrib.tensorboard",
    "text": "contrib.text",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"hybridlint.runtime.{_MODULES[name]}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
