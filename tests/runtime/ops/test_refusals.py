"""What operators refuse before anything runs, and which argument they blame."""

from __future__ import annotations

from typing import Any

import pytest

from hybridlint.runtime import nd, sym
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.dims import Dim
from hybridlint.runtime.facts.types import InferError, Shape, TensorType

N = Dim.named("N")

REFUSED: list[tuple[str, list[Shape], dict[str, Any], str]] = [
    ("elemwise_add", [(2, 3), (3,)], {}, "rhs"),
    ("elemwise_add", [(N, 3), (N, 4)], {}, "rhs"),
    ("_equal", [(N, 3), (1,)], {}, "rhs"),
    ("broadcast_add", [(2, 3), (2,)], {}, "rhs"),
    ("add_n", [(2, 3), (2, 3), (2, 4)], {}, "rhs"),
    ("broadcast_to", [(2, 3)], {"shape": (4, 3)}, "shape"),
    ("broadcast_to", [(3,)], {"shape": (2, 3)}, "shape"),
    ("broadcast_like", [(3,), (2, 3)], {}, "lhs"),
    ("broadcast_like", [(2, 3), (2, 3)], {"lhs_axes": (0,), "rhs_axes": (0,)}, "lhs"),
    ("broadcast_axis", [(2, 3)], {"axis": (0,), "size": (4,)}, "axis"),
    ("broadcast_axis", [(1, 3)], {"axis": (-2,), "size": (4,)}, "axis"),
    ("sum", [(2, 3)], {"axis": 2}, "axis"),
    ("sum", [(2, 3)], {"axis": (0, -2)}, "axis"),
    ("argmax", [(N,)], {"axis": 1}, "axis"),
    ("argmax_channel", [(3,)], {}, "axis"),
    ("norm", [(2, 3)], {"ord": 3}, "ord"),
    ("moments", [(2, 3)], {}, "axes"),
    ("cumsum", [(2, 3)], {"axis": -1}, "axis"),
    ("where", [(2, 1), (2, 3), (2, 3)], {}, "condition"),
    ("where", [(3,), (2, 3), (2, 3)], {}, "condition"),
    ("where", [(2, 3), (2, 3), (3,)], {}, "y"),
    ("_arange", [], {"start": 5.0, "stop": 1.0}, "stop"),
    ("_contrib_arange_like", [(2, 3)], {"axis": 2}, "axis"),
    ("_random_randint", [], {"low": 3, "high": 3}, "high"),
    ("Cast", [(2,)], {"dtype": "complex64"}, "dtype"),
]


@pytest.mark.parametrize(("name", "shapes", "params", "argument"), REFUSED)
def test_shapes_that_cannot_work(name: str, shapes: list[Shape], params: dict[str, Any], argument: str) -> None:
    operator = registry.get(name)
    with pytest.raises(InferError) as caught:
        operator.infer_types([TensorType(s, "float32") for s in shapes], {**operator.defaults(), **params})
    assert caught.value.argument == argument


@pytest.mark.parametrize("name", ["elemwise_add", "broadcast_mul", "add_n", "where", "_maximum"])
def test_mixed_dtypes(name: str) -> None:
    operator = registry.get(name)
    types = [TensorType((2,), "float32")] * (2 if name == "where" else 1) + [TensorType((2,), "int32")]
    with pytest.raises(InferError, match="int32"):
        operator.infer_types(types, {})


@pytest.mark.parametrize("name", ["exp", "abs", "relu", "elemwise_add", "broadcast_equal", "argmax"])
def test_bool_is_no_number(name: str) -> None:
    operator = registry.get(name)
    types = [TensorType((2,), "bool")] * len(operator.inputs)
    with pytest.raises(InferError, match="bool"):
        operator.infer_types(types, operator.defaults())


def test_unknown_sizes_are_given_the_benefit_of_the_doubt() -> None:
    add, broadcast = registry.get("elemwise_add"), registry.get("broadcast_add")
    unknown = TensorType((N, 3), "float32")
    assert add.infer_types([unknown, TensorType((2, 3))], {})[0].shape == (2, 3)
    assert broadcast.infer_types([unknown, TensorType((1, 3))], {})[0].shape == (N, 3)
    assert broadcast.infer_types([unknown, TensorType(None)], {})[0].shape is None


def test_strict_operators_complete_their_inputs() -> None:
    known, unknown = TensorType((2, 3), "float32"), TensorType()
    assert registry.get("elemwise_add").complete_types((unknown, known), {}) == (known, known)
    assert registry.get("where").complete_types((unknown, unknown, known), {}) == (unknown, known, known)


def test_twins_exist_and_broadcast() -> None:
    for operator in registry.operators():
        twin = operator.facts.broadcast_twin
        if twin is not None:
            shapes = [TensorType((2, 1), "float32"), TensorType((1, 3), "float32")]
            assert registry.get(twin).infer_types(shapes, {})[0].shape == (2, 3)


@pytest.mark.parametrize("make", [nd, sym], ids=["eager", "traced"])
@pytest.mark.parametrize(
    ("operator", "params", "error"),
    [
        ("Activation", {"act_type": "nonsense"}, MXNetError),
        ("Activation", {}, MXNetError),
        ("Pooling", {"pool_type": "median", "kernel": (2, 2)}, MXNetError),
        ("softmax", {"axis": 1.5}, MXNetError),
        ("softmax", {"axis": None}, MXNetError),
        ("sum", {"keepdims": None}, MXNetError),
        ("sum", {"keepdims": 1.0}, MXNetError),
        ("clip", {"a_min": "low", "a_max": 1}, MXNetError),
        ("Cast", {"dtype": "nonsense"}, TypeError),
        ("Cast", {"dtype": "complex64"}, MXNetError),
        ("transpose", {"axis": 1}, MXNetError),
    ],
)
def test_parameters_are_read_when_the_call_is_made(
    make: Any, operator: str, params: dict[str, Any], error: type[Exception]
) -> None:
    data = nd.ones((1, 1, 4, 4)) if make is nd else sym.var("x")
    with pytest.raises(error):
        getattr(make, operator)(data, **params)
