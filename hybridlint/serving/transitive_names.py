"""Names that MXNet's modules have only because they import them, and that projects import from there.

``from mxnet.metric import ndarray`` works on MXNet, so it must work here. The runtime's own modules do not import these
names; when served as mxnet, their ``__getattr__`` looks them up here.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

#: Names by module, without the leading ``mxnet.``.
NAMES: Mapping[str, str] = {
    "metric": "ndarray numeric_types numpy registry string_types",
    "gluon.block": "initializer mx_real_t ndarray np np_array np_shape symbol",
    "gluon.parameter": (
        "Context MXNetError autograd context cpu initializer is_np_array is_np_shape mx_real_t ndarray np symbol"
    ),
    "gluon.trainer": "KVStore opt",
    "gluon.loss": "is_np_array ndarray np numeric_types",
    "gluon.utils": "is_np_array ndarray",
    "gluon.nn.basic_layers": "is_np_array nd np sym",
    "gluon.nn.conv_layers": "Activation HybridBlock is_np_array numeric_types symbol",
    "gluon.nn.activations": "is_np_array",
    "gluon.rnn": "rnn_cell",
    "gluon.rnn.rnn_cell": "Block HybridBlock LeakyReLU ndarray numeric_types string_types symbol tensor_types",
    "gluon.rnn.rnn_layer": "HybridBlock is_np_array ndarray rnn_cell symbol tensor_types",
    "gluon.data.dataloader": "context is_np_array is_np_shape nd np set_np",
    "gluon.data.dataset": "ndarray",
    "gluon.contrib.rnn": "rnn_cell",
    "initializer": "NDArray is_np_array ndarray np registry string_types",
    "image": "det is_np_array nd np numeric_types recordio",
    "image.image": "is_np_array nd np numeric_types recordio",
    "image.detection": (
        "ColorJitterAug ColorNormalizeAug HueJitterAug LightingAug RandomGrayAug RandomOrderAug fixed_crop "
        "is_np_array numeric_types"
    ),
    "io.io": "NDArray concat mx_real_t np py_str tile",
    "ndarray.ndarray": (
        "add arange concatenate current_context divide empty equal eye from_dlpack from_numpy full greater "
        "greater_equal histogram integer_types is_np_array lesser lesser_equal linspace logical_and "
        "logical_or logical_xor maximum minimum modulo moveaxis multiply mx_real_t not_equal numeric_types "
        "onehot_encode ones op power split_v2 subtract to_dlpack_for_read to_dlpack_for_write true_divide "
        "waitall zeros"
    ),
    "symbol.symbol": (
        "AttrScope Context Group NDArray NotImplementedForSymbol Variable arange current_context eye full "
        "histogram hypot integer_types is_np_shape linspace load load_json maximum minimum numeric_types ones "
        "op pow power py_str split_v2 string_types var zeros"
    ),
    "autograd": "NDArray Symbol string_types",
    "base": "libinfo",
    "model": (
        "Context DataDesc DataParallelExecutorManager LogValidationMetricsCallback Uniform cpu get_updater "
        "kvs metric mx_real_t nd np opt sym"
    ),
    "random": "Context integer_types",
    "util": "py_str",
    "operator": "NDArray context is_np_array symbol",
    "registry": "string_types",
    "attribute": "string_types",
    "profiler": "py_str",
    "monitor": "ndarray",
    "rnn": (
        "DataBatch DataDesc DataIter init load_checkpoint ndarray np numeric_types rnn_cell save_checkpoint "
        "string_types symbol"
    ),
    "executor": "ndarray py_str",
    "ndarray.random": "current_context numeric_types",
    "ndarray.contrib": "current_context ndarray",
    "ndarray.sparse": "Context current_context integer_types mx_real_t np numeric_types",
}

#: Names that are modules, each with the module's full name.
_MODULES: Mapping[str, str] = {
    "np": "numpy",
    "numpy": "numpy",
    "nd": "mxnet.ndarray",
    "ndarray": "mxnet.ndarray",
    "sym": "mxnet.symbol",
    "symbol": "mxnet.symbol",
    "init": "mxnet.initializer",
    "opt": "mxnet.optimizer",
    "kvs": "mxnet.kvstore",
    "det": "mxnet.image.detection",
    "rnn_cell": "mxnet.gluon.rnn.rnn_cell",
    "autograd": "mxnet.autograd",
    "context": "mxnet.context",
    "initializer": "mxnet.initializer",
    "libinfo": "mxnet.libinfo",
    "metric": "mxnet.metric",
    "recordio": "mxnet.recordio",
    "registry": "mxnet.registry",
}

#: Modules that are searched, in this order, for all other names.
_HOMES = (
    "mxnet.base",
    "mxnet.context",
    "mxnet.util",
    "mxnet.gluon",
    "mxnet.gluon.nn",
    "mxnet.kvstore",
    "mxnet.attribute",
    "mxnet.io",
    "mxnet.model",
    "mxnet.initializer",
    "mxnet.optimizer",
    "mxnet.executor_manager",
    "mxnet.callback",
    "mxnet.ndarray",
    "mxnet.symbol",
)


def give(module: ModuleType, served: str) -> None:
    """Give a module of the runtime the names that MXNet's module of that name has through its imports."""
    names = NAMES.get(served.removeprefix("mxnet."))
    if names is not None:
        vars(module)["__getattr__"] = _finder(served, frozenset(names.split()), vars(module).get("__getattr__"))


def _finder(served: str, names: frozenset[str], own: Callable[[str], Any] | None) -> Callable[[str], Any]:
    def find(name: str) -> Any:
        if name in names:
            return _found(served, name)
        if own is not None:
            return own(name)
        raise AttributeError(f"module '{served}' has no attribute '{name}'")

    return find


def _found(served: str, name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    package = served.rpartition(".")[0]
    places = (package, *_HOMES) if package != "mxnet" else _HOMES
    homes = (importlib.import_module(place) for place in places if not _borrows(place, name))
    return next(getattr(home, name) for home in homes if hasattr(home, name))


def _borrows(module: str, name: str) -> bool:
    return name in NAMES.get(module.removeprefix("mxnet."), "").split()
