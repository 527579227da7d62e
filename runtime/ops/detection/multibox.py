"""Anchors of single-shot detectors: their positions, training targets, and decoding of predictions."""

from __future__ import annotations

import math
from typing import Any

from hybridlint.runtime.facts.dims import Dim
from hybridlint.runtime.facts.registry import Facts, op, sample, zero_gradient
from hybridlint.runtime.facts.types import Floats, TensorType, unknown_shape
from hybridlint.runtime.ops.detection.boxes import centers, overlap, suppressed
from hybridlint.runtime.ops.type_rules import one_dtype, require_equal, require_rank


def _infer_prior(data: TensorType, *, sizes: Floats, ratios: Floats) -> TensorType:
    require_rank(data, [4])
    height, width = (data.shape or unknown_shape(4))[2:]
    return data.with_shape((1, height * width * (len(sizes) + len(ratios) - 1), 4))


@op(
    name="_contrib_MultiBoxPrior",
    infer=_infer_prior,
    grad=zero_gradient,
    samples=[
        sample((1, 3, 1, 2), sizes=(0.5, 0.25), ratios=(1.0, 2.0)),
        sample((1, 3, 2, 1), sizes=(0.9,), ratios=(2.0, 0.5), clip=True, steps=(0.3, 0.4), offsets=(0.2, 0.7)),
    ],
)
def multibox_prior(
    xp: Any,
    data: Any,
    /,
    *,
    sizes: Floats = (1.0,),
    ratios: Floats = (1.0,),
    clip: bool = False,
    steps: Floats = (-1.0, -1.0),
    offsets: Floats = (0.5, 0.5),
) -> Any:
    """Return the anchors at each position of (N, C, H, W), as corners in fractions of the image.

    The shape is (1, anchors, 4). At each position there is one anchor for each size with the first ratio, then one for
    each further ratio with the first size. `steps` and `offsets` are (y, x).
    """
    height, width = data.shape[2:]
    step_y, step_x = (1 / n if s <= 0 else s for s, n in zip(steps, (height, width), strict=True))
    shapes = [(size, ratios[0]) for size in sizes] + [(sizes[0], ratio) for ratio in ratios[1:]]
    halves = xp.asarray([(s * height / width * math.sqrt(r) / 2, s / math.sqrt(r) / 2) for s, r in shapes]).T
    y, x = (xp.arange(height) + offsets[0]) * step_y, (xp.arange(width) + offsets[1]) * step_x
    result = xp.empty((height, width, len(shapes), 4), data.dtype)
    for column, sign in ((0, -1), (2, 1)):
        for axis, edges in enumerate((x[:, None] + sign * halves[0], (y[:, None] + sign * halves[1])[:, None])):
            result[..., column + axis] = xp.clip(edges, 0, 1) if clip else edges
    return result.reshape(1, -1, 4)


def _infer_target(anchor: TensorType, label: TensorType, cls_pred: TensorType) -> tuple[TensorType, ...]:
    for name, t in (("anchor", anchor), ("label", label), ("cls_pred", cls_pred)):
        require_rank(t, [3], name)
    dtype = one_dtype(anchor, label, cls_pred, argument="label")
    count = Dim.fresh() if anchor.shape is None else anchor.shape[1]
    batch = Dim.fresh() if label.shape is None else label.shape[0]
    if cls_pred.shape is not None:
        require_equal(count, cls_pred.shape[2], "cls_pred", "number of anchors")
    boxes = TensorType((batch, count * 4), dtype)
    return boxes, boxes, TensorType((batch, count), dtype)


def _assign(xp: Any, overlaps: Any, threshold: float) -> tuple[Any, Any]:
    """Return the index of the object assigned to each anchor (-1: none), and each anchor's largest overlap.

    `overlaps` are (anchors, objects). First each object gets its best anchor; then each remaining anchor gets its best
    object if their overlap is above the threshold.
    """
    owners = xp.full(overlaps.shape[0], -1)
    left = overlaps.copy()
    for _ in range(overlaps.shape[1]):
        place = int(left.argmax())
        row, column = divmod(place, overlaps.shape[1])
        if left[row, column] <= 1e-6:
            break
        owners[row] = column
        left[row], left[:, column] = -1, -1
    best = overlaps.max(axis=1)
    return xp.where((owners < 0) & (best > threshold), overlaps.argmax(axis=1), owners), best


def _hard_negatives(xp: Any, scores: Any, candidates: Any, count: int) -> Any:
    """Return a boolean array of the `count` candidates with the least probable background.

    `scores` are (classes, anchors), with the background as class 0.
    """
    shifted = xp.exp(scores - scores.max(axis=0, keepdims=True))
    background = shifted[0] / shifted.sum(axis=0)
    order = xp.argsort(background, kind="stable")
    chosen = xp.zeros(len(background), bool)
    chosen[order[candidates[order]][:count]] = True
    return chosen


@op(
    name="_contrib_MultiBoxTarget",
    facts=Facts(output_names=("loc_target", "loc_mask", "cls_target")),
    infer=_infer_target,
    grad=zero_gradient,
    outputs=3,
    samples=[
        sample((1, 4, 4), (2, 2, 5), (2, 3, 4), low=0.0, high=1.0),
        sample((1, 4, 4), (1, 2, 5), (1, 3, 4), low=0.0, high=1.0, negative_mining_ratio=1.0),
    ],
)
def multibox_target(
    xp: Any,
    anchor: Any,
    label: Any,
    cls_pred: Any,
    /,
    *,
    overlap_threshold: float = 0.5,
    ignore_label: float = -1.0,
    negative_mining_ratio: float = -1.0,
    negative_mining_thresh: float = 0.5,
    minimum_negative_samples: int = 0,
    variances: Floats = (0.1, 0.1, 0.2, 0.2),
) -> tuple[Any, Any, Any]:
    """Return the box targets, box masks and class targets (0: background) of each anchor, for training.

    Labels are (class, x1, y1, x2, y2), with class -1 for padding. With `negative_mining_ratio`, only the negatives with
    the least probable background count; the others get `ignore_label`.
    """
    batch, count = label.shape[0], anchor.shape[1]
    boxes, masks = xp.zeros((batch, count, 4), anchor.dtype), xp.zeros((batch, count, 4), anchor.dtype)
    classes = xp.full((batch, count), ignore_label, anchor.dtype)
    for k in range(batch):
        padding = label[k, :, 0] == -1
        objects = label[k, : int(padding.argmax()) if bool(padding.any()) else None]
        if not len(objects):
            continue
        owners, best = _assign(xp, overlap(xp, anchor[0, :, None], objects[None, :, 1:5]), overlap_threshold)
        positive = owners >= 0
        negative = ~positive
        if negative_mining_ratio > 0:
            wanted = max(int(positive.sum() * negative_mining_ratio), minimum_negative_samples)
            candidates = negative & (best < negative_mining_thresh)
            negative = _hard_negatives(xp, cls_pred[k], candidates, min(wanted, count - int(positive.sum())))
        matched = objects[owners[positive].astype("int64")]
        boxes[k, positive] = _relative(xp, matched[:, 1:5], anchor[0, positive], variances)
        masks[k, positive] = 1
        classes[k, negative] = 0
        classes[k, positive] = matched[:, 0] + 1
    return boxes.reshape(batch, -1), masks.reshape(batch, -1), classes


def _relative(xp: Any, boxes: Any, anchors: Any, variances: Floats) -> Any:
    """Return boxes, given as corners, encoded relative to anchors."""
    box, own = centers(xp, boxes), centers(xp, anchors)
    moved, scaled = (box[:, :2] - own[:, :2]) / own[:, 2:], xp.log(box[:, 2:] / own[:, 2:])
    return xp.concatenate([moved, scaled], axis=1) / xp.asarray(variances)


def _infer_detection(cls_prob: TensorType, loc_pred: TensorType, anchor: TensorType) -> TensorType:
    require_rank(cls_prob, [3], "cls_prob")
    require_rank(loc_pred, [2], "loc_pred")
    require_rank(anchor, [3], "anchor")
    batch, _, count = cls_prob.shape or unknown_shape(3)
    if anchor.shape is not None:
        require_equal(count, anchor.shape[1], "anchor", "number of anchors")
    if loc_pred.shape is not None:
        require_equal(count * 4, loc_pred.shape[1], "loc_pred", "numbers of an example")
    return TensorType((batch, count, 6), one_dtype(cls_prob, loc_pred, anchor, argument="loc_pred"))


@op(
    name="_contrib_MultiBoxDetection",
    infer=_infer_detection,
    grad=zero_gradient,
    samples=[
        sample((1, 3, 4), (1, 16), (1, 4, 4), low=0.0, high=1.0),
        sample((2, 3, 4), (2, 16), (1, 4, 4), low=0.0, high=1.0, threshold=0.5, nms_threshold=0.2, clip=False),
        sample((1, 3, 5), (1, 20), (1, 5, 4), low=0.0, high=1.0, force_suppress=True, nms_threshold=0.1),
    ],
)
def multibox_detection(
    xp: Any,
    cls_prob: Any,
    loc_pred: Any,
    anchor: Any,
    /,
    *,
    clip: bool = True,
    threshold: float = 0.00999999978,
    background_id: int = 0,
    nms_threshold: float = 0.5,
    force_suppress: bool = False,
    variances: Floats = (0.1, 0.1, 0.2, 0.2),
    nms_topk: int = -1,
) -> Any:
    """Return (class, score, x1, y1, x2, y2) for each anchor, sorted by score; suppressed boxes have class -1.

    Class 0 of `cls_prob` is the background, and 0 is the first class in the result. Rows without a score of at least
    `threshold` come last and hold -1.
    """
    if background_id != 0:
        raise ValueError(f"_contrib_MultiBoxDetection with background_id {background_id} is not supported")
    result = xp.full((*cls_prob.shape[::2], 6), -1, cls_prob.dtype)
    # Numbers of boxes stand in lines: numpy takes ten times as long where they lie apart.
    own = xp.ascontiguousarray(centers(xp, anchor[0]).T)
    shares = xp.asarray(variances, cls_prob.dtype)[:, None]
    for k in range(cls_prob.shape[0]):
        moves = xp.ascontiguousarray(loc_pred[k].reshape(-1, 4).T) * shares
        halves = xp.exp(moves[2:]) * own[2:] / 2
        middles = moves[:2] * own[2:] + own[:2]
        boxes = xp.concatenate([middles - halves, middles + halves])
        boxes = xp.clip(boxes, 0, 1) if clip else boxes
        scores, classes = cls_prob[k, 1:].max(axis=0), cls_prob[k, 1:].argmax(axis=0)
        order = xp.argsort(-scores, kind="stable")
        order = order[scores[order] >= threshold]
        rows = xp.take(xp.concatenate([classes[None].astype(scores.dtype), scores[None], boxes]), order, axis=1).T
        _suppress(xp, rows, nms_threshold, nms_topk, force_suppress)
        result[k, : len(order)] = rows
    return result


def _suppress(xp: Any, rows: Any, threshold: float, topk: int, force: bool) -> None:
    """Set the class to -1 in rows that overlap a better row, or come after the first `topk`.

    The rows are sorted by score.
    """
    if not 0 < threshold <= 1:
        return
    if 0 < topk < len(rows):
        rows[topk:] = -1
    best = rows[:topk] if topk > 0 else rows
    best[suppressed(xp, best[:, 2:6], None if force else best[:, 0], threshold), 0] = -1
