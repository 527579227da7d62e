"""The differences between the interfaces of Symbol and NDArray: names that one of them lacks, and how that fails.

All other public names exist in both. The runtime's Symbol raises according to these tables, and the linter uses them
too. Mode "legacy" compares ``mx.nd`` with ``mx.sym``, mode "np" ``mx.np.ndarray`` with its Symbol (after
``npx.set_np``).
"""

from __future__ import annotations

from enum import Enum
from typing import Literal, TypeAlias

from hybridlint.runtime.facts.records import record

Mode: TypeAlias = Literal["legacy", "np"]
World: TypeAlias = Literal["eager", "traced"]


class Lack(Enum):
    """How the use of an NDArray-only name fails on a Symbol."""

    #: AttributeError: the name does not exist.
    MISSING = "AttributeError"
    #: The name exists and raises NotImplementedForSymbol.
    NOT_IMPLEMENTED = "NotImplementedForSymbol"
    #: The name exists and does not take NDArray's arguments.
    SIGNATURE = "TypeError"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _table(missing: str, not_implemented: str, signature: str) -> dict[str, Lack]:
    return (
        dict.fromkeys(missing.split(), Lack.MISSING)
        | dict.fromkeys(not_implemented.split(), Lack.NOT_IMPLEMENTED)
        | dict.fromkeys(signature.split(), Lack.SIGNATURE)
    )


#: Attributes and methods of a tensor that fail on Symbol.
TENSOR_LACKS: dict[Mode, dict[str, Lack]] = {
    "legacy": _table(
        """T attach_grad context copyto ctx dtype grad ndim shape size slice_assign slice_assign_scalar stype
        to_dlpack_for_read to_dlpack_for_write tostype writable __imod__ __setitem__""",
        """asnumpy asscalar backward copy detach wait_to_read __bool__ __nonzero__ __iadd__ __isub__ __imul__ __idiv__
        __itruediv__""",
        "as_in_context",
    ),
    "np": _table(
        """all any as_in_ctx attach_grad context copyto ctx dtype grad item ndim nonzero reshape_view shape size
        slice_assign slice_assign_scalar stype to_dlpack_for_read to_dlpack_for_write tolist tostype writable
        broadcast_to __abs__ __and__ __or__ __xor__ __invert__ __matmul__ __rmatmul__ __iand__ __ior__ __ixor__ __imod__
        __imatmul__ __float__ __int__ __ceil__ __floor__ __round__ __trunc__""",
        """asnumpy asscalar backward copy detach wait_to_read __bool__ __nonzero__ __iadd__ __isub__ __imul__ __idiv__
        __itruediv__ __setitem__""",
        "as_in_context",
    ),
}

#: Names that MXNet's arrays use internally and its Symbols lack. This runtime's arrays may lack them too.
_PRIVATE: frozenset[str] = _words(
    """_advanced_index_to_array _at _basic_indexing_contiguous_flat_begin_end _basic_indexing_key_int_to_slice
    _basic_indexing_key_to_begin_end_step _basic_indexing_slice_is_contiguous _basic_indexing_sliced_shape
    _broadcast_advanced_indices _drop_int_axes _drop_slice_none_at_end _fresh_grad _full _get_index_nd
    _get_nd_advanced_indexing _get_nd_basic_indexing _new_axes_after_advanced_indexing
    _new_axes_after_basic_indexing _prepare_value_nd _scatter_set_nd _set_nd_advanced_indexing
    _set_nd_basic_indexing _slice _sync_copyfrom _to_shared_mem _tvm_handle _tvm_tcode"""
)
_PRIVATE_OF_NUMPY: frozenset[str] = _words(
    """_get_np_advanced_indexing _get_np_basic_indexing _get_np_boolean_indexing _get_np_empty_tuple_indexing
    _set_np_advanced_indexing _set_np_boolean_indexing __array_function__ __array_ufunc__"""
)

#: Attributes and methods that only arrays in sparse storage have.
SPARSE_ONLY: frozenset[str] = _words("asscipy check_format data indices indptr retain")

#: Attributes and methods that only Symbol has.
SYMBOL_ONLY: frozenset[str] = _words(
    """attr attr_dict bind debug_str eval get_backend_symbol get_children get_internals gradient infer_shape
    infer_shape_partial infer_type infer_type_partial list_arguments list_attr list_auxiliary_states list_inputs
    list_outputs name optimize_for save simple_bind tojson __call__ __copy__ __deepcopy__ __iter__"""
)

#: Functions of the eager namespace that Symbol's namespace lacks, by path below the root.
NAMESPACE_LACKS: dict[tuple[str, ...], frozenset[str]] = {
    (): _words(
        """CachedOp NDArray add array concatenate divide empty equal from_dlpack from_numpy greater greater_equal
        imdecode lesser lesser_equal load_frombuffer logical_and logical_or logical_xor modulo moveaxis multiply ndarray
        not_equal onehot_encode save subtract to_dlpack_for_read to_dlpack_for_write true_divide utils waitall"""
    ),
    ("random",): _words("NDArray current_context"),
    ("contrib",): _words(
        """current_context isfinite isinf isnan multi_adamw_update multi_lamb_update multi_mp_adamw_update
        multi_mp_lamb_update"""
    ),
    ("sparse",): _words(
        """BaseSparseNDArray CSRNDArray Context NDArray RowSparseNDArray add array csr_matrix current_context divide
        empty gs_retain multiply row_sparse_array subtract zeros"""
    ),
    ("np",): _words("nonzero shape"),
    ("np", "random"): _words("NDArray multinomial"),
}

#: MXNet functions and modules without an operator in the registry, by path below the root.
UNREGISTERED: dict[tuple[str, ...], frozenset[str]] = {
    (): _words(
        """Custom arange contrib eye full gen__internal gen_contrib gen_image gen_linalg gen_op gen_sparse
        get_indexing_dispatch_code get_oshape_of_gather_nd_op histogram image indexing_key_expand_implicit_axes linalg
        linspace load maximum minimum np npx numpy numpy_extension ones op power random register sparse split_v2
        zeros"""
    ),
    ("contrib",): _words(
        """SymbolHandle backward_gradientmultiplier backward_hawkesll backward_index_copy
        backward_quadratic calibrate_entropy check_call cond copy ctypes dequantize dgl_adjacency
        dgl_csr_neighbor_non_uniform_sample dgl_csr_neighbor_uniform_sample dgl_graph_compact dgl_subgraph edge_id
        foreach getnnz group_adagrad_update math mx ndarray np quantize quantize_asym quantize_v2 quantized_act
        quantized_batch_norm quantized_concat quantized_conv quantized_elemwise_add quantized_elemwise_mul
        quantized_embedding quantized_flatten quantized_fully_connected quantized_pooling quantized_rnn rand_zipfian
        requantize symbol uniform while_loop"""
    ),
    ("random",): _words("numeric_types randn shuffle"),
    ("linalg",): frozenset(),
    ("image",): frozenset(),
    ("np",): _words(
        """append array_split empty_like fliplr flipud inner linalg maximum may_share_memory minimum ones_like outer
        quantile random ravel resize round_ row_stack shares_memory unravel_index vdot vsplit zeros_like"""
    ),
    ("np", "linalg"): frozenset(),
    ("npx",): _words("image random"),
    ("npx", "image"): frozenset(),
}

#: Attributes and methods that both kinds of tensors have and that call no operator of their name.
OF_BOTH: dict[Mode, frozenset[str]] = {
    "legacy": _words("as_nd_ndarray as_np_ndarray handle"),
    "np": _words(
        """T argmax_channel as_nd_ndarray as_np_ndarray astype broadcast_axes broadcast_like depth_to_space flatten
        handle log_softmax nanprod nansum num_outputs one_hot ones_like pick rcbrt relu reshape_like round rsqrt
        shape_array sigmoid size_array slice_axis slice_like softmax softmin space_to_depth split_v2 topk
        zeros_like"""
    ),
}

#: Functions that return a tuple of arrays eagerly, and a single stacked Symbol when traced.
STACKED: dict[tuple[str, ...], frozenset[str]] = {("np",): _words("diag_indices_from unravel_index")}

#: Functions that only Symbol's namespace has.
NAMESPACE_SYMBOL_ONLY: dict[tuple[str, ...], frozenset[str]] = {
    (): _words("Group Symbol Variable hypot load_json pow symbol var"),
    ("random",): _words("Symbol"),
    ("contrib",): _words("AttrScope Symbol"),
}

#: Functions whose legacy Symbol form takes no ``ctx``, even by keyword; none takes it by position.
NO_CONTEXT: frozenset[str] = _words("arange linspace")

#: Functions of ``mx.nd`` whose Symbol form takes ``ctx`` by keyword alone -> its place among the eager arguments.
CONTEXT_PLACES: dict[str, int] = {"zeros": 1, "ones": 1, "full": 2, "eye": 3}

#: Functions, written in Python, that take a tensor apart at indices or into sections.
SPLITTING: frozenset[str] = _words("split_v2 array_split vsplit")

#: Functions of numpy mode, written in Python, whose results are positions or drawn integers, as int64.
NUMPY_POSITIONS: frozenset[str] = _words("argsort nonzero randint")

#: Functions that draw, written in Python, and what a layer may be called that does.
DRAWING: frozenset[str] = _words("randn rand randint choice dropout")

#: Functions of several outputs that are no operators here -> how many.
SEVERAL_OUTPUTS: dict[str, int] = {
    "calibrate_entropy": 2,
    "eig": 2,
    "histogram": 2,
    "quantize": 3,
    "quantize_v2": 3,
    "rand_zipfian": 3,
}

#: Functions of ``mx.npx`` that ``F.npx`` lacks: they make no arrays.
NO_OPERATORS: frozenset[str] = _words(
    """cpu cpu_pinned gpu current_context num_gpus gpu_memory_info get_cuda_compute_capability is_np_array is_np_shape
    set_np reset_np use_np use_np_array use_np_shape load save waitall seed"""
)

#: Parameters whose default differs between the namespaces: (path, function) -> parameter, eager, traced.
DEFAULT_DIFFERS: dict[tuple[tuple[str, ...], str], tuple[str, object, object]] = {
    (("random",), "multinomial"): ("get_prob", False, True),
    (("np", "random"), "rayleigh"): ("scale", 1.0, 0.0),
}


#: Functions of ``random`` -> settings with defaults, in order. The operators are ``_random_NAME`` for numbers and
#: ``_sample_NAME`` for tensors.
DISTRIBUTIONS: dict[str, dict[str, float]] = {
    "uniform": {"low": 0, "high": 1},
    "normal": {"loc": 0, "scale": 1},
    "gamma": {"alpha": 1, "beta": 1},
    "exponential": {"scale": 1},
    "poisson": {"lam": 1},
    "negative_binomial": {"k": 1, "p": 1},
    "generalized_negative_binomial": {"mu": 1, "alpha": 1},
}


@record(frozen=True)
class Narrower:
    """The arguments that a function accepts eagerly but rejects for Symbols."""

    #: Parameters that it does not know by name.
    lacks: frozenset[str] = frozenset()
    #: How many arguments it takes by position; None: as many as the eager form.
    positional: int | None = None
    #: How many arguments it must get.
    required: int = 0
    #: The parameters that it has under other names, in order.
    order: tuple[str, ...] = ()


_OPERANDS = Narrower(lacks=_words("lhs rhs"), order=("lhs", "rhs"))
#: Path and name of a function -> what its form for Symbols takes less.
NARROWER: dict[tuple[str, ...], Narrower] = {
    ("maximum",): _OPERANDS,
    ("minimum",): _OPERANDS,
    ("zeros",): Narrower(lacks=_words("stype")),
    ("contrib", "rand_zipfian"): Narrower(lacks=_words("ctx"), positional=3),
    ("np", "where"): Narrower(required=3),
    **{
        ("random", name): Narrower(positional=4)
        for name in _words("uniform normal gamma negative_binomial generalized_negative_binomial randint")
    },
    **{("random", name): Narrower(positional=3) for name in _words("exponential poisson")},
}

#: Abstract classes of ``collections.abc`` and whether (a tensor, a Symbol) is an instance.
ABSTRACT_CLASSES: dict[str, tuple[bool, bool]] = {
    "Iterable": (False, True),
    "Hashable": (True, False),
    "Callable": (False, True),
    "Sized": (True, True),
    "Container": (False, False),
    "Collection": (False, False),
    "Sequence": (False, False),
    "Mapping": (False, False),
    "Iterator": (False, False),
}


def tensor_lack(name: str, mode: Mode = "legacy") -> Lack | None:
    """Return how the attribute or method fails on Symbol; None if Symbol has it too."""
    known = TENSOR_LACKS[mode].get(name)
    if known is None and name in SPARSE_ONLY and mode == "legacy":
        return Lack.MISSING
    if known is None and (name in _PRIVATE or (mode == "np" and name in _PRIVATE_OF_NUMPY)):
        return Lack.MISSING
    return known


def is_no_operator(name: str) -> bool:
    """Whether ``mx.npx.name`` is not a function of arrays but, for example, a device or a switch."""
    return name in NO_OPERATORS


def namespace_lacks(path: tuple[str, ...], name: str) -> bool:
    """Whether ``F.path.name`` exists eagerly only."""
    return name in NAMESPACE_LACKS.get(path, ())


def has_attribute(name: str, world: World, mode: Mode = "legacy") -> bool | None:
    """Return the result of ``hasattr(x, name)`` for an array or a Symbol; None if these tables do not contain it."""
    if name in SYMBOL_ONLY:
        return world == "traced"
    if name in SPARSE_ONLY:
        return False if world == "traced" or mode == "np" else None
    lack = tensor_lack(name, mode)
    if lack is Lack.MISSING:
        return world == "eager"
    return None if lack is None else True


def is_unheard_of(path: tuple[str, ...], name: str) -> bool:
    """Whether ``path.name`` exists in no namespace of MXNet 1.9.1 and is no operator's name."""
    known = UNREGISTERED.get(path)
    if known is None or name.startswith("_") or name in known:
        return False
    return namespace_has(path, name, "eager") is None


def is_stacked(path: tuple[str, ...], name: str) -> bool:
    """Whether ``F.path.name`` returns a tuple of arrays eagerly, but one stacked array at the trace."""
    return name in STACKED.get(path, ())


def namespace_has(path: tuple[str, ...], name: str, world: World) -> bool | None:
    """Return the result of ``hasattr(F.path, name)`` in a run; None if these tables do not contain it."""
    if namespace_lacks(path, name):
        return world == "eager"
    if name in NAMESPACE_SYMBOL_ONLY.get(path, ()):
        return world == "traced"
    return None
