"""Functions of elements in CUDA's C, under numpy's names, and the helpers that they call."""

from __future__ import annotations

from math import isinf, isnan

from hybridlint.runtime.compiled.lowering.abilities import Abilities
from hybridlint.runtime.compiled.lowering.values import HALF, ROUNDED
from hybridlint.runtime.platforms.numpy_platform import NUMPY

#: What every module begins with. float16 lies in memory as 16 bits: CUDA's own header of that type does not come with
#: every CuPy.
PRELUDE = """\
typedef unsigned short half_bits;
#ifdef __CUDACC_RTC__
static __device__ __forceinline__ float to_float(half_bits bits) {
    float number;
    asm("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"(bits));
    return number;
}
static __device__ __forceinline__ half_bits to_half(float number) {
    half_bits bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(number));
    return bits;
}
#endif
static __device__ __forceinline__ float to_float(float number) { return number; }
static __device__ __forceinline__ float to_float(int number) { return (float)number; }
static __device__ __forceinline__ float to_float(long long number) { return (float)number; }
static __device__ __forceinline__ int row_of(float x, int last) {
    return x >= (float)last ? last : x > 0.0f ? (int)x : 0;
}
static __device__ __forceinline__ bool is_nan(float x) { return x != x; }
static __device__ __forceinline__ bool is_inf(float x) { return fabsf(x) == __int_as_float(0x7f800000); }
static __device__ __forceinline__ bool is_finite(float x) { return fabsf(x) < __int_as_float(0x7f800000); }
static __device__ __forceinline__ float add(float x, float y) { return x + y; }
static __device__ __forceinline__ float multiply(float x, float y) { return x * y; }
static __device__ __forceinline__ float maximum(float x, float y) { return x >= y || x != x ? x : y; }
static __device__ __forceinline__ float minimum(float x, float y) { return x <= y || x != x ? x : y; }
static __device__ __forceinline__ float sign_of(float x) {
    return x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x == 0.0f ? 0.0f : x;
}
static __device__ __forceinline__ float remainder_of(float x, float y) {
    const float rest = fmodf(x, y);
    return rest == 0.0f ? copysignf(rest, y) : (rest < 0.0f) != (y < 0.0f) ? rest + y : rest;
}
static __device__ __forceinline__ float log_add_exp(float x, float y) {
    if (x == y) return x + 0.693147182f;
    const float larger = x > y ? x : y;
    return x != x || y != y ? x + y : larger + log1pf(expf(-fabsf(x - y)));
}
static __device__ __forceinline__ float power(float x, float y) { return powf(x, y); }
"""

FUNCTIONS: dict[str, str] = {
    "abs": "fabsf({0})",
    "add": "{0} + {1}",
    "arccos": "acosf({0})",
    "arccosh": "acoshf({0})",
    "arcsin": "asinf({0})",
    "arcsinh": "asinhf({0})",
    "arctan": "atanf({0})",
    "arctan2": "atan2f({0}, {1})",
    "arctanh": "atanhf({0})",
    "as_number": "{0} ? 1.0f : 0.0f",
    "cbrt": "cbrtf({0})",
    "ceil": "ceilf({0})",
    "copysign": "copysignf({0}, {1})",
    "cos": "cosf({0})",
    "cosh": "coshf({0})",
    "degrees": "{0} * 57.2957802f",
    "divide": "{0} / {1}",
    "equal": "{0} == {1}",
    "exp": "expf({0})",
    "exp2": "exp2f({0})",
    "expm1": "expm1f({0})",
    "floor": "floorf({0})",
    "fmod": "fmodf({0}, {1})",
    "greater": "{0} > {1}",
    "greater_equal": "{0} >= {1}",
    "hypot": "hypotf({0}, {1})",
    "isfinite": "is_finite({0})",
    "isinf": "is_inf({0})",
    "isnan": "is_nan({0})",
    "less": "{0} < {1}",
    "less_equal": "{0} <= {1}",
    "log": "logf({0})",
    "log10": "log10f({0})",
    "log1p": "log1pf({0})",
    "log2": "log2f({0})",
    "logaddexp": "log_add_exp({0}, {1})",
    "logical_and": "{0} && {1}",
    "logical_not": "!{0}",
    "logical_or": "{0} || {1}",
    "logical_xor": "{0} != {1}",
    "maximum": "maximum({0}, {1})",
    "minimum": "minimum({0}, {1})",
    "multiply": "{0} * {1}",
    "negative": "-{0}",
    "not_equal": "{0} != {1}",
    "power": "power({0}, {1})",
    "radians": "{0} * 0.0174532924f",
    "reciprocal": "1.0f / {0}",
    "remainder": "remainder_of({0}, {1})",
    "rint": "rintf({0})",
    ROUNDED: "to_float(to_half({0}))",
    "sign": "sign_of({0})",
    "sin": "sinf({0})",
    "sinh": "sinhf({0})",
    "sqrt": "sqrtf({0})",
    "square": "{0} * {0}",
    "subtract": "{0} - {1}",
    "tan": "tanf({0})",
    "tanh": "tanhf({0})",
    "trunc": "truncf({0})",
    "where": "{0} ? {1} : {2}",
}

_STORED = {"float32": "float", HALF: "half_bits", "int32": "int", "int64": "long long"}

#: What a reduction starts with.
IDENTITY = {"add": 0.0, "multiply": 1.0, "maximum": float("-inf"), "minimum": float("inf")}

ABILITIES = Abilities(frozenset({"float32", HALF}), frozenset(FUNCTIONS), lambda exponent: True, gathers=True)


def literal(number: float) -> str:
    """Return a number of float32 in CUDA's C."""
    nearest = float(NUMPY.xp.float32(number))
    if isnan(nearest):
        return "__int_as_float(0x7fffffff)"
    if isinf(nearest):
        return f"{'-' if nearest < 0 else ''}__int_as_float(0x7f800000)"
    text = f"{nearest:.9g}"
    written = f"{text if '.' in text or 'e' in text else text + '.0'}f"
    return f"({written})" if written.startswith("-") else written


def stored_type(dtype: str) -> str:
    """Return the type of elements in memory."""
    return _STORED[dtype]
