"""Functions of ``mx.sym`` that make symbols from nothing: variables, groups and constants of static shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hybridlint.runtime.attribute import current as current_attributes
from hybridlint.runtime.attribute import kept
from hybridlint.runtime.base import DamagedFileError, reported_as_mxnet
from hybridlint.runtime.core.operator_params import dtype_name, plain_sizes
from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.types import DTYPE_FLAGS
from hybridlint.runtime.ndarray.creation import split_params
from hybridlint.runtime.symbol.calls import call
from hybridlint.runtime.symbol.node import SymbolNode
from hybridlint.runtime.symbol.symbol import Symbol, group


def var(
    name: str,
    attr: Mapping[str, str] | None = None,
    shape: Any = None,
    lr_mult: float | None = None,
    wd_mult: float | None = None,
    dtype: Any = None,
    init: Any = None,
    stype: str | None = None,
    **kwargs: Any,
) -> Symbol:
    """Return a variable. Further attributes are named ``__so__``.

    Raises TypeError for a name that is no str, ValueError for an attribute of another form.
    """
    if not isinstance(name, str):
        raise TypeError("Expect a string for variable `name`")
    if not all(isinstance(value, str) for value in (attr or {}).values()):
        raise ValueError("Set Attr only accepts string values")
    attributes = kept(current_attributes().get(attr))
    if shape is not None:
        attributes["__shape__"] = _written(shape)
    if lr_mult is not None:
        attributes["__lr_mult__"] = str(lr_mult)
    if wd_mult is not None:
        attributes["__wd_mult__"] = str(wd_mult)
    if dtype is not None:
        attributes["__dtype__"] = str(DTYPE_FLAGS[dtype_name(dtype)])
    if init is not None:
        attributes["__init__"] = init if isinstance(init, str) else init.dumps()
    if stype is not None:
        attributes["__storage_type__"] = {"default": "0", "row_sparse": "1", "csr": "2"}[stype]
    for key, value in kwargs.items():
        if not (key.startswith("__") and key.endswith("__")):
            raise ValueError(
                f"Attribute name={key} is not supported. Additional attributes must start and end with double "
                "underscores, "
                "e.g, __yourattr__"
            )
        attributes[key] = str(value)
    return Symbol([(SymbolNode(None, name, attributes=attributes), 0)])


def _written(shape: Any) -> str:
    return str(type(shape)(plain_sizes(shape)) if isinstance(shape, list | tuple) else shape)


Variable = var
Group = group


def zeros(shape: Any, dtype: Any = None, **kwargs: Any) -> Symbol:
    """Return zeros of a static shape."""
    return _create("_zeros", {"shape": shape, "dtype": dtype or "float32", **kwargs})


def ones(shape: Any, dtype: Any = None, **kwargs: Any) -> Symbol:
    """Return ones of a static shape."""
    return _create("_ones", {"shape": shape, "dtype": dtype or "float32", **kwargs})


def full(shape: Any, val: Any, dtype: Any = None, **kwargs: Any) -> Symbol:
    """Return a constant of a static shape."""
    return _create("_full", {"shape": shape, "dtype": dtype or "float32", "value": float(val), **kwargs})


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool = False,
    name: str | None = None,
    dtype: Any = None,
) -> Symbol:
    """Return evenly spaced values, each `repeat` times."""
    params = {"start": start, "stop": stop, "step": step, "repeat": repeat, "infer_range": infer_range}
    return _create("_arange", {**params, "name": name, "dtype": dtype or "float32"})


def linspace(
    start: float, stop: float, num: int, endpoint: bool = True, name: str | None = None, dtype: Any = None
) -> Symbol:
    """Return `num` evenly spaced values."""
    params = {"start": start, "stop": stop, "num": num, "endpoint": endpoint}
    return _create("_linspace", {**params, "name": name, "dtype": dtype or "float32"})


def eye(N: int, M: int = 0, k: int = 0, dtype: Any = None, **kwargs: Any) -> Symbol:
    """Return a matrix with ones on the k-th diagonal."""
    return _create("_eye", {"N": N, "M": M, "k": k, "dtype": dtype or "float32", **kwargs})


def split_v2(ary: Symbol, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False, **kwargs: Any) -> Symbol:
    """Split into equal parts, or where indices say. Raises ValueError for what is neither."""
    given = {**split_params(indices_or_sections), "axis": axis, "squeeze_axis": squeeze_axis, **kwargs}
    return call(registry.get("_split_v2"), "split_v2", (ary,), given)


def histogram(a: Symbol, bins: Any = 10, range: Any = None, **kwargs: Any) -> Symbol:
    """Count elements by bins: between given edges, or by a number of bins and a range. Raises ValueError."""
    op = registry.get("_histogram")
    if isinstance(bins, Symbol):
        return call(op, "_histogram", (a, bins), kwargs)
    if not isinstance(bins, int):
        raise ValueError("bins argument should be either an integer or an NDArray")
    if range is None:
        raise ValueError("null range is not supported in symbol mode")
    return call(op, "_histogram", (a,), {"bin_cnt": bins, "range": range, **kwargs})


def _create(name: str, params: Mapping[str, Any]) -> Symbol:
    op = registry.get(name)
    kept = {k: v for k, v in params.items() if v is not None or (k in op.params and op.params[k].default is None)}
    return call(op, name, (), kept)


def load(fname: Any) -> Symbol:
    """Read symbol JSON from a file. Raises MXNetError if it cannot be read, or is malformed."""
    from hybridlint.runtime.core.regular_files import read_file

    try:
        with reported_as_mxnet(fname):
            text = read_file(fname).decode("utf-8")
    except UnicodeDecodeError as error:
        raise DamagedFileError(f"{fname!r} is no symbol JSON: {error.reason} at byte {error.start}") from None
    return load_json(text)


def load_json(json_str: str) -> Symbol:
    """Read symbol JSON. Raises MXNetError for malformed text, TypeError for anything but a text."""
    from hybridlint.runtime.serialization import symbol_json

    if not isinstance(json_str, str):
        raise TypeError("fname required to be string")
    return symbol_json.loads(json_str)
