"""Operators that return predictions, but whose gradient is that of a loss."""

from __future__ import annotations

from typing import Any, Literal

from hybridlint.runtime.facts.dims import differ, product
from hybridlint.runtime.facts.infer import unify_shapes
from hybridlint.runtime.facts.registry import Refusal, op, sample
from hybridlint.runtime.facts.storage import DENSE, Fallback, Storage
from hybridlint.runtime.facts.types import InferError, Shape, TensorType
from hybridlint.runtime.ops.nn.activation import sigmoid
from hybridlint.runtime.ops.type_rules import refined, require_rank


def _label_shape(data: Shape, label: Shape | None, multi_output: bool) -> Shape:
    """Return the shape that a label of class indices has. With `multi_output` MXNet takes three, the first unasked."""
    if not multi_output:
        return data[:-1]
    count, places = data[0], data[2:]
    shapes: tuple[Shape, ...] = ((count, product(places)), (count, *places), (count, 1, *places))
    if label is None:
        return shapes[0]
    alike = (shape for shape in shapes if len(shape) == len(label) and not any(map(differ, shape, label)))
    return next(alike, shapes[1])


def _complete_softmax(data: TensorType, label: TensorType, *, multi_output: bool) -> tuple[TensorType, TensorType]:
    if data.shape is None or label.shape == data.shape:
        return data, refined(label, None, data.dtype, "label")
    return data, refined(label, _label_shape(data.shape, label.shape, multi_output), data.dtype, "label")


def _infer_softmax(
    data: TensorType, label: TensorType, *, multi_output: bool, preserve_shape: bool, normalization: str
) -> TensorType:
    if normalization not in {"null", "batch", "valid"}:
        raise InferError("normalization", f"expected 'null', 'batch' or 'valid', got {normalization!r}")
    if not multi_output and not preserve_shape:
        require_rank(data, [2])
    return _complete_softmax(data, label, multi_output=multi_output)[0]


_SOFTMAX_PARAMS = (
    "grad_scale",
    "ignore_label",
    "multi_output",
    "use_ignore",
    "normalization",
    "out_grad",
    "smooth_alpha",
)


#: Labels may be a matrix in compressed rows.
_LABELS = Storage(lambda stypes, params: DENSE if stypes == ("default", "csr") else Fallback())


@op(
    name="SoftmaxOutput",
    aliases=("Softmax",),
    infer=_infer_softmax,
    complete=_complete_softmax,
    grad=lambda F, g, ins, outs, **params: (
        F._hl_softmax_output_grad(outs[0], ins[1], **{name: params[name] for name in _SOFTMAX_PARAMS}),
        None,
    ),
    samples=[
        sample((2, 4), (2,), low=0.0, high=3.0, out_grad=True),
        sample((2, 3, 2), (2, 2), low=0.0, multi_output=True),
        sample((2, 2, 3), (2, 2), low=0.0, preserve_shape=True),
    ],
)
def softmax_output(
    xp: Any,
    data: Any,
    label: Any,
    /,
    *,
    grad_scale: float = 1.0,
    ignore_label: float = -1.0,
    multi_output: bool = False,
    use_ignore: bool = False,
    preserve_shape: bool = False,
    normalization: Literal["batch", "null", "valid"] = "null",
    out_grad: bool = False,
    smooth_alpha: float = 0.0,
) -> Any:
    """Return softmax over the last axis, or over axis 1 with `multi_output`; the gradient is that of cross entropy.

    Labels are class indices, or probabilities of the data's shape. The gradient of the output is ignored; with
    `out_grad`, MXNet multiplies by the output itself, and so does this operator.
    """
    axis = 1 if multi_output else -1
    result = xp.exp(data - data.max(axis=axis, keepdims=True))
    result /= result.sum(axis=axis, keepdims=True)
    return result


@op(
    infer=lambda probabilities, label: probabilities,
    samples=[sample((2, 4), (2,), low=0.0, high=3.0)],
)
def _hl_softmax_output_grad(
    xp: Any,
    probabilities: Any,
    label: Any,
    /,
    *,
    grad_scale: float = 1.0,
    ignore_label: float = -1.0,
    multi_output: bool = False,
    use_ignore: bool = False,
    normalization: str = "null",
    out_grad: bool = False,
    smooth_alpha: float = 0.0,
) -> Any:
    """Return the gradient with respect to SoftmaxOutput's data."""
    axis = 1 if multi_output else probabilities.ndim - 1
    if label.shape == probabilities.shape:
        return (probabilities - label) * grad_scale
    kept = label.reshape(label.shape[0], 1, *probabilities.shape[2:]) if multi_output else xp.expand_dims(label, axis)
    into = probabilities - _smoothed(xp, kept, probabilities, axis, smooth_alpha)
    if use_ignore:
        into *= kept != ignore_label
    valid = xp.maximum((label != ignore_label).sum(), 1) if use_ignore else label.size
    spatial = label.size // label.shape[0] if multi_output else 1
    divisor = {"null": spatial, "batch": label.shape[0] * spatial, "valid": valid}[normalization]
    into = into * (grad_scale / divisor)
    return (into * probabilities if out_grad else into).astype(probabilities.dtype, copy=False)


def _smoothed(xp: Any, label: Any, like: Any, axis: int, alpha: float) -> Any:
    """Return class indices as smoothed probabilities: 1 - alpha for the class, the others share alpha."""
    classes = like.shape[axis]
    numbers = xp.arange(classes).reshape((-1,) + (1,) * (like.ndim - 1 - axis))
    hot = numbers == label.astype("int64")
    return xp.where(hot, 1 - alpha, alpha / max(classes - 1, 1)).astype(like.dtype)


def _complete_regression(data: TensorType, label: TensorType) -> tuple[TensorType, TensorType]:
    if data.shape is None or label.shape is not None:
        return data, label
    column = len(data.shape) == 2 and data.shape[1] == 1
    return data, label.with_shape(data.shape[:1] if column else data.shape)


def _infer_regression(data: TensorType, label: TensorType) -> TensorType:
    if data.shape is not None and label.shape is not None and differ(product(data.shape), product(label.shape)):
        raise InferError("label", f"expected the shape of the data {data}, got {label}")
    return data


_REGRESSION = [
    sample((2, 3), (2, 3)),
    sample((3, 1), (3,), grad_scale=2.0),
]


@op(
    name="LinearRegressionOutput",
    aliases=("_sparse_LinearRegressionOutput",),
    storage=_LABELS,
    infer=_infer_regression,
    complete=_complete_regression,
    grad=lambda F, g, ins, outs, *, grad_scale: (F._hl_regression_grad(outs[0], ins[1], grad_scale=grad_scale), None),
    samples=_REGRESSION,
)
def linear_regression_output(xp: Any, data: Any, label: Any, /, *, grad_scale: float = 1.0) -> Any:
    """Return the data; the gradient is that of half the squared difference to the label."""
    return data


@op(
    name="MAERegressionOutput",
    aliases=("_sparse_MAERegressionOutput",),
    storage=_LABELS,
    infer=_infer_regression,
    complete=_complete_regression,
    grad=lambda F, g, ins, outs, *, grad_scale: (
        F._hl_regression_grad(outs[0], ins[1], grad_scale=grad_scale, sign=True),
        None,
    ),
    samples=_REGRESSION,
)
def mae_regression_output(xp: Any, data: Any, label: Any, /, *, grad_scale: float = 1.0) -> Any:
    """Return the data; the gradient is that of the absolute difference to the label."""
    return data


@op(
    name="LogisticRegressionOutput",
    aliases=("_sparse_LogisticRegressionOutput",),
    storage=_LABELS,
    infer=_infer_regression,
    complete=_complete_regression,
    grad=lambda F, g, ins, outs, *, grad_scale: (F._hl_regression_grad(outs[0], ins[1], grad_scale=grad_scale), None),
    samples=_REGRESSION,
)
def logistic_regression_output(xp: Any, data: Any, label: Any, /, *, grad_scale: float = 1.0) -> Any:
    """Return the logistic function of the data; the gradient is that of its cross entropy with the label."""
    return sigmoid(xp, data)


@op(infer=lambda prediction, label: prediction, samples=[sample((2, 3), (2, 3)), sample((3, 1), (3,), sign=True)])
def _hl_regression_grad(xp: Any, prediction: Any, label: Any, /, *, grad_scale: float = 1.0, sign: bool = False) -> Any:
    """Return the gradient with respect to a regression output's data.

    It is the difference to the label, or its sign, times `grad_scale`, divided by the number of outputs per example.
    """
    gap = prediction - label.reshape(prediction.shape)
    return (xp.sign(gap) if sign else gap) * (grad_scale * label.shape[0] / label.size)


def _infer_svm(data: TensorType, label: TensorType) -> TensorType:
    require_rank(data, [2])
    if data.shape is not None:
        unify_shapes(data.shape[:1], label.shape, "label")
    return data


@op(
    name="SVMOutput",
    infer=_infer_svm,
    complete=lambda data, label: (
        data,
        label if data.shape is None else refined(label, data.shape[:1], label.dtype or data.dtype, "label"),
    ),
    grad=lambda F, g, ins, outs, **params: (F._hl_svm_grad(ins[0], ins[1], **params), None),
    samples=[sample((2, 4), (2,), low=0.0)],
)
def svm_output(
    xp: Any,
    data: Any,
    label: Any,
    /,
    *,
    margin: float = 1.0,
    regularization_coefficient: float = 1.0,
    use_linear: bool = False,
) -> Any:
    """Return the data; the gradient is that of the hinge loss, squared unless `use_linear`."""
    return data


@op(infer=lambda data, label: data, samples=[sample((2, 4), (2,), low=0.0)])
def _hl_svm_grad(
    xp: Any,
    data: Any,
    label: Any,
    /,
    *,
    margin: float = 1.0,
    regularization_coefficient: float = 1.0,
    use_linear: bool = False,
) -> Any:
    """Return the gradient with respect to SVMOutput's data."""
    hot = xp.arange(data.shape[1]) == label.astype("int64")[:, None]
    sign = xp.where(hot, -1.0, 1.0).astype(data.dtype)
    excess = xp.maximum(margin + sign * data, 0)
    strength = (excess > 0).astype(data.dtype) if use_linear else 2 * excess
    return sign * strength * regularization_coefficient


def _infer_cross_entropy(data: TensorType, label: TensorType) -> TensorType:
    _infer_svm(data, label)
    return data.with_shape((1,))


@op(
    infer=_infer_cross_entropy,
    grad=lambda F, g, ins, outs: (
        g * F._hl_softmax_output_grad(F.softmax(ins[0]), ins[1]),
        Refusal("a cross entropy gives its labels no gradient"),
    ),
    samples=[sample((2, 4), (2,), low=0.0, high=3.0, dtypes=("float32", "float32"))],
)
def softmax_cross_entropy(xp: Any, data: Any, label: Any, /) -> Any:
    """Return the cross entropy of softmax and class indices, summed over the batch: shape (1,)."""
    shifted = data - data.max(axis=1, keepdims=True)
    logarithms = shifted - xp.log(xp.exp(shifted).sum(axis=1, keepdims=True))
    return -logarithms[xp.arange(data.shape[0]), label.astype("int64")].sum().reshape(1)
