"""Operators element by element: functions, arithmetic, comparisons, activations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hybridlint.runtime.contrib.onnx.onnx2mx.node import Node
from hybridlint.runtime.contrib.onnx.onnx2mx.reading import Read, reads
from hybridlint.runtime.symbol.symbol import Symbol


def _same(name: str) -> Read:
    return lambda node: node.call(name, node.data)


for _kind, _name in {
    "Abs": "abs",
    "Acos": "arccos",
    "Acosh": "arccosh",
    "Asin": "arcsin",
    "Asinh": "arcsinh",
    "Atan": "arctan",
    "Atanh": "arctanh",
    "Ceil": "ceil",
    "Cos": "cos",
    "Cosh": "cosh",
    "Erf": "erf",
    "Exp": "exp",
    "Floor": "floor",
    "Identity": "_copy",
    "Log": "log",
    "Neg": "negative",
    "Reciprocal": "reciprocal",
    "Relu": "relu",
    "Sigmoid": "sigmoid",
    "Sign": "sign",
    "Sin": "sin",
    "Sinh": "sinh",
    "Softsign": "softsign",
    "Sqrt": "sqrt",
    "Tan": "tan",
    "Tanh": "tanh",
}.items():
    reads(_kind)(_same(_name))


def _two(name: str) -> Read:
    return lambda node: node.call(name, node.input(0), node.input(1))


for _kind, _name in {
    "Add": "broadcast_add",
    "Sub": "broadcast_sub",
    "Mul": "broadcast_mul",
    "Div": "broadcast_div",
}.items():
    reads(_kind)(_two(_name))


@reads("Pow")
def _power(node: Node) -> Symbol:
    """Return the power in the dtype of the base, which may differ from that of the exponent."""
    exponent = node.cast(node.input(1), node.type_of(node.data).dtype or "float32")
    return node.call("broadcast_power", node.data, exponent)


@reads("Mod")
def _modulo(node: Node) -> Symbol:
    if node.attributes.get("fmod"):
        node.refuse("the remainder with the sign of the dividend (fmod=1) has no counterpart")
    return node.call("broadcast_mod", node.input(0), node.input(1))


def _chain(name: str) -> Callable[[Node], Symbol]:
    def read(node: Node) -> Symbol:
        result = node.data
        for index in range(1, len(node.inputs)):
            result = node.call(name, result, node.input(index))
        return result

    return read


reads("Max")(_chain("broadcast_maximum"))
reads("Min")(_chain("broadcast_minimum"))
reads("Sum")(_chain("broadcast_add"))


@reads("Mean")
def _mean(node: Node) -> Symbol:
    return node.call("_div_scalar", _chain("broadcast_add")(node), scalar=float(len(node.inputs)))


def _comparison(name: str) -> Read:
    return lambda node: node.truth(node.call(name, node.input(0), node.input(1)))


for _kind, _name in {
    "Equal": "broadcast_equal",
    "Greater": "broadcast_greater",
    "GreaterOrEqual": "broadcast_greater_equal",
    "Less": "broadcast_lesser",
    "LessOrEqual": "broadcast_lesser_equal",
    "And": "broadcast_logical_and",
    "Or": "broadcast_logical_or",
    "Xor": "broadcast_logical_xor",
}.items():
    reads(_kind)(_comparison(_name))


@reads("Not")
def _not(node: Node) -> Symbol:
    return node.call("logical_not", node.truth(node.data))


@reads("Where")
def _where(node: Node) -> Symbol:
    return node.call("_npi_where", *(node.input(k) for k in range(3)))


@reads("Cast")
def _cast(node: Node) -> Symbol:
    dtype = node.dtype(node.attributes["to"])
    if dtype != "bool":
        return node.cast(node.data, dtype)
    data = node.cast(node.data, "float32") if node.type_of(node.data).dtype == "bool" else node.data
    return node.truth(node.call("_not_equal_scalar", data, scalar=0.0))


@reads("IsNaN")
def _isnan(node: Node) -> Symbol:
    return node.truth(node.call("_npi_isnan", node.data))


@reads("IsInf")
def _isinf(node: Node) -> Symbol:
    if not (node.attributes.get("detect_negative", 1) and node.attributes.get("detect_positive", 1)):
        node.refuse("infinity of one sign alone has no counterpart")
    return node.truth(node.call("_npi_isinf", node.data))


@reads("Dropout")
def _dropout(node: Node) -> list[Symbol]:
    return [node.call("_copy", node.data)]


@reads("Clip")
def _clip(node: Node) -> Symbol:
    low, high = (_bound(node, k, name) for k, name in ((1, "min"), (2, "max")))
    data = node.data if low is None else node.call("_maximum_scalar", node.data, scalar=low)
    return data if high is None else node.call("_minimum_scalar", data, scalar=high)


def _bound(node: Node, index: int, name: str) -> float | None:
    if node.has(index):
        return float(np.asarray(node.constant(index)).reshape(-1)[0])
    return node.attributes.get(name)


@reads("HardSigmoid")
def _hard_sigmoid(node: Node) -> Symbol:
    given = node.attributes
    return node.call("hard_sigmoid", node.data, alpha=given.get("alpha", 0.2), beta=given.get("beta", 0.5))


@reads("Softplus")
def _softplus(node: Node) -> Symbol:
    return node.call("Activation", node.data, act_type="softrelu")


@reads("Elu")
def _elu(node: Node) -> Symbol:
    return node.call("LeakyReLU", node.data, act_type="elu", slope=node.attributes.get("alpha", 1.0))


@reads("LeakyRelu")
def _leaky_relu(node: Node) -> Symbol:
    return node.call("LeakyReLU", node.data, act_type="leaky", slope=node.attributes.get("alpha", 0.01))


@reads("Selu")
def _selu(node: Node) -> Symbol:
    return node.call("LeakyReLU", node.data, act_type="selu")


@reads("Gelu")
def _gelu(node: Node) -> Symbol:
    if node.attributes.get("approximate", "none") != "none":
        node.refuse("the approximation by tanh has no counterpart")
    return node.call("LeakyReLU", node.data, act_type="gelu")


@reads("PRelu")
def _prelu(node: Node) -> Symbol:
    """Return the larger of 0 and the data, plus the slopes times the smaller."""
    below = node.call("broadcast_mul", node.call("_minimum_scalar", node.data, scalar=0.0), node.input(1))
    return node.call("broadcast_add", node.call("relu", node.data), below)
