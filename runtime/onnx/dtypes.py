"""The dtypes of arrays, and the numbers that represent them in ONNX files."""

from __future__ import annotations

#: As in the enumeration TensorProto.DataType, for every dtype that MXNet has.
CODES = {
    "float32": 1,
    "uint8": 2,
    "int8": 3,
    "int32": 6,
    "int64": 7,
    "bool": 9,
    "float16": 10,
    "float64": 11,
}
NAMES = {code: name for name, code in CODES.items()}


def is_float(dtype: str | None) -> bool:
    """Whether a dtype has fractions."""
    return dtype is not None and dtype.startswith("float")
