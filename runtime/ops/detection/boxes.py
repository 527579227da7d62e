"""Operators on boxes: overlap, non-maximum suppression, matching, and encoding relative to anchors.

A box is (x1, y1, x2, y2), or (x, y, width, height) around its centre with the format "center".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from hybridlint.runtime.facts.dims import differ
from hybridlint.runtime.facts.infer import unify_shapes
from hybridlint.runtime.facts.registry import Facts, op, sample, zero_gradient
from hybridlint.runtime.facts.types import InferError, TensorType
from hybridlint.runtime.ops.type_rules import one_dtype, require_equal, require_rank

#: Boxes whose overlaps with all later ones are computed at once; those that are removed by then are left out.
_TOGETHER = 64
#: So many pairs of boxes of the same classes are compared at once.
_PAIRS = 1 << 17


def corners(xp: Any, boxes: Any, form: str) -> Any:
    """Return boxes (..., 4) in the format `form` as corners (x1, y1, x2, y2)."""
    if form == "corner":
        return boxes
    centers, halves = boxes[..., :2], boxes[..., 2:] / 2
    return xp.concatenate([centers - halves, centers + halves], axis=-1)


def centers(xp: Any, boxes: Any) -> Any:
    """Return boxes (..., 4), given as corners, as (x, y, width, height) around their centres."""
    first, last = boxes[..., :2], boxes[..., 2:]
    return xp.concatenate([(first + last) / 2, last - first], axis=-1)


def _by_column(xp: Any, boxes: Any) -> Any:
    return xp.ascontiguousarray(boxes.transpose(-1, *range(boxes.ndim - 1)))


def overlap(xp: Any, lhs: Any, rhs: Any, last: float = 0) -> Any:
    """Return the intersection over union of boxes (..., 4), given as corners, with broadcasting; 0 for empty boxes.

    `last` is added to widths and heights: 1 for boxes that name their last pixels.
    """
    # Column by column: reductions over axes of two elements take ten times as long, and so do elements that lie apart.
    left, right = _by_column(xp, lhs), _by_column(xp, rhs)
    common, height = xp.minimum(left[2], right[2]), xp.minimum(left[3], right[3])
    room = xp.maximum(left[0], right[0])
    common -= room
    height -= xp.maximum(left[1], right[1], out=room)
    for size in (common, height):
        if last:
            xp.add(size, last, out=size)
        xp.fmax(size, 0, out=size)
    common *= height
    areas = ((box[2] - box[0] + last) * (box[3] - box[1] + last) for box in (left, right))
    union = xp.add(*areas, out=room)
    union -= common
    if union.size and not union.min() > 0:
        positive = union > 0
        common, union = xp.where(positive, common, 0), xp.where(positive, union, 1)
    return xp.divide(common, union, out=height)


def _check_format(argument: str, form: str) -> None:
    if form not in {"corner", "center"}:
        raise InferError(argument, f"expected 'corner' or 'center', got {form!r}")


def _infer_iou(lhs: TensorType, rhs: TensorType, *, format: str) -> TensorType:
    _check_format("format", format)
    for name, t in (("lhs", lhs), ("rhs", rhs)):
        if t.shape is not None and (not t.shape or differ(t.shape[-1], 4)):
            raise InferError(name, f"expected 4 numbers for each box, got {t}")
    dtype = one_dtype(lhs, rhs)
    if lhs.shape is None or rhs.shape is None:
        return TensorType(None, dtype)
    return TensorType((*lhs.shape[:-1], *rhs.shape[:-1]), dtype)


@op(
    name="_contrib_box_iou",
    infer=_infer_iou,
    grad=zero_gradient,
    samples=[
        sample((2, 4), (3, 4), format="center", low=0.5),
        sample((2, 2, 4), (3, 4), format="center", low=0.5),
    ],
)
def box_iou(xp: Any, lhs: Any, rhs: Any, /, *, format: Literal["center", "corner"] = "corner") -> Any:
    """Return the intersection over union of each box of `lhs` with each of `rhs`."""
    left, right = corners(xp, lhs, format), corners(xp, rhs, format)
    return overlap(xp, left.reshape(*lhs.shape[:-1], *(1,) * (rhs.ndim - 1), 4), right)


def suppressed(xp: Any, boxes: Any, classes: Any, threshold: float, last: float = 0, most: int | None = None) -> Any:
    """Return a boolean array of the boxes to remove; `boxes` are sorted by score, the best first.

    A box is removed if it overlaps a kept box of the same class by more than `threshold`. `classes` None means one
    class. `last` is that of `overlap`. Boxes behind the first `most` that are kept may be kept, too.
    """
    if classes is not None and len(boxes):
        pairs = _pairs_of_classes(xp, classes)
        if pairs is not None:
            hits = xp.flatnonzero(overlap(xp, boxes[pairs[0]], boxes[pairs[1]], last) > threshold)
            return _removed(xp, len(boxes), *(side[hits].tolist() for side in pairs))
    gone, kept = xp.zeros(len(boxes), bool), 0
    places = xp.arange(len(boxes))
    for start in range(0, len(boxes) - 1, _TOGETHER):
        left = start + xp.flatnonzero(~gone[start : start + _TOGETHER])
        hits = overlap(xp, boxes[left][:, None], boxes[start:], last) > threshold
        hits &= left[:, None] < places[start:]
        if classes is not None:
            hits &= classes[left][:, None] == classes[start:]
        some = xp.flatnonzero(hits.any(axis=1))
        for k, hit in zip(left[some].tolist(), hits[some], strict=True):
            if not gone[k]:
                gone[start:] |= hit
        kept += len(left) - int(xp.count_nonzero(gone[left]))
        if most is not None and kept >= most:
            break
    return gone


def _pairs_of_classes(xp: Any, classes: Any) -> tuple[Any, Any] | None:
    """Return the places of the first and second ones of all pairs of a class, in order; None if these are many."""
    order = xp.argsort(classes, kind="stable")
    ordered = classes[order]
    ends = xp.append(xp.flatnonzero(ordered[1:] != ordered[:-1]) + 1, len(order))
    # Repeating by an array of counts is beyond CuPy; looking a place up among the ends does the same.
    behind = ends[xp.searchsorted(ends, xp.arange(len(order)), side="right")] - xp.arange(1, len(order) + 1)
    total = int(behind.sum())
    if total > _PAIRS:
        return None
    before = xp.cumsum(behind)
    first = xp.searchsorted(before, xp.arange(total), side="right")
    second = xp.arange(1, total + 1) + first - (before - behind)[first]
    return order[first], order[second]


def _removed(xp: Any, count: int, better: Sequence[int], worse: Sequence[int]) -> Any:
    """Return a mask of the boxes that a better box removes, given pairs in the order of the better boxes."""
    gone = [False] * count
    for first, second in zip(better, worse, strict=True):
        if not gone[first]:
            gone[second] = True
    return xp.asarray(gone, bool)


def _infer_nms(
    data: TensorType, *, in_format: str, out_format: str, coord_start: int, score_index: int
) -> tuple[TensorType, TensorType]:
    _check_format("in_format", in_format)
    _check_format("out_format", out_format)
    if data.shape is None:
        return data, data
    if len(data.shape) < 2:
        raise InferError("data", f"expected at least 2 dimensions, got {len(data.shape)}")
    width = data.shape[-1]
    if isinstance(width, int) and (coord_start + 4 > width or score_index >= width):
        raise InferError("data", f"{width} numbers for each box hold no coordinates at {coord_start}")
    return data, data.with_shape((*data.shape[:-1], 1))


def _kept_rows(
    xp: Any,
    rows: Any,
    *,
    overlap_thresh: float,
    valid_thresh: float,
    topk: int,
    coord_start: int,
    score_index: int,
    id_index: int,
    background_id: int,
    force_suppress: bool,
    in_format: str,
) -> Any:
    """Return the indices of the rows that non-maximum suppression keeps, sorted by score, the best first."""
    valid = rows[:, score_index] > valid_thresh
    if id_index >= 0:
        valid &= rows[:, id_index] != background_id
    order = xp.argsort(-rows[:, score_index], kind="stable")
    order = order[valid[order]]
    order = order[:topk] if topk > 0 else order
    best = rows[order]
    boxes = corners(xp, best[:, coord_start : coord_start + 4], in_format)
    classes = None if force_suppress or id_index < 0 else best[:, id_index]
    return order[~suppressed(xp, boxes, classes, overlap_thresh)]


@op(
    name="_contrib_box_nms",
    facts=Facts(output_names=("output0",)),
    aliases=("_contrib_box_non_maximum_suppression",),
    infer=_infer_nms,
    grad=lambda F, g, ins, outs: (F._hl_box_nms_grad(g, outs[1], ins[0]),),
    outputs=2,
    visible=1,
    samples=[
        sample((6, 6), low=0.0, high=1.0, overlap_thresh=0.1),
        sample((2, 5, 6), low=0.0, high=1.0, overlap_thresh=0.1, valid_thresh=0.3, in_format="center", topk=3),
        sample((1, 6, 6), low=0.0, high=1.0, overlap_thresh=0.1, out_format="center", id_index=0),
    ],
)
def box_nms(
    xp: Any,
    data: Any,
    /,
    *,
    overlap_thresh: float = 0.5,
    valid_thresh: float = 0.0,
    topk: int = -1,
    coord_start: int = 2,
    score_index: int = 1,
    id_index: int = -1,
    background_id: int = -1,
    force_suppress: bool = False,
    in_format: Literal["center", "corner"] = "corner",
    out_format: Literal["center", "corner"] = "corner",
) -> tuple[Any, Any]:
    """Suppress boxes that overlap a better one; return the others sorted by score, then rows filled with -1.

    Data are (..., boxes, numbers). With `id_index`, the position of the class, boxes of different classes do not
    suppress each other. The hidden second output holds the indices of the source rows.
    """
    rows = data.reshape(-1, *data.shape[-2:])
    result = xp.full(rows.shape, -1, data.dtype)
    sources = xp.full((*rows.shape[:2], 1), -1, data.dtype)
    place = slice(coord_start, coord_start + 4)
    for k, batch in enumerate(rows):
        kept = _kept_rows(
            xp,
            batch,
            overlap_thresh=overlap_thresh,
            valid_thresh=valid_thresh,
            topk=topk,
            coord_start=coord_start,
            score_index=score_index,
            id_index=id_index,
            background_id=background_id,
            force_suppress=force_suppress,
            in_format=in_format,
        )
        chosen = batch[kept]
        if in_format != out_format:
            boxes = chosen[:, place]
            chosen[:, place] = centers(xp, boxes) if out_format == "center" else corners(xp, boxes, in_format)
        result[k, : len(kept)] = chosen
        sources[k, : len(kept), 0] = kept
    return result.reshape(data.shape), sources.reshape(*data.shape[:-1], 1)


@op(
    infer=lambda g, sources, data: data,
    samples=[sample((2, 6), (2, 1), (2, 6), low=0.0, high=0.0)],
)
def _hl_box_nms_grad(xp: Any, g: Any, sources: Any, data: Any, /) -> Any:
    """Return the gradient with respect to box_nms's data: `g` at the rows that were kept, 0 elsewhere."""
    into = xp.zeros_like(data).reshape(-1, *data.shape[-2:])
    heads, rows = g.reshape(into.shape), sources.astype("int64").reshape(into.shape[:2])
    for batch, head, places in zip(into, heads, rows, strict=True):
        kept = places >= 0
        batch[places[kept]] = head[kept]
    return into.reshape(data.shape)


def _infer_matching(data: TensorType) -> tuple[TensorType, TensorType]:
    if data.shape is None:
        return data, data
    if len(data.shape) < 2:
        raise InferError("data", f"expected at least 2 dimensions, got {len(data.shape)}")
    return data.with_shape(data.shape[:-1]), data.with_shape((*data.shape[:-2], data.shape[-1]))


def match(xp: Any, scores: Any, is_ascend: bool, threshold: float, most: int) -> tuple[Any, Any]:
    """Return the column matched to each row of `scores`, and the row matched to each column; -1 without a match.

    Pairs are matched greedily, the best score first, until scores are worse than `threshold` or `most` pairs are
    exceeded.
    """
    height, width = scores.shape
    rows, columns = [-1] * height, [-1] * width
    flat, count = scores.reshape(-1), 0
    order = xp.argsort(flat if is_ascend else -flat, kind="stable")
    # Numbers of Python are read ten times as fast as those of arrays.
    for place, score in zip(order.tolist(), flat[order].tolist(), strict=True):
        row, column = divmod(place, width)
        if rows[row] >= 0 or columns[column] >= 0:
            continue
        if score > threshold if is_ascend else score < threshold:
            break
        rows[row], columns[column] = column, row
        count += 1
        if 0 < most < count or count == min(height, width):
            break
    return xp.asarray(rows, "float64"), xp.asarray(columns, "float64")


@op(
    name="_contrib_bipartite_matching",
    infer=_infer_matching,
    grad=zero_gradient,
    outputs=2,
    samples=[
        sample((3, 2), threshold=0.0),
        sample((2, 3, 4), threshold=1.0, is_ascend=True),
        sample((4, 4), threshold=-5.0, topk=1),
    ],
)
def bipartite_matching(
    xp: Any, data: Any, /, *, is_ascend: bool = False, threshold: float, topk: int = -1
) -> tuple[Any, Any]:
    """Match rows with columns of scores (..., rows, columns), the best pair first.

    Returns the column of each row and the row of each column, -1 without a match.
    """
    batches = data.reshape(-1, *data.shape[-2:])
    pairs = [match(xp, scores, is_ascend, threshold, topk) for scores in batches]
    rows, columns = (xp.stack(part).astype(data.dtype) for part in zip(*pairs, strict=True))
    return rows.reshape(data.shape[:-1]), columns.reshape(*data.shape[:-2], data.shape[-1])


def _infer_encode(
    samples: TensorType, matches: TensorType, anchors: TensorType, refs: TensorType, means: TensorType, stds: TensorType
) -> tuple[TensorType, TensorType]:
    require_rank(anchors, [3], "anchors")
    require_rank(refs, [3], "refs")
    for name, t in (("means", means), ("stds", stds)):
        require_rank(t, [1], name)
        if t.shape is not None:
            require_equal(4, t.shape[0], name, "numbers of a box")
    if anchors.shape is not None and refs.shape is not None:
        require_equal(anchors.shape[0], refs.shape[0], "refs", "number of examples")
    rows = unify_shapes(samples.shape, matches.shape, "matches")
    if anchors.shape is not None:
        rows = unify_shapes(anchors.shape[:2], rows, "samples")
    result = TensorType(None if rows is None else (*rows, 4), one_dtype(anchors, refs, argument="refs"))
    return result, result


@op(
    name="_contrib_box_encode",
    infer=_infer_encode,
    grad=zero_gradient,
    outputs=2,
    samples=[sample((1, 2), (1, 2), (1, 2, 4), (1, 3, 4), (4,), (4,), low=0.0, high=0.9)],
)
def box_encode(
    xp: Any, samples: Any, matches: Any, anchors: Any, refs: Any, means: Any, stds: Any, /
) -> tuple[Any, Any]:
    """Return the matched boxes encoded relative to their anchors, and a mask that is 1 for positive samples.

    A sample is positive if it is greater than 0.5; the others are encoded as 0. `matches` gives the box in `refs` for
    each anchor.
    """
    matched = centers(xp, xp.take_along_axis(refs, matches.astype("int64")[..., None], 1))
    own = centers(xp, anchors)
    moved = (matched[..., :2] - own[..., :2]) / own[..., 2:]
    scaled = xp.log(matched[..., 2:] / own[..., 2:])
    targets = (xp.concatenate([moved, scaled], axis=-1) - means) / stds
    counts = xp.broadcast_to(samples[..., None] > 0.5, targets.shape)
    return xp.where(counts, targets, 0).astype(anchors.dtype, copy=False), counts.astype(anchors.dtype)


def _infer_decode(data: TensorType, anchors: TensorType, *, format: str) -> TensorType:
    _check_format("format", format)
    require_rank(data, [3])
    require_rank(anchors, [3], "anchors")
    for argument, boxes in (("data", data), ("anchors", anchors)):
        if boxes.shape is not None:
            require_equal(4, boxes.shape[2], argument, "their last axis")
    if anchors.shape is not None:
        require_equal(1, anchors.shape[0], "anchors", "their first axis")
    if anchors.shape is not None and data.shape is not None:
        require_equal(data.shape[1], anchors.shape[1], "anchors", "number of boxes")
    return data.with_dtype(one_dtype(data, anchors, argument="anchors"))


@op(
    name="_contrib_box_decode",
    infer=_infer_decode,
    grad=zero_gradient,
    samples=[
        sample((2, 3, 4), (1, 3, 4), std0=0.1, std1=0.1, std2=0.2, std3=0.2),
        sample((1, 3, 4), (1, 3, 4), clip=0.5, format="corner"),
    ],
)
def box_decode(
    xp: Any,
    data: Any,
    anchors: Any,
    /,
    *,
    std0: float = 1.0,
    std1: float = 1.0,
    std2: float = 1.0,
    std3: float = 1.0,
    clip: float = -1.0,
    format: Literal["center", "corner"] = "center",
) -> Any:
    """Return boxes as corners, from their encoding relative to anchors; `format` is that of the anchors."""
    own = centers(xp, anchors) if format == "corner" else anchors
    place = data[..., :2] * xp.asarray([std0, std1], data.dtype) * own[..., 2:] + own[..., :2]
    growth = data[..., 2:] * xp.asarray([std2, std3], data.dtype)
    halves = xp.exp(xp.minimum(growth, clip) if clip > 0 else growth) * own[..., 2:] / 2
    return xp.concatenate([place - halves, place + halves], axis=-1)
