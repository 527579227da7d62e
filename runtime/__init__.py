"""The bundled hybrid runtime, laid out like the mxnet module tree: ``import hybridlint.runtime as mx``.

Submodules load on first use, so that the linter can import the operator registry alone, without numpy.
"""

from __future__ import annotations

import importlib
from typing import Any

if __name__ != "hybridlint.runtime":
    raise ImportError(
        "import this package as hybridlint.runtime; the folder of the repository is not a package of its own"
    )

#: The version of MXNet whose behaviour this runtime reproduces.
__version__ = "1.9.1"

_MODULES = {
    "_numpy_op_doc": "_numpy_op_doc",
    "attribute": "attribute",
    "autograd": "autograd",
    "base": "base",
    "callback": "callback",
    "context": "context",
    "contrib": "contrib",
    "engine": "engine",
    "error": "error",
    "executor": "executor",
    "executor_manager": "executor_manager",
    "gluon": "gluon",
    "image": "image",
    "img": "image",
    "init": "initializer",
    "initializer": "initializer",
    "io": "io",
    "kv": "kvstore",
    "kvstore": "kvstore",
    "libinfo": "libinfo",
    "library": "library",
    "log": "log",
    "lr_scheduler": "lr_scheduler",
    "metric": "metric",
    "misc": "misc",
    "mod": "module",
    "mon": "monitor",
    "monitor": "monitor",
    "model": "model",
    "module": "module",
    "name": "name",
    "nd": "ndarray",
    "ndarray": "ndarray",
    "np": "numpy",
    "npx": "numpy_extension",
    "numpy": "numpy",
    "numpy_dispatch_protocol": "numpy_dispatch_protocol",
    "numpy_op_signature": "numpy_op_signature",
    "numpy_extension": "numpy_extension",
    "onnx": "onnx",
    "operator": "operator",
    "opt": "optimizer",
    "optimizer": "optimizer",
    "profiler": "profiler",
    "random": "random",
    "recordio": "recordio",
    "registry": "registry",
    "rnd": "random",
    "rnn": "rnn",
    "rtc": "rtc",
    "runtime": "runtime",
    "sym": "symbol",
    "symbol": "symbol",
    "test_utils": "test_utils",
    "th": "torch",
    "torch": "torch",
    "util": "util",
    "visualization": "visualization",
    "viz": "visualization",
}
_MEMBERS = {
    "AttrScope": "attribute",
    "Context": "context",
    "MXNetError": "base",
    "NotImplementedForSymbol": "base",
    "cpu": "context",
    "cpu_pinned": "context",
    "current_context": "context",
    "gpu": "context",
    "is_np_array": "util",
    "is_np_shape": "util",
    "np_array": "util",
    "np_shape": "util",
    "set_np_shape": "util",
    "use_np": "util",
    "use_np_array": "util",
    "use_np_shape": "util",
    "num_gpus": "context",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{_MODULES[name]}")
    if name in _MEMBERS:
        return getattr(importlib.import_module(f"{__name__}.{_MEMBERS[name]}"), name)
    raise AttributeError(f"the bundled runtime has no mxnet.{name} yet")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *_MEMBERS})
