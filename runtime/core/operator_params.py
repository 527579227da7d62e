"""Operator parameters: call arguments and attribute strings of symbol JSON, converted to the kernels' types."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from ctypes import c_float
from fractions import Fraction
from functools import cache, partial
from typing import Any

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.core.literals import literal
from hybridlint.runtime.facts.registry import Operator, Param
from hybridlint.runtime.facts.types import DTYPE_FLAGS


def normalize(op: Operator, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return all parameters of a call, including defaults, in the form that kernels take.

    Values may be Python values or the strings of symbol JSON. Names such as ``__name__`` are attributes of symbols and
    are skipped. Raises MXNetError for a missing or unknown parameter, or a wrong type.
    """
    result = _defaults(op).copy()
    for name, value in given.items():
        param = op.params.get(name)
        if param is None:
            if not (op.params or op.variadic) or (name.startswith("__") and name.endswith("__")):
                continue
            known = ", ".join([*(["num_args"] if op.variadic else []), *op.params])
            raise MXNetError(f"Cannot find argument '{name}' of operator {op.name}; its parameters are: {known}")
        result[name] = _rounded(op, convert(op, param, value))
    if len(result) != len(op.params):
        missing = next(p for p in op.params.values() if p.name not in result)
        raise MXNetError(
            f"Required parameter {missing.name} of {missing.annotation} is not presented, in operator {op.name}"
        )
    return result


#: Types whose values tell by type and text what `normalize` makes of them, and how many calls are remembered.
_PLAIN, _MOST = frozenset({str, int, bool, float, type(None)}), 4096
_shared: dict[Any, Mapping[str, Any]] = {}


def normalize_shared(op: Operator, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return all parameters of a call, as `normalize` does: one object for calls alike, which nobody may change.

    By it layers alike are known in a graph. Raises what `normalize` raises.
    """
    if not _PLAIN.issuperset(map(type, given.values())):
        return normalize(op, given)
    key = (op, tuple([(name, type(value), str(value)) for name, value in given.items()]))
    found = _shared.get(key)
    if found is None:
        if len(_shared) >= _MOST:
            _shared.clear()
        found = _shared[key] = normalize(op, given)
    return found


def convert(op: Operator, param: Param, value: Any) -> Any:
    """Convert a value to the type of the parameter's annotation.

    Raises MXNetError, or TypeError for an invalid dtype.
    """
    if value is None or (isinstance(value, str) and value == "None"):
        if param.nullable:
            return None
        if not param.required and param.annotation not in _NUMBERS:
            return param.default
    try:
        return _converter(param.annotation)(value)
    except (ValueError, TypeError, SyntaxError, KeyError) as error:
        if isinstance(error, TypeError) and param.annotation.startswith("Dtype"):
            raise
        raise MXNetError(
            f"Invalid Parameter format for {param.name} expect {param.annotation} but value={value!r}, "
            f"in operator {op.name}"
        ) from error


def _rounded(op: Operator, value: Any) -> Any:
    """Round a number, unless the operator's numbers are exact."""
    return c_float(value).value if op.facts.single_precision and isinstance(value, float) else value


def show(value: Any) -> str:
    """Return a parameter as text, as in symbol JSON: ``(5, 5)``, ``True``, ``0.5``, ``relu``."""
    if isinstance(value, (list, tuple)):
        return f"({', '.join(map(show, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, type) or hasattr(value, "newbyteorder"):
        return dtype_name(value)
    return str(value)


#: Annotations for which MXNet rejects None. For all others None means the default.
_NUMBERS = frozenset({"int", "float", "bool"})


def dtype_name(value: Any) -> str:
    """Return the name of a dtype, given as a name, type, numpy dtype, or array with that dtype.

    Raises KeyError for a numpy dtype that MXNet lacks, TypeError for anything else.
    """
    name: Any
    # numpy arrays are refused, and a Symbol has no dtype.
    if hasattr(value, "asnumpy") and hasattr(value, "dtype"):
        value = value.dtype
    if isinstance(value, str):
        name = value
    elif value in _PYTHON_TYPES:
        name = _PYTHON_TYPES[value]
    else:
        name = getattr(value, "name", None) or getattr(value, "__name__", None)
        if not name:
            raise TypeError(f"Cannot interpret '{value}' as a data type")
    name = _DTYPE_SPELLINGS.get(name, name)
    if name in _FOREIGN or str(name).startswith(("bytes", "datetime", "str", "void")):
        raise KeyError(name)
    if name not in DTYPE_FLAGS:
        raise TypeError(f"data type {value!r} not understood; MXNet's are {', '.join(DTYPE_FLAGS)}")
    return str(name)


#: numpy dtypes that MXNet lacks.
_FOREIGN = frozenset(
    {
        *("int16", "uint16", "uint32", "uint64", "longlong", "float128", "longdouble", "complex64", "complex128"),
        *("object", "str", "bytes", "datetime64", "timedelta64", "void"),
    }
)
#: numpy's alternative spellings of dtypes -> name.
_DTYPE_SPELLINGS = {
    "bool_": "bool",
    "int": "int64",
    "long": "int64",
    "intc": "int32",
    "float": "float64",
    "half": "float16",
    "single": "float32",
    "double": "float64",
    "f2": "float16",
    "f4": "float32",
    "f8": "float64",
    "i1": "int8",
    "i4": "int32",
    "i8": "int64",
    "u1": "uint8",
}
_PYTHON_TYPES: dict[Any, str] = {float: "float64", int: "int64", bool: "bool"}


@cache
def _converter(annotation: str) -> Callable[[Any], Any]:
    """Return the converter for an annotation. For ``Literal["a", "b"]`` it rejects all other strings."""
    if annotation.startswith("Literal["):
        choices = annotation[len("Literal[") : annotation.rindex("]")]
        return partial(_choice, literal(f"({choices},)"))
    return _CONVERTERS.get(annotation.removesuffix("| None").strip(), _literal)


def _literal(value: Any) -> Any:
    return literal(value) if isinstance(value, str) else value


def _integer(value: Any) -> int:
    """Return an integer. MXNet parses the text of the value, so True and 1.0 are rejected."""
    value = _literal(value)
    if isinstance(value, bool):
        raise ValueError(value)
    return operator.index(value)


def _float(value: Any) -> float:
    if isinstance(value, bool):
        raise ValueError(value)
    if isinstance(value, str) and value.lstrip("+-").isdigit():
        # MXNet reads the digits into a 64-bit integer.
        number = int(value)
        return float(abs(number) % 2**64 * (-1 if number < 0 else 1))
    return float(str(value)) if isinstance(value, Fraction) else float(value)


def _boolean(value: Any) -> bool:
    if isinstance(value, str):
        return {"true": True, "1": True, "false": False, "0": False}[value.lower()]
    if isinstance(value, float) or value not in {0, 1}:
        raise ValueError(value)
    return bool(value)


def _choice(choices: tuple[str, ...], value: Any) -> str:
    if value not in choices:
        raise ValueError(value)
    return str(value)


def _string(value: Any) -> str:
    """Convert to text with `str`, as MXNet does; the value may be a context, for example."""
    return str(value)


def _integers(value: Any) -> tuple[int, ...]:
    value = _literal(value)
    if isinstance(value, (list, tuple)):
        return tuple(_integer(v) for v in value)
    if hasattr(value, "tolist") and not hasattr(value, "__index__"):
        return tuple(value.tolist())
    return (_integer(value),)


def _floats(value: Any) -> tuple[float, ...]:
    value = _literal(value)
    return tuple(map(float, value)) if isinstance(value, (list, tuple)) else (float(value),)


def _pairs(value: Any) -> Any:
    """Convert pairs of integers. A numpy-style shorthand for several pairs is kept."""
    value = _literal(value)
    return tuple(map(_pairs, value)) if isinstance(value, (list, tuple)) else _integer(value)


def _axes(value: Any) -> int | tuple[int, ...]:
    value = _literal(value)
    return tuple(_integer(v) for v in value) if isinstance(value, (list, tuple)) else _integer(value)


def _bounds(value: Any) -> tuple[int | None, ...]:
    value = _literal(value)
    if isinstance(value, (list, tuple)):
        return tuple(None if v is None else _integer(v) for v in value)
    return (_integer(value),)


_CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "int": _integer,
    "float": _float,
    "bool": _boolean,
    "str": _string,
    "Ints": _integers,
    "Axes": _axes,
    "Bounds": _bounds,
    "Floats": _floats,
    "Pairs": _pairs,
    "Dtype": dtype_name,
}


@cache
def _defaults(op: Operator) -> dict[str, Any]:
    return {name: _rounded(op, value) for name, value in op.defaults().items()}


def plain_sizes(shape: Iterable[Any]) -> tuple[Any, ...]:
    """Return sizes with numpy integers converted to int, because numpy 2.0 includes the type in their repr."""
    return tuple(operator.index(size) if hasattr(size, "__index__") else size for size in shape)
