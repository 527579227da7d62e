"""Operators of MXNet 1.9.1 that this runtime lacks, with reasons. Their names exist; calls raise NotImplementedError.

The table of names is exact, because guards such as ``hasattr(F, name)`` must behave as in MXNet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_QUANTIZED = "quantized arithmetic"
_LIBRARY = "a foreign library that MXNet is built with"
_GRAPHS = "graphs stored as sparse matrices"
_IMAGE_FILES = "image files, which MXNet reads with OpenCV"
_CALLBACKS = "operators written in Python against MXNet's C interface"
_INTERNAL = "machinery of MXNet itself, which programs do not call"

_NAMES: dict[str, str] = {
    _QUANTIZED: "_contrib_quantize_asym _contrib_quantized_rnn",
    _LIBRARY: "_sg_mkldnn_fully_connected _sg_mkldnn_selfatt_qk _sg_mkldnn_selfatt_valatt",
    _GRAPHS: """_contrib_dgl_csr_neighbor_non_uniform_sample
        _contrib_dgl_csr_neighbor_uniform_sample _contrib_dgl_graph_compact _contrib_dgl_subgraph""",
    _IMAGE_FILES: "_cvcopyMakeBorder _cvimdecode _cvimread _cvimresize _imdecode",
    _CALLBACKS: "_NDArray _Native _CustomFunction",
    _INTERNAL: """_CachedOp _CachedOpThreadSafe _CrossDeviceCopy _NoGradient _broadcast_backward _cond
        _contrib_backward_gradientmultiplier _contrib_backward_hawkesll _contrib_backward_index_copy
        _contrib_backward_quadratic _copyto _foreach _grad_add _scatter_set_nd _set_value
        _sg_mkldnn_conv _split_v2_backward _while_loop
        _zeros_without_dtype""",
}

#: Missing operator -> its subject.
MISSING: dict[str, str] = {name: reason for reason, names in _NAMES.items() for name in names.split()}

_BACKWARD = "_backward_"


def reason(operator: str) -> str | None:
    """Return the topic of an operator that only this runtime lacks; None for all other operators."""
    return _INTERNAL if operator.startswith(_BACKWARD) else MISSING.get(operator)


def refusal(path: str, about: str) -> Callable[..., Any]:
    """Return a function in place of a missing one, such as ``nd.contrib.quantize``.

    Calling it raises NotImplementedError.
    """
    message = f"{path} is not supported by the bundled runtime: it is about {about}"

    def function(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(message)

    function.__name__ = function.__qualname__ = path.rpartition(".")[2]
    function.__doc__ = f"Raise NotImplementedError: this is about {about}."
    return function
