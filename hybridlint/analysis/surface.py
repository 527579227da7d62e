"""What an NDArray has that the Symbol of the same mode lacks, or refuses: measured on MXNet 1.9.1."""

from __future__ import annotations

from hybridlint.analysis.values import Mode

#: What tells how large a tensor is.
SHAPE_ATTRIBUTES = frozenset({"shape", "size", "ndim"})
#: Attributes that only an NDArray has; `T` is one of them in legacy mode alone.
OTHER_ATTRIBUTES = frozenset({"dtype", "context", "ctx", "device", "stype", "grad", "writable", "itemsize", "nbytes"})

#: Methods that turn data into Python or numpy values.
READING_METHODS = frozenset({"asnumpy", "asscalar", "item", "tolist"})
#: Methods that make another array of the same data.
COPYING_METHODS = frozenset({"copy", "copyto", "as_in_context", "as_in_ctx", "as_nd_ndarray", "as_np_ndarray"})
#: Methods of the autograd engine.
GRADIENT_METHODS = frozenset({"detach", "attach_grad", "backward", "zero_grad", "drop_grad"})
#: The rest of the methods that only an NDArray has.
OTHER_METHODS = frozenset(
    {
        "wait_to_read",
        "tostype",
        "to_dlpack_for_read",
        "to_dlpack_for_write",
        "slice_assign",
        "slice_assign_scalar",
        "check_format",
    }
)
#: Methods that only the arrays of numpy mode have.
NUMPY_METHODS = frozenset({"any", "all", "nonzero", "reshape_view", "broadcast_to"})

#: Functions of ``nd`` that ``sym`` has no counterpart of.
NDARRAY_FUNCTIONS = frozenset(
    {
        "CachedOp",
        "NDArray",
        "add",
        "array",
        "concatenate",
        "divide",
        "empty",
        "equal",
        "from_dlpack",
        "from_numpy",
        "greater",
        "greater_equal",
        "imdecode",
        "lesser",
        "lesser_equal",
        "load_frombuffer",
        "logical_and",
        "logical_or",
        "logical_xor",
        "modulo",
        "moveaxis",
        "multiply",
        "not_equal",
        "numpy",
        "onehot_encode",
        "save",
        "subtract",
        "to_dlpack_for_read",
        "to_dlpack_for_write",
        "true_divide",
        "utils",
        "waitall",
    }
)
#: The same in ``nd.contrib`` and ``nd.sparse``.
NDARRAY_CONTRIB_FUNCTIONS = frozenset({"isfinite", "isinf", "isnan"})
NDARRAY_SPARSE_FUNCTIONS = frozenset({"add", "array", "csr_matrix", "divide", "empty", "multiply", "row_sparse_array"})


def lacks_attribute(name: str, mode: Mode) -> bool:
    """Whether reading the attribute of a Symbol raises where an NDArray has it."""
    return name in SHAPE_ATTRIBUTES or name in OTHER_ATTRIBUTES or (name == "T" and mode == "legacy")


def lacks_function(path: tuple[str, ...], name: str) -> bool:
    """Whether ``F.<path>.name`` exists for arrays and not for Symbols."""
    match path:
        case ():
            return name in NDARRAY_FUNCTIONS
        case ("contrib",):
            return name in NDARRAY_CONTRIB_FUNCTIONS
        case ("sparse",):
            return name in NDARRAY_SPARSE_FUNCTIONS
        case _:
            return False
