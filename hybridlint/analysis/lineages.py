"""Lineages: how the shape of a result follows from that of an argument, where neither may be known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hybridlint.analysis.events import Arguments
from hybridlint.analysis.tables import words
from hybridlint.analysis.values import STATIC_UNKNOWN, Items, Lineage, Static, Tensor, Value

_REDUCTIONS = frozenset(
    {
        "sum",
        "mean",
        "max",
        "min",
        "prod",
        "nansum",
        "nanprod",
        "norm",
        "sum_axis",
        "max_axis",
        "min_axis",
        "argmax",
        "argmin",
        "moments",
    }
)
_SAME_SHAPE = words(
    """
    abs sign round rint ceil floor trunc fix square sqrt rsqrt cbrt rcbrt exp log log10 log2 log1p expm1 sin
    cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh degrees radians sigmoid relu
    softsign erf erfinv gamma gammaln reciprocal negative zeros_like ones_like identity BlockGrad
    stop_gradient clip cast Cast astype softmax log_softmax softmin Activation LeakyReLU Dropout dropout
    hard_sigmoid smooth_l1 logical_not L2Normalization LayerNorm InstanceNorm GroupNorm SequenceMask
    SequenceReverse flip reverse uniform_like normal_like gamma_like exponential_like poisson_like
    negative_binomial_like generalized_negative_binomial_like
    """
)
#: Functions of two tensors, or of a tensor and a number, that work element by element.
_PAIRWISE = words("maximum minimum power hypot elemwise_add elemwise_sub elemwise_mul elemwise_div")


#: How many dimensions more there are after a step.
_RANKS = {"added": 1, "stacked": 1, "dropped": -1, "squeezed": -1}


def reduced_lineage(name: str, arguments: Arguments) -> Lineage | None:
    """Return how the shape of a call's output follows from that of its first input."""
    data = arguments.values[0] if arguments.values else arguments.keywords.get("data")
    other = arguments.values[1] if len(arguments.values) > 1 else None
    if name in _PAIRWISE and isinstance(data, Static):
        data, other = other, data
    if name == "where":
        # The condition may be a vector that chooses rows.
        return other.lineage if isinstance(other, Tensor) else None
    if not isinstance(data, Tensor) or data.lineage is None:
        return None
    if isinstance(other, Tensor) and (name.startswith("broadcast_") or name in _PAIRWISE):
        broadcasts = data.mode == "np" or name not in _PAIRWISE
        return merged_lineage(data, other) if broadcasts else equal_lineage(data, other)
    step = () if name in _PAIRWISE and isinstance(other, Static) else _step(name, arguments)
    if step is None:
        return None
    lineage = data.lineage.then(*step)
    if step == ("added",):
        axis = _number(given(arguments, "axis", 1))
        return replace(lineage, axis=axis if type(axis) is int else None)
    # What works element by element leaves a dimension where it was added.
    return lineage if step else data.lineage


def equal_lineage(left: Tensor, right: Tensor) -> Lineage | None:
    """Return the shape of an operator's result that takes two tensors of one shape only, at the trace."""
    if left.lineage is None or right.lineage is None:
        return left.lineage or right.lineage
    merged = merged_lineage(left, right)
    if merged is not None or left.lineage.related(right.lineage):
        return merged
    first, second = sorted((left.lineage, right.lineage), key=lambda lineage: len(lineage.steps))
    return first.like(second)


def merged_lineage(left: Tensor, right: Tensor) -> Lineage | None:
    """Return how the broadcast of two tensors came about, where one of them is the other reduced."""
    if left.lineage is None or right.lineage is None or not left.lineage.related(right.lineage):
        return None
    shorter, longer = sorted((left.lineage, right.lineage), key=lambda lineage: len(lineage.steps))
    extra = longer.steps[len(shorter.steps) :]
    kept = longer.steps[: len(shorter.steps)] == shorter.steps and set(extra) <= {"reduced", "scalar"}
    return shorter.like(longer) if kept else None


def rank_change(step: str) -> int:
    """Return by how much a step of a lineage changes the number of dimensions."""
    return _RANKS.get(step, 0)


def given(arguments: Arguments, name: str, position: int) -> Value | None:
    """Return an argument by keyword or position; None where it is not given."""
    if name in arguments.keywords:
        return arguments.keywords[name]
    return arguments.values[position] if position < len(arguments.values) else None


def _step(name: str, arguments: Arguments) -> tuple[str, ...] | None:
    base = name.rpartition(".")[2]
    if base in _SAME_SHAPE:
        return ()
    if base in _REDUCTIONS:
        return _reduction(base, arguments)
    rule = _RULES.get(base)
    return None if rule is None else rule(arguments)


def _reduction(name: str, arguments: Arguments) -> tuple[str, ...] | None:
    axis = given(arguments, "axes" if name == "moments" else "axis", 2 if name == "norm" else 1)
    keep = arguments.keywords.get("keepdims", Static(False))
    if not isinstance(keep, Static) or keep.value is STATIC_UNKNOWN or "exclude" in arguments.keywords:
        return None
    if axis is None or axis in (Static(None), Static(())):
        if name in {"argmax", "argmin"}:
            return None
        return ("reduced",) if keep.value else ("scalar",)
    if not isinstance(axis, Static | Items) or axis == Static(STATIC_UNKNOWN):
        # Along whatever axis: what is kept of it is of size 1.
        return ("reduced",) if keep.value else None
    count = len(axis.items) if isinstance(axis, Items) and axis.items is not None else 1
    if isinstance(axis, Static) and isinstance(axis.value, tuple | list):
        count = len(axis.value)
    return (("reduced",) if keep.value else ("dropped",)) * count


def _expanded(arguments: Arguments) -> tuple[str, ...]:
    return ("added",)


def _stacked(arguments: Arguments) -> tuple[str, ...]:
    return ("stacked",)


def _single(arguments: Arguments) -> tuple[str, ...]:
    return ("scalar",)


def _squeezed(arguments: Arguments) -> tuple[str, ...] | None:
    axis = _number(given(arguments, "axis", 1))
    if isinstance(axis, tuple | list):
        return ("squeezed",) * len(axis)
    return ("squeezed",) if type(axis) is int else None


def _sliced(arguments: Arguments) -> tuple[str, ...] | None:
    """Return what ``slice_axis(axis, begin, end)`` does where it takes one position."""
    begin, end = (_number(given(arguments, name, at)) for name, at in (("begin", 2), ("end", 3)))
    if type(begin) is not int or not (type(end) is int or end is None):
        return None
    return ("reduced",) if (begin, end) == (-1, None) or (end is not None and end - begin == 1) else None


def _largest(arguments: Arguments) -> tuple[str, ...] | None:
    """Return what ``topk`` does that takes one element along an axis."""
    axis, count, kind = (_number(given(arguments, name, at)) for name, at in (("axis", 1), ("k", 2), ("ret_typ", 3)))
    whole = "axis" in arguments.keywords and axis is None
    single = count in (None, 1) and kind in (None, "value", "indices")
    return ("reduced",) if single and not whole and axis is not STATIC_UNKNOWN else None


def _picked(arguments: Arguments) -> tuple[str, ...] | None:
    keep = _number(given(arguments, "keepdims", 3))
    return None if keep is STATIC_UNKNOWN else ("reduced",) if keep else ("dropped",)


def _pooled(arguments: Arguments) -> tuple[str, ...] | None:
    return ("reduced",) if _number(arguments.keywords.get("global_pool")) is True else None


def _pooled_to(arguments: Arguments) -> tuple[str, ...] | None:
    size = given(arguments, "output_size", 1)
    return ("reduced",) if size is None or _number(size) in (1, (1,), (1, 1)) else None


def _number(value: Value | None) -> object:
    """Return the constant that an argument is, None where it is not given."""
    if isinstance(value, Items) and value.items is not None:
        parts = tuple(_number(item) for item in value.items)
        return STATIC_UNKNOWN if STATIC_UNKNOWN in parts else parts
    return value.value if isinstance(value, Static) else None if value is None else STATIC_UNKNOWN


_RULES: dict[str, Callable[[Arguments], tuple[str, ...] | None]] = {
    "expand_dims": _expanded,
    "stack": _stacked,
    "size_array": _single,
    "squeeze": _squeezed,
    "slice_axis": _sliced,
    "topk": _largest,
    "pick": _picked,
    "Pooling": _pooled,
    "AdaptiveAvgPooling2D": _pooled_to,
}
