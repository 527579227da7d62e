"""Tensors that consist only of a type, and their operators: the `F` of layers that run without arrays."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from functools import cache, partial
from typing import Any

from hybridlint.runtime.facts import lookup, registry
from hybridlint.runtime.facts.abstract.choices import Open, one_of
from hybridlint.runtime.facts.dims import Dim, DimLike
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.facts.types import Shape, TensorType

#: Python operators by method name.
_PYTHON = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**"}
_COMPARISONS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}

#: The operators called, with their parameters, since recording started.
calls: ContextVar[list[tuple[Operator, Mapping[str, Any]]]] = ContextVar("calls")


class ShapeIsRead(Exception):
    """A layer reads the shape of a tensor, which Symbols do not have."""


class TypedTensor:
    """A tensor with a (partly) known type. It supports the operators of a Symbol."""

    __slots__ = ("type",)

    context = None

    def __neg__(self) -> TypedTensor:
        return TypedTensor(self.type)

    def __init__(self, type: TensorType) -> None:
        self.type = type

    @property
    def shape(self) -> Any:
        """Raise ShapeIsRead: a Symbol has no shape."""
        raise ShapeIsRead("Symbols have no shape")

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name in {"as_np_ndarray", "as_nd_ndarray"}:
            return lambda: self
        operator = lookup.method(name)
        if operator is None:
            raise AttributeError(name)
        return partial(call, operator, self)


def _arithmetic(symbol: str) -> Callable[[TypedTensor, Any], TypedTensor]:
    def compute(self: TypedTensor, other: Any) -> TypedTensor:
        operator = lookup.strict(symbol) if isinstance(other, TypedTensor) else None
        return TypedTensor(self.type) if operator is None else call(operator, self, other)

    return compute


for _name, _symbol in (_PYTHON | _COMPARISONS).items():
    setattr(TypedTensor, f"__{_name}__", _arithmetic(_symbol))
    setattr(TypedTensor, f"__r{_name}__", _arithmetic(_symbol))


class Operators:
    """A namespace of operators on typed tensors: F, ``F.contrib``, ``F.np``."""

    def __init__(self, path: tuple[str, ...] = ()) -> None:
        self._path = path

    def __getattr__(self, name: str) -> Any:
        operator = lookup.function(self._path, name)
        if operator is None and lookup.makes_array(name):
            operator = registry.find(f"_{name}")
        return Operators((*self._path, name)) if operator is None else partial(call, operator)


def call(operator: Operator, *given: Any, name: str | None = None, **keywords: Any) -> Any:
    """Return an operator's visible outputs for typed tensors, a single one without a tuple.

    Raises InferError for unsuitable inputs.
    """
    inputs, params = _bound(operator, given, keywords)
    calls.get().append((operator, params))
    results = operator.infer_types(operator.complete_types(inputs, params), params)[: operator.visible(params)]
    tensors = [TypedTensor(result) for result in results]
    return tensors[0] if len(tensors) == 1 else tensors


def _bound(
    operator: Operator, given: tuple[Any, ...], keywords: Mapping[str, Any]
) -> tuple[tuple[TensorType, ...], dict[str, Any]]:
    count = len(given) if operator.variadic else len(operator.inputs)
    named = dict(zip(operator.inputs, given, strict=False)) | dict(keywords)
    params = dict(zip(operator.params, given[count:], strict=False))
    params |= {key: value for key, value in keywords.items() if key in operator.params}
    normal = _defaults(operator) | {k: _normal(operator.params[k].annotation, value) for k, value in params.items()}
    if operator.variadic:
        return tuple(map(_type, given)), normal
    # Parameters determine which inputs are present; shape rules tell them apart by their number.
    active = operator.active_inputs(normal)
    present = (name for name in operator.inputs if name in active or named.get(name) is not None)
    return tuple(_type(named.get(name)) for name in present), normal


@cache
def _defaults(operator: Operator) -> dict[str, Any]:
    """Return the defaults of an operator's parameters in their normal form; callers do not change the dict."""
    return {key: _normal(operator.params[key].annotation, value) for key, value in operator.defaults().items()}


def _type(tensor: Any) -> TensorType:
    return tensor.type if isinstance(tensor, TypedTensor) else TensorType()


def _normal(annotation: str, value: Any) -> Any:
    if isinstance(value, Open) and annotation.startswith("Literal["):
        return one_of(_choices(annotation))
    if isinstance(value, list):
        value = tuple(value)
    return (value,) if isinstance(value, int) and annotation.startswith(("Ints", "Bounds")) else value


@cache
def _choices(annotation: str) -> list[Any]:
    """Return the values that a Literal lists."""
    values: list[Any] = ast.literal_eval(annotation.removeprefix("Literal"))
    return values


def replace_zeros(shape: Iterable[DimLike]) -> Shape:
    """Return a shape in which each 0 is replaced by an unknown size."""
    return tuple(Dim.fresh() if size == 0 else size for size in shape)
