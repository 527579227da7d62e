"""Properties that follow from operators' definitions, and what names mean."""

from __future__ import annotations

import pytest

from hybridlint.runtime.facts import lookup, properties
from hybridlint.runtime.facts.registry import get


@pytest.mark.parametrize("name", ["relu", "softmax", "BatchNorm", "SequenceMask", "clip", "Cast", "zeros_like"])
def test_some_operators_keep_the_shape_of_their_first_input(name: str) -> None:
    assert properties.keeps_shape(get(name))


@pytest.mark.parametrize("name", ["sum", "where", "broadcast_add", "slice_like", "transpose", "topk", "Reshape", "dot"])
def test_others_do_not_in_every_sample(name: str) -> None:
    assert not properties.keeps_shape(get(name))


@pytest.mark.parametrize("name", ["where", "broadcast_add", "broadcast_maximum", "elemwise_mul", "add_n"])
def test_elementwise_operators_keep_a_shape_that_all_inputs_share(name: str) -> None:
    assert properties.is_elementwise(get(name))


@pytest.mark.parametrize("name", ["Concat", "stack", "dot", "batch_dot", "take", "FullyConnected", "Convolution"])
def test_operators_that_mix_elements_are_not_elementwise(name: str) -> None:
    assert not properties.is_elementwise(get(name))


@pytest.mark.parametrize(
    ("name", "keeps"),
    [
        ("sum", True),
        ("take", True),
        ("dot", True),
        ("BatchNorm", True),
        ("where", True),
        ("argmax", True),
        ("Cast", False),
        ("argsort", False),
        ("topk", False),
        ("one_hot", False),
        ("shape_array", False),
    ],
)
def test_the_shape_rule_tells_whether_the_dtype_is_kept(name: str, keeps: bool) -> None:
    assert properties.keeps_dtype(get(name)) is keeps


@pytest.mark.parametrize(
    ("name", "keeps"),
    [
        ("batch_dot", True),
        ("Convolution", True),
        ("FullyConnected", True),
        ("Pooling", True),
        ("Embedding", True),
        ("dot", False),
        ("transpose", False),
        ("Reshape", False),
        ("sum", False),
        ("Concat", False),
        ("take", False),
    ],
)
def test_layers_keep_the_first_axis(name: str, keeps: bool) -> None:
    assert properties.keeps_first_axis(get(name)) is keeps


@pytest.mark.parametrize(
    ("name", "keeps"),
    [("sum", True), ("expand_dims", True), ("softmax", True), ("norm", True), ("reverse", False), ("dot", False)],
)
def test_an_axis_leaves_those_in_front_of_it(name: str, keeps: bool) -> None:
    assert properties.keeps_axes_before(get(name)) is keeps


@pytest.mark.parametrize(
    ("name", "params", "follows"),
    [
        ("broadcast_like", {}, True),
        ("broadcast_like", {"lhs_axes": (1,), "rhs_axes": (1,)}, False),
        ("reshape_like", {}, True),
        ("slice_like", {"axes": (2, 3)}, False),
        ("broadcast_add", {}, False),
        ("batch_dot", {}, False),
        ("take", {}, False),
        ("pick", {}, False),
        ("relu", {}, False),
    ],
)
def test_a_result_may_have_the_shape_of_the_second_input(name: str, params: dict[str, object], follows: bool) -> None:
    operator = get(name)
    assert properties.follows_second(operator, {**operator.defaults(), **params}) is follows


@pytest.mark.parametrize(
    ("name", "parts"), [("SliceChannel", True), ("RNN", False), ("BatchNorm", False), ("exp", False)]
)
def test_outputs_of_one_type(name: str, parts: bool) -> None:
    assert properties.gives_parts(get(name)) is parts


@pytest.mark.parametrize(("name", "reduces"), [("sum", True), ("norm", True), ("softmax", False), ("softmin", False)])
def test_reductions_leave_one_element(name: str, reduces: bool) -> None:
    assert properties.reduces_to_number(get(name)) is reduces


@pytest.mark.parametrize(
    "name", ["BatchNorm", "BatchNorm_v1", "_contrib_SyncBatchNorm", "_contrib_BatchNormWithReLU", "Dropout", "RNN"]
)
def test_a_kernel_that_asks_for_the_mode_makes_the_operator_modal(name: str) -> None:
    assert get(name).modal


def test_a_kernel_that_takes_a_generator_makes_the_operator_random() -> None:
    assert get("Dropout").random
    assert get("_random_uniform").random
    assert not get("BatchNorm").random


@pytest.mark.parametrize(
    ("path", "name", "operator"),
    [
        ((), "relu", "relu"),
        (("contrib",), "SyncBatchNorm", "_contrib_SyncBatchNorm"),
        (("random",), "uniform", "_random_uniform"),
        (("np",), "divide", "_npi_true_divide"),
        (("npx",), "relu", "_npx_relu"),
        (("linalg",), "gemm2", "_linalg_gemm2"),
    ],
)
def test_a_path_and_a_name_mean_an_operator(path: tuple[str, ...], name: str, operator: str) -> None:
    assert lookup.function(path, name) is get(operator)


def test_methods_may_call_operators_of_other_names() -> None:
    assert lookup.method("astype") is get("Cast")
    assert lookup.method("detach") is get("BlockGrad")
    assert lookup.method("relu") is get("relu")
    assert lookup.method("append") is None


@pytest.mark.parametrize(
    ("symbol", "broadcasting", "numpy"),
    [("+", "broadcast_add", "add"), ("<", "broadcast_lesser", "less"), ("@", None, "matmul"), ("//", None, None)],
)
def test_operators_of_python_have_twins(symbol: str, broadcasting: str | None, numpy: str | None) -> None:
    assert lookup.broadcasting(symbol) == broadcasting
    assert lookup.numpy_function(symbol) == numpy


def test_what_is_made_of_a_shape_may_be_made_of_a_tensor() -> None:
    assert lookup.like("zeros") == "zeros_like"
    assert lookup.like("full") is None
    assert lookup.like("relu") is None


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("Embedding", {"data"}),
        ("where", {"condition"}),
        ("take", {"indices"}),
        ("SequenceMask", {"sequence_length"}),
        ("reshape_like", {"rhs"}),
        ("topk", set()),
        ("broadcast_add", set()),
    ],
)
def test_the_gradient_rule_tells_which_inputs_get_none(name: str, inputs: set[str]) -> None:
    assert properties.without_gradient(get(name)) == inputs


def test_the_shape_rule_tells_dtypes_of_numpy_mode() -> None:
    assert properties.own_dtype(get("_npi_less")) == "bool"
    assert properties.own_dtype(get("_npi_argmax")) == "int64"
    assert properties.own_dtype(get("_np_sum")) is None
    assert properties.dtype_of(get("_np_sum"), "bool") == "int64"
    assert properties.dtype_of(get("_npi_mean"), "int32") == "float32"


def test_some_functions_join_arrays_that_they_get_as_one_argument() -> None:
    assert lookup.joins("concatenate")
    assert lookup.joins("row_stack")
    assert not lookup.joins("einsum")
    assert not lookup.joins("append")


@pytest.mark.parametrize(
    ("name", "one"),
    [
        ("batch_dot", True),
        ("FullyConnected", True),
        ("Convolution", True),
        # Its condition has a dtype of its own, as the scale of a batch normalization has.
        ("where", False),
        ("BatchNorm", False),
        ("take", False),
        ("Embedding", False),
        ("SequenceMask", False),
    ],
)
def test_factors_of_a_product_have_one_dtype(name: str, one: bool) -> None:
    assert properties.takes_one_dtype(get(name)) is one


@pytest.mark.parametrize(
    ("name", "places", "shape", "dtype"),
    [
        ("where", (1, 2), True, True),
        ("where", (0, 1), True, False),
        ("broadcast_add", (0, 1), False, False),
        ("batch_dot", (0, 1), False, False),
        ("concat", (0, 0), False, False),
    ],
)
def test_two_inputs_may_have_to_be_alike(name: str, places: tuple[int, int], shape: bool, dtype: bool) -> None:
    operator = get(name)
    assert (properties.share_shape(operator, *places), properties.share_dtype(operator, *places)) == (shape, dtype)
