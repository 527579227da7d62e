"""Operators for old graphs: BatchNorm as it was before MXNet 1.0, and a sparsity regularizer with a running average."""

from __future__ import annotations

from typing import Any

import hybridlint.runtime.ops.nn.batch_norm as current
from hybridlint.runtime.facts.infer import unify_shapes
from hybridlint.runtime.facts.registry import Facts, op, sample
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.ops.type_rules import require_rank, size_along


def _grad(
    F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, output_mean_var: bool, **params: Any
) -> tuple[Any, ...]:
    known = {k: v for k, v in params.items() if k in {"eps", "fix_gamma", "use_global_stats"}}
    inverse = F.rsqrt(outs[2] + params["eps"])
    data, gamma, _, mean, variance = ins
    head = g[0] if output_mean_var else g
    return (*F._hl_batch_norm_grad(head, data, gamma, mean, variance, outs[1], inverse, **known), None, None)


def _update(
    xp: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], /, *, momentum: float, use_global_stats: bool
) -> tuple[Any, Any]:
    if use_global_stats:
        return ins[3], ins[4]
    kept = 1 - momentum
    return ins[3] * momentum + outs[1] * kept, ins[4] * momentum + outs[2] * kept


@op(
    name="BatchNorm_v1",
    infer=current.infer,
    complete=current.complete,
    grad=_grad,
    aux=("moving_mean", "moving_var"),
    update_aux=_update,
    outputs=3,
    visible=lambda *, output_mean_var: 3 if output_mean_var else 1,
    facts=current.FACTS,
    samples=[
        sample((4, 3), (3,), (3,), (3,), (3,), low=0.5, high=2.0),
        sample((2, 3, 2, 2), (3,), (3,), (3,), (3,), low=0.5, high=2.0, fix_gamma=False, use_global_stats=True),
    ],
)
def batch_norm_v1(
    xp: Any,
    data: Any,
    gamma: Any,
    beta: Any,
    moving_mean: Any,
    moving_var: Any,
    /,
    *,
    eps: float = 0.00100000005,
    momentum: float = 0.899999976,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
    training: bool = False,
) -> tuple[Any, Any, Any]:
    """Batch normalization along axis 1; the further outputs are the mean and the variance."""
    vectors = (gamma, beta, moving_mean, moving_var)
    by_batch = training and not use_global_stats
    result, mean, inverse = current.normalize(
        xp, data, vectors, eps=eps, fix_gamma=fix_gamma, axis=1, by_batch=by_batch
    )
    return result, mean, 1 / xp.square(inverse) - eps if by_batch else moving_var


def _averages(data: TensorType, moving_avg: TensorType) -> TensorType:
    require_rank(data, [2])
    shape = unify_shapes(moving_avg.shape, (size_along(data, 1),), "moving_avg")
    return TensorType(shape, moving_avg.dtype or data.dtype)


def _infer_sparse(data: TensorType, moving_avg: TensorType) -> TensorType:
    _averages(data, moving_avg)
    return data


def _average(data: Any, moving_avg: Any, momentum: float) -> Any:
    return moving_avg * momentum + data.mean(axis=0) * (1 - momentum)


def _sparse_grad(
    F: Any,
    g: Any,
    ins: tuple[Any, ...],
    outs: tuple[Any, ...],
    *,
    sparseness_target: float,
    penalty: float,
    momentum: float,
) -> tuple[Any, ...]:
    data, moving_avg = ins
    average = moving_avg * momentum + F.mean(data, axis=0) * (1 - momentum)
    slope = (1 - sparseness_target) / (1 - average) - sparseness_target / average
    return F.broadcast_add(g, F.expand_dims(slope * penalty, axis=0)), None


@op(
    name="IdentityAttachKLSparseReg",
    infer=_infer_sparse,
    complete=lambda data, *moving_avg: (data, *(_averages(data, m) for m in moving_avg)),
    grad=_sparse_grad,
    aux=("moving_avg",),
    update_aux=lambda xp, ins, outs, /, *, momentum: (_average(ins[0], ins[1], momentum),),
    facts=Facts(initial={"moving_avg": '["zero", {}]'}),
    samples=[sample((4, 3), (3,), low=0.2, high=0.8), sample((2, 3), (3,), low=0.2, high=0.8, penalty=0.1)],
)
def identity_attach_kl_sparse_reg(
    xp: Any,
    data: Any,
    moving_avg: Any,
    /,
    *,
    sparseness_target: float = 0.100000001,
    penalty: float = 0.00100000005,
    momentum: float = 0.899999976,
) -> Any:
    """Return the data unchanged; the gradient pushes running averages of activations towards `sparseness_target`."""
    return data.copy()
