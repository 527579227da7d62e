"""``mx.numpy_dispatch_protocol``: numpy functions that return numpy mode arrays for numpy mode arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_NUMPY_ARRAY_FUNCTION_LIST = """
all any sometrue argmin argmax around round round_ argsort sort append broadcast_arrays broadcast_to clip concatenate
copy cumsum diag diagonal diagflat dot expand_dims fix flip flipud fliplr inner insert max amax mean min amin nonzero
ones_like atleast_1d atleast_2d atleast_3d prod product ravel repeat reshape roll split array_split hsplit vsplit dsplit
squeeze stack std sum swapaxes take tensordot tile transpose unique unravel_index diag_indices_from delete var vdot
vstack column_stack hstack dstack zeros_like linalg.norm linalg.cholesky linalg.inv linalg.solve linalg.tensorinv
linalg.tensorsolve linalg.pinv linalg.eigvals linalg.eig linalg.eigvalsh linalg.eigh shape trace tril meshgrid outer
einsum polyval shares_memory may_share_memory quantile percentile diff ediff1d resize where full_like bincount
empty_like nan_to_num isnan isfinite isposinf isneginf isinf pad
""".split()  # noqa: SIM905

_NUMPY_ARRAY_UFUNC_LIST = """
abs fabs add arctan2 copysign degrees hypot lcm subtract multiply true_divide negative power mod matmul absolute rint
sign exp log log2 log10 expm1 sqrt square cbrt reciprocal invert bitwise_not remainder sin cos tan sinh cosh tanh arcsin
arccos arctan arcsinh arccosh arctanh maximum minimum ceil trunc floor bitwise_and bitwise_xor bitwise_or logical_not
equal not_equal less less_equal greater greater_equal
""".split()  # noqa: SIM905


def with_array_function_protocol(func: F) -> F:
    """Return the function unchanged: numpy functions already accept arrays of numpy mode."""
    return func


def with_array_ufunc_protocol(func: F) -> F:
    """Return the function unchanged: numpy ufuncs already accept arrays of numpy mode."""
    return func
