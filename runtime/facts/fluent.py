"""Operators that are also methods of every tensor, NDArray and Symbol alike."""

from __future__ import annotations

#: Method -> operator. The tensor is the operator's first input.
FLUENT: dict[str, str] = {
    name: name
    for name in [
        "abs",
        "arccos",
        "arccosh",
        "arcsin",
        "arcsinh",
        "arctan",
        "arctanh",
        "argmax",
        "argmax_channel",
        "argmin",
        "argsort",
        "broadcast_axes",
        "broadcast_like",
        "broadcast_to",
        "cbrt",
        "ceil",
        "clip",
        "cos",
        "cosh",
        "degrees",
        "depth_to_space",
        "diag",
        "exp",
        "expand_dims",
        "expm1",
        "fix",
        "flatten",
        "flip",
        "floor",
        "log",
        "log10",
        "log1p",
        "log2",
        "log_softmax",
        "max",
        "mean",
        "min",
        "nanprod",
        "nansum",
        "norm",
        "one_hot",
        "ones_like",
        "pad",
        "pick",
        "prod",
        "radians",
        "rcbrt",
        "reciprocal",
        "relu",
        "repeat",
        "reshape_like",
        "rint",
        "round",
        "rsqrt",
        "shape_array",
        "sigmoid",
        "sign",
        "sin",
        "sinh",
        "size_array",
        "slice",
        "slice_axis",
        "slice_like",
        "softmax",
        "softmin",
        "sort",
        "space_to_depth",
        "split",
        "sqrt",
        "square",
        "squeeze",
        "sum",
        "swapaxes",
        "take",
        "tan",
        "tanh",
        "tile",
        "topk",
        "transpose",
        "trunc",
        "zeros_like",
    ]
}

#: Methods of both classes that call an operator of another name.
OTHER_METHODS = {
    "astype": "Cast",
    "copy": "_copy",
    "detach": "BlockGrad",
    "reshape": "Reshape",
    "split_v2": "_split_v2",
}

#: Methods of NDArray whose result shares the memory of their array, or is that array.
SHARING_MEMORY = frozenset(
    {
        *("reshape", "reshape_like", "reshape_view", "detach"),
        *("as_in_context", "as_in_ctx", "as_nd_ndarray", "as_np_ndarray"),
    }
)

#: Methods with a parameter ``inplace``, which makes NDArray's return a view.
TAKING_INPLACE = frozenset({"expand_dims", "flatten", "squeeze"})
