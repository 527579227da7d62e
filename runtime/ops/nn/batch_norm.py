"""Batch normalization with running statistics, which are auxiliary states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hybridlint.runtime.facts.recipes import sizes_of
from hybridlint.runtime.facts.registry import BufferRecipe, Facts, op, sample
from hybridlint.runtime.facts.storage import Fallback, Storage
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.ops.nn.standardizing import all_but, along, standardize, standardize_grad, wide
from hybridlint.runtime.ops.type_rules import refined, size_along

FACTS = Facts(
    initial={"moving_mean": '["zero", {}]', "moving_var": '["one", {}]'},
    output_names=("output", "mean", "var"),
    same_in_both_modes=lambda *, use_global_stats: use_global_stats,
    filled_with_ones=lambda recorded, *, fix_gamma, output_mean_var: (
        ("gamma",) if fix_gamma and (recorded or output_mean_var) else ()
    ),
)
_NAMES = ("data", "gamma", "beta", "moving_mean", "moving_var")


def complete(data: TensorType, *vectors: TensorType, axis: int = 1) -> tuple[TensorType, ...]:
    """Complete the input types: gamma, beta and the statistics have one element for each channel along `axis`."""
    shape = (size_along(data, axis),)
    dtype = "float32" if data.dtype == "float16" else data.dtype
    return (data, *(refined(v, shape, dtype, name) for v, name in zip(vectors, _NAMES[1:], strict=True)))


def infer(data: TensorType, *vectors: TensorType, axis: int = 1) -> tuple[TensorType, ...]:
    """Return the types of the normalized data, the mean and the inverse standard deviation."""
    gamma = complete(data, *vectors, axis=axis)[1]
    return data, gamma, gamma


def _grad(
    F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, output_mean_var: bool, **params: Any
) -> tuple[Any, ...]:
    data, gamma, _, mean, variance = ins
    known = {k: v for k, v in params.items() if k in {"eps", "fix_gamma", "use_global_stats", "axis"}}
    head = g[0] if output_mean_var else g
    return (*F._hl_batch_norm_grad(head, data, gamma, mean, variance, outs[1], outs[2], **known), None, None)


def _update(
    xp: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], /, *, eps: float, momentum: float, use_global_stats: bool
) -> tuple[Any, Any]:
    moving_mean, moving_var = ins[3:]
    if use_global_stats:
        return moving_mean, moving_var
    variance = 1 / xp.square(outs[2]) - eps
    return (
        moving_mean * momentum + outs[1] * (1 - momentum),
        moving_var * momentum + variance * (1 - momentum),
    )


def _statistics(xp: Any, data: Any, axis: int, eps: float) -> tuple[Any, Any, Any]:
    """Return the standardized data, and the mean and the inverse standard deviation of each channel."""
    normal, mean, deviation = standardize(xp, data, all_but(axis, data.ndim), eps)
    return normal, mean.reshape(-1), 1 / deviation.reshape(-1)


def _overwrite(gamma: Any, *, fixed: bool) -> None:
    """If gamma is `fixed`, overwrite the caller's gamma with ones, as MXNet does eagerly (for graphs, see FACTS)."""
    if fixed:
        gamma[...] = 1


def normalize(
    xp: Any, data: Any, vectors: tuple[Any, ...], /, *, eps: float, fix_gamma: bool, axis: int, by_batch: bool
) -> tuple[Any, Any, Any]:
    """Return the normalized data, and the mean and the inverse standard deviation that were used.

    `vectors` are gamma, beta, moving_mean and moving_var, with one element for each channel along `axis`.
    """
    gamma, beta, mean, variance = vectors
    axis, full = axis % data.ndim, wide(data)
    if by_batch:
        normal, mean, inverse = _statistics(xp, full, axis, eps)
        result = normal if fix_gamma else xp.multiply(normal, along(gamma, axis, data.ndim), out=normal)
        xp.add(result, along(beta, axis, data.ndim), out=result)
    else:
        inverse = 1 / xp.sqrt(variance + eps)
        scale = inverse if fix_gamma else inverse * gamma
        result = full * along(scale, axis, data.ndim)
        xp.add(result, along(beta - mean * scale, axis, data.ndim), out=result)
    return result.astype(data.dtype, copy=False), mean, inverse


def _planned(
    ins: tuple[TensorType | None, ...],
    outs: tuple[TensorType, ...],
    /,
    *,
    lasting: bool,
    training: bool,
    eps: float,
    fix_gamma: bool,
    use_global_stats: bool,
    axis: int,
) -> BufferRecipe | None:
    """Keep what the running statistics come to: a factor and a summand for each channel."""
    held, gamma = ins[:2]
    assert held is not None
    assert gamma is not None
    if not lasting or (training and not use_global_stats) or held.dtype not in {"float32", "float64"}:
        return None
    rank = len(sizes_of(held))
    place = axis % rank

    def run(xp: Any, ins: Sequence[Any], outs: Sequence[Any], kept: Sequence[Any], scratch: Sequence[Any]) -> None:
        xp.multiply(ins[0], kept[0], out=outs[0])
        xp.add(outs[0], kept[1], out=outs[0])

    def prepare(xp: Any, steady: Sequence[Any], kept: Sequence[Any]) -> None:
        given, beta, mean, variance = steady
        inverse = 1 / xp.sqrt(variance + eps)
        scale = inverse if fix_gamma else inverse * given
        xp.copyto(kept[0], along(scale, place, rank))
        xp.copyto(kept[1], along(beta - mean * scale, place, rank))

    vector = gamma.with_shape(tuple(size if k == place else 1 for k, size in enumerate(sizes_of(held))))
    return BufferRecipe(run, kept=(vector, vector), steady=(1, 2, 3, 4), prepare=prepare, follows=True, in_place=True)


_SAMPLES = [
    sample((4, 3), (3,), (3,), (3,), (3,), low=0.5, high=2.0),
    sample((2, 3, 2, 2), (3,), (3,), (3,), (3,), low=0.5, high=2.0, fix_gamma=False, eps=1e-5),
    sample((2, 2, 3), (3,), (3,), (3,), (3,), low=0.5, high=2.0, fix_gamma=False, axis=-1, use_global_stats=True),
]


def _infer_storage(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    """Return that MXNet computes on dense copies. Raises ValueError for ``fix_gamma``, which it does not do so."""
    if params["fix_gamma"]:
        raise ValueError("fix_gamma=True is not supported for sparse ndarrays")
    return Fallback()


@op(
    name="BatchNorm",
    storage=Storage(_infer_storage),
    infer=infer,
    complete=complete,
    grad=_grad,
    aux=("moving_mean", "moving_var"),
    update_aux=_update,
    outputs=3,
    visible=lambda *, output_mean_var: 3 if output_mean_var else 1,
    facts=FACTS,
    samples=_SAMPLES,
    planned=_planned,
)
def batch_norm(
    xp: Any,
    data: Any,
    gamma: Any,
    beta: Any,
    moving_mean: Any,
    moving_var: Any,
    /,
    *,
    eps: float = 0.0010000000474974513,
    momentum: float = 0.899999976,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
    axis: int = 1,
    cudnn_off: bool = False,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    training: bool = False,
    eager: bool = False,
) -> tuple[Any, Any, Any]:
    """Normalize each channel by the statistics of the batch in train mode, else by the running statistics.

    The further outputs are the mean that was used and the inverse standard deviation. With `fix_gamma`, gamma is
    regarded as ones, and overwritten with ones: eagerly, and in graphs if they are recorded or give the mean too. Half
    precision data take float32 vectors.
    """
    _overwrite(gamma, fixed=fix_gamma and eager)
    vectors = (gamma, beta, moving_mean, moving_var)
    by_batch = training and not use_global_stats
    return normalize(xp, data, vectors, eps=eps, fix_gamma=fix_gamma, axis=axis, by_batch=by_batch)


def _sync_grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], **params: Any) -> tuple[Any, ...]:
    return _grad(F, g, ins, (*outs[:2], F.rsqrt(outs[2] + params["eps"])), **params)


def _sync_update(
    xp: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], /, *, eps: float, momentum: float, use_global_stats: bool
) -> tuple[Any, Any]:
    inverse = 1 / xp.sqrt(outs[2] + eps)
    return _update(xp, ins, (*outs[:2], inverse), eps=eps, momentum=momentum, use_global_stats=use_global_stats)


@op(
    name="_contrib_SyncBatchNorm",
    infer=infer,
    complete=complete,
    grad=_sync_grad,
    aux=("moving_mean", "moving_var"),
    update_aux=_sync_update,
    outputs=3,
    visible=lambda *, output_mean_var: 3 if output_mean_var else 1,
    facts=FACTS,
    samples=[sample((2, 3, 2, 2), (3,), (3,), (3,), (3,), low=0.5, high=2.0, fix_gamma=False, key="bn")],
)
def sync_batch_norm(
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
    ndev: int = 1,
    key: str,
    training: bool = False,
    eager: bool = False,
) -> tuple[Any, Any, Any]:
    """Batch normalization over all devices. This runtime has one device, so it equals BatchNorm.

    Its third output is the variance that was used; that of BatchNorm is the inverse standard deviation.
    """
    if ndev != 1:
        raise ValueError(f"_contrib_SyncBatchNorm over {ndev} devices is not supported")
    _overwrite(gamma, fixed=fix_gamma and eager)
    vectors = (gamma, beta, moving_mean, moving_var)
    by_batch = training and not use_global_stats
    result, mean, inverse = normalize(xp, data, vectors, eps=eps, fix_gamma=fix_gamma, axis=1, by_batch=by_batch)
    return result, mean, 1 / xp.square(inverse) - eps


def _relu_grad(
    F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, output_mean_var: bool, **params: Any
) -> tuple[Any, ...]:
    head = (g[0] if output_mean_var else g) * F._greater_scalar(outs[0], scalar=0.0)
    return _grad(F, head, ins, outs, output_mean_var=False, **params)


@op(
    name="_contrib_BatchNormWithReLU",
    infer=infer,
    complete=complete,
    grad=_relu_grad,
    aux=("moving_mean", "moving_var"),
    update_aux=_update,
    outputs=3,
    visible=lambda *, output_mean_var: 3 if output_mean_var else 1,
    facts=FACTS,
    samples=[sample((2, 3, 2, 2), (3,), (3,), (3,), (3,), low=0.5, high=2.0, fix_gamma=False)],
)
def batch_norm_with_relu(
    xp: Any,
    data: Any,
    gamma: Any,
    beta: Any,
    moving_mean: Any,
    moving_var: Any,
    /,
    *,
    eps: float = 0.0010000000474974513,
    momentum: float = 0.899999976,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
    axis: int = 1,
    cudnn_off: bool = False,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    training: bool = False,
    eager: bool = False,
) -> tuple[Any, Any, Any]:
    """BatchNorm followed by relu."""
    _overwrite(gamma, fixed=fix_gamma and eager)
    vectors = (gamma, beta, moving_mean, moving_var)
    by_batch = training and not use_global_stats
    result, mean, inverse = normalize(xp, data, vectors, eps=eps, fix_gamma=fix_gamma, axis=axis, by_batch=by_batch)
    return xp.maximum(result, 0), mean, inverse


def _infer_grad(g: TensorType, data: TensorType, gamma: TensorType, *rest: TensorType) -> tuple[TensorType, ...]:
    return data, gamma, gamma


@op(
    infer=_infer_grad,
    outputs=3,
    samples=[sample((2, 3, 2), (2, 3, 2), *((3,),) * 5, low=0.5, high=2.0, eps=1e-3, fix_gamma=False)],
)
def _hl_batch_norm_grad(
    xp: Any,
    g: Any,
    data: Any,
    gamma: Any,
    moving_mean: Any,
    moving_var: Any,
    mean: Any,
    inverse: Any,
    /,
    *,
    eps: float,
    fix_gamma: bool,
    use_global_stats: bool = False,
    axis: int = 1,
    training: bool = False,
) -> tuple[Any, Any, Any]:
    """Gradients of BatchNorm's data, gamma and beta; `mean` and `inverse` are its further outputs.

    As in MXNet, the mode is that of backward: in predict mode the statistics are constants.
    """
    axis = axis % data.ndim
    by_batch = training and not use_global_stats
    if not by_batch:
        mean, inverse = moving_mean, 1 / xp.sqrt(moving_var + eps)
    axes, head = all_but(axis, data.ndim), wide(g)
    normal = (wide(data) - along(mean, axis, data.ndim)) * along(inverse, axis, data.ndim)
    into_gamma = xp.zeros_like(gamma) if fix_gamma else (head * normal).sum(axis=axes)
    scaled = head if fix_gamma else head * along(gamma, axis, data.ndim)
    if by_batch:
        into_data = standardize_grad(scaled, normal, along(1 / inverse, axis, data.ndim), axes)
    else:
        into_data = scaled * along(inverse, axis, data.ndim)
    return into_data.astype(data.dtype, copy=False), into_gamma, head.sum(axis=axes)
