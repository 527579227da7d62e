"""``mx.np.utils``: dtypes and constants of numpy mode."""

from hybridlint.runtime.numpy import (
    NAN,
    NINF,
    NZERO,
    PINF,
    PZERO,
    NaN,
    bool,
    bool_,
    e,
    float16,
    float32,
    float64,
    inf,
    int8,
    int32,
    int64,
    nan,
    newaxis,
    pi,
    uint8,
)

__all__ = [
    "NAN",
    "NINF",
    "NZERO",
    "PINF",
    "PZERO",
    "_STR_2_DTYPE_",
    "NaN",
    "bool",
    "bool_",
    "e",
    "float16",
    "float32",
    "float64",
    "inf",
    "int8",
    "int32",
    "int64",
    "nan",
    "newaxis",
    "pi",
    "uint8",
]

_STR_2_DTYPE_ = {
    **{dtype.__name__: dtype for dtype in (float16, float32, float64, uint8, int8, int32, int64)},
    **{"float": float64, "int": int64, "bool": bool, "bool_": bool_, "None": None},
}
