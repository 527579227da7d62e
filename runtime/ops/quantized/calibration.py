"""The threshold of a range that loses least where its numbers become a few integers."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.registry import op, sample
from hybridlint.runtime.facts.types import InferError, TensorType
from hybridlint.runtime.ops.quantized.scales import END, single

#: What is given to each empty bin, taken in equal parts from the others, so that logarithms exist.
_SMALL = 1e-4


def _infer(hist: TensorType, hist_edges: TensorType, /) -> tuple[TensorType, ...]:
    for name, given in (("hist", hist), ("hist_edges", hist_edges)):
        if given.dtype not in {None, "float32"}:
            raise InferError(name, f"expected float32, got {given.dtype}")
        if given.shape is not None and len(given.shape) != 1:
            raise InferError(name, f"expected one dimension, got {len(given.shape)}")
    counts, edges = (None if t.shape is None else t.shape[0] for t in (hist, hist_edges))
    if isinstance(counts, int) and isinstance(edges, int) and edges != counts + 1:
        raise InferError("hist_edges", f"expected {counts + 1} edges, got {edges}")
    return END, END


@op(
    infer=_infer,
    outputs=2,
    samples=[sample((9,), (10,), low=1.0, high=9.0, num_quantized_bins=3)],
    host="it tries thousands of thresholds, with sums of a few numbers each",
)
def _contrib_calibrate_entropy(
    xp: Any, hist: Any, hist_edges: Any, /, *, num_quantized_bins: int = 255
) -> tuple[Any, ...]:
    """Return the threshold of a symmetric range, and the information lost by it.

    `hist` counts the numbers between neighbours of `hist_edges`, around 0. Of all ranges around 0, that one is chosen
    whose numbers, with those beyond counted at its ends, have the least Kullback-Leibler divergence from what
    `num_quantized_bins` integers tell of them (S. Migacz, 8-bit inference with TensorRT, 2017).
    """
    counts = hist.astype("float64")
    middle = len(counts) // 2
    ranges = range(num_quantized_bins // 2, middle + 1)
    lost = [_lost(xp, counts, max(middle - k, 0), min(middle + k + 1, len(counts)), num_quantized_bins) for k in ranges]
    least = min(range(len(lost)), key=lost.__getitem__)
    edge = min(middle + ranges[least] + 1, len(counts))
    return single(xp, hist_edges[edge]), single(xp, lost[least])


def _lost(xp: Any, counts: Any, start: int, stop: int, integers: int) -> float:
    """Return the divergence, in nats, between a range's counts and their approximation by that many integers."""
    inside = counts[start:stop]
    wanted = inside.copy()
    # MXNet adds up whole numbers.
    wanted[0] += xp.floor(counts[:start]).sum()
    wanted[-1] += xp.floor(counts[stop:]).sum()
    merged = len(inside) // integers
    groups = xp.minimum(xp.arange(len(inside)) // merged, integers - 1)
    # The first bin of a range is in no group's sum, as in MXNet: a group of it alone tells nothing.
    sums = xp.bincount(groups[1:], weights=xp.floor(inside[1:]), minlength=integers)
    members = xp.bincount(groups[1:], weights=inside[1:] != 0, minlength=integers)
    told = xp.where(wanted != 0, (sums / xp.maximum(members, 1))[groups], 0.0)
    found, given = _smoothed(xp, wanted), _smoothed(xp, told)
    if found is None or given is None:
        return float(xp.finfo("float32").max)
    found, given = found / found.sum(), given / given.sum()
    return float((found * xp.log(found / given)).sum())


def _smoothed(xp: Any, counts: Any) -> Any:
    """Return counts of which none is 0, with the same sum; None if too few are not 0."""
    empty = counts == 0
    others = len(counts) - int(empty.sum())
    share = _SMALL * float(empty.sum()) / others if others else 1.0
    return None if share >= 1 else xp.where(empty, _SMALL, counts - share)
