"""Region proposals: anchors shifted and scaled by a region proposal network, reduced to the best without overlap."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from hybridlint.runtime.facts.dims import Dim
from hybridlint.runtime.facts.registry import Facts, op, sample, zero_gradient
from hybridlint.runtime.facts.types import Floats, InferError, TensorType
from hybridlint.runtime.ops.detection.boxes import suppressed
from hybridlint.runtime.ops.type_rules import one_dtype, require_equal, require_rank


@dataclass(frozen=True, eq=False, slots=True)
class _Settings:
    """The parameters of a proposal."""

    before: int
    after: int
    threshold: float
    least: int
    scales: Floats
    ratios: Floats
    stride: int
    by_corners: bool


def _infer(
    cls_prob: TensorType,
    bbox_pred: TensorType,
    im_info: TensorType,
    *,
    rpn_post_nms_top_n: int,
    scales: Floats,
    ratios: Floats,
) -> tuple[TensorType, TensorType]:
    require_rank(cls_prob, [4], "cls_prob")
    require_rank(bbox_pred, [4], "bbox_pred")
    require_rank(im_info, [2], "im_info")
    dtype = one_dtype(cls_prob, bbox_pred, im_info, argument="bbox_pred")
    anchors = len(scales) * len(ratios)
    batch = Dim.fresh() if cls_prob.shape is None else cls_prob.shape[0]
    for name, t, each in (("cls_prob", cls_prob, 2), ("bbox_pred", bbox_pred, 4)):
        if t.shape is not None:
            require_equal(anchors * each, t.shape[1], name, "channels")
    if im_info.shape is not None:
        require_equal(3, im_info.shape[1], "im_info", "numbers of an image")
    count = batch * rpn_post_nms_top_n
    return TensorType((count, 5), dtype), TensorType((count, 1), dtype)


def _infer_one(
    cls_prob: TensorType,
    bbox_pred: TensorType,
    im_info: TensorType,
    *,
    rpn_post_nms_top_n: int,
    scales: Floats,
    ratios: Floats,
) -> tuple[TensorType, TensorType]:
    if cls_prob.shape is not None and isinstance(cls_prob.shape[0], int) and cls_prob.shape[0] != 1:
        raise InferError("cls_prob", f"expected one image, got {cls_prob.shape[0]}; MultiProposal takes several")
    numbers: dict[str, Any] = {"rpn_post_nms_top_n": rpn_post_nms_top_n, "scales": scales, "ratios": ratios}
    rois, scores = _infer(cls_prob, bbox_pred, im_info, **numbers)
    return rois.with_shape((rpn_post_nms_top_n, 5)), scores.with_shape((rpn_post_nms_top_n, 1))


def _anchors(settings: _Settings) -> list[list[float]]:
    """Return the anchors at the first position, as corners: one for each ratio and scale."""
    side = settings.stride
    middle = (side - 1) / 2
    result = []
    for ratio in settings.ratios:
        width = math.floor(math.sqrt(math.floor(side * side / ratio)) + 0.5)
        height = math.floor(width * ratio + 0.5)
        for scale in settings.scales:
            across, down = (width * scale - 1) / 2, (height * scale - 1) / 2
            result.append([middle - across, middle - down, middle + across, middle + down])
    return result


def _moved(xp: Any, boxes: Any, deltas: Any, by_corners: bool) -> Any:
    """Return boxes, given as corners, after applying the network's deltas: to the corners, or to centres and sizes."""
    if by_corners:
        return boxes + deltas
    sizes = boxes[:, 2:] - boxes[:, :2] + 1
    middles = boxes[:, :2] + (sizes - 1) / 2 + deltas[:, :2] * sizes
    halves = (xp.exp(deltas[:, 2:]) * sizes - 1) / 2
    return xp.concatenate([middles - halves, middles + halves], axis=1)


def _candidates(xp: Any, scores: Any, deltas: Any, info: list[float], settings: _Settings) -> tuple[Any, Any]:
    """Return the boxes and scores of all positions of an image; small boxes and padding score -1."""
    anchors, rows, columns = scores.shape
    y, x, first = xp.meshgrid(xp.arange(rows), xp.arange(columns), xp.arange(anchors), indexing="ij")
    base = xp.asarray(_anchors(settings), "float32")[first.reshape(-1)]
    shift = xp.stack([x, y, x, y], axis=-1).reshape(-1, 4) * settings.stride
    answers = xp.moveaxis(deltas.reshape(anchors, 4, rows, columns), (0, 1), (2, 3)).reshape(-1, 4)
    boxes = _moved(xp, (base + shift).astype("float32"), answers, settings.by_corners)
    height, width, scale = info
    boxes = xp.clip(boxes, 0, xp.asarray([width - 1, height - 1, width - 1, height - 1], "float32"))
    values = xp.moveaxis(scores, 0, 2).reshape(-1).copy()
    beyond = (y >= int(height / settings.stride)) | (x >= int(width / settings.stride))
    least = settings.least * scale
    small = ((boxes[:, 2:] - boxes[:, :2] + 1) < least).any(axis=1)
    margin = xp.asarray([-least / 2, -least / 2, least / 2, least / 2], "float32")
    boxes = xp.where(small[:, None], boxes + margin, boxes)
    values[beyond.reshape(-1) | small] = -1
    return boxes, values


def _best(xp: Any, boxes: Any, settings: _Settings) -> list[int]:
    """Return the indices of boxes, sorted by score, that remain after non-maximum suppression."""
    gone = suppressed(xp, boxes, None, settings.threshold, last=1, most=settings.after)
    kept: list[int] = xp.flatnonzero(~gone)[: settings.after].tolist()
    return kept


def _propose(xp: Any, cls_prob: Any, bbox_pred: Any, im_info: Any, settings: _Settings) -> tuple[Any, Any]:
    rois, scores = [], []
    for k in range(len(cls_prob)):
        half = cls_prob.shape[1] // 2
        boxes, values = _candidates(xp, cls_prob[k, half:], bbox_pred[k], im_info[k].tolist(), settings)
        before = settings.before if settings.before > 0 else len(values)
        order = xp.argsort(-values, kind="stable")[:before]
        kept = _best(xp, boxes[order], settings)
        filled = order[[kept[i % len(kept)] for i in range(settings.after)]]
        numbers = xp.full((len(filled), 1), k)
        rois.append(xp.concatenate([numbers, boxes[filled]], axis=1))
        scores.append(values[filled][:, None])
    return xp.concatenate(rois).astype(cls_prob.dtype), xp.concatenate(scores).astype(cls_prob.dtype)


_SMALL: dict[str, Any] = {
    "rpn_post_nms_top_n": 4,
    "rpn_min_size": 1,
    "scales": (1.0, 2.0),
    "ratios": (0.5, 1.0),
    "feature_stride": 2,
    "low": 1.5,
    "high": 6.0,
}


@op(
    name="_contrib_Proposal",
    facts=Facts(output_names=("output", "score")),
    infer=_infer_one,
    outputs=2,
    visible=lambda *, output_score: 2 if output_score else 1,
    grad=zero_gradient,
    samples=[
        sample((1, 8, 3, 3), (1, 16, 3, 3), (1, 3), output_score=True, **_SMALL),
        sample((1, 8, 3, 2), (1, 16, 3, 2), (1, 3), iou_loss=True, threshold=0.5, **_SMALL),
    ],
)
def proposal(
    xp: Any,
    cls_prob: Any,
    bbox_pred: Any,
    im_info: Any,
    /,
    *,
    rpn_pre_nms_top_n: int = 6000,
    rpn_post_nms_top_n: int = 300,
    threshold: float = 0.699999988,
    rpn_min_size: int = 16,
    scales: Floats = (4.0, 8.0, 16.0, 32.0),
    ratios: Floats = (0.5, 1.0, 2.0),
    feature_stride: int = 16,
    output_score: bool = False,
    iou_loss: bool = False,
) -> tuple[Any, Any]:
    """Return the best regions (batch index, x1, y1, x2, y2) of one image, repeated if there are too few.

    `cls_prob` (1, 2 * anchors, rows, columns) holds the probabilities of background and foreground, `bbox_pred` the
    deltas of the anchors, `im_info` (height, width, scale). The second output holds the scores.
    """
    settings = _Settings(
        rpn_pre_nms_top_n, rpn_post_nms_top_n, threshold, rpn_min_size, scales, ratios, feature_stride, iou_loss
    )
    return _propose(xp, cls_prob, bbox_pred, im_info, settings)


@op(
    name="_contrib_MultiProposal",
    facts=Facts(output_names=("output", "score")),
    infer=_infer,
    outputs=2,
    visible=lambda *, output_score: 2 if output_score else 1,
    grad=zero_gradient,
    samples=[sample((2, 8, 3, 3), (2, 16, 3, 3), (2, 3), output_score=True, **_SMALL)],
)
def multi_proposal(
    xp: Any,
    cls_prob: Any,
    bbox_pred: Any,
    im_info: Any,
    /,
    *,
    rpn_pre_nms_top_n: int = 6000,
    rpn_post_nms_top_n: int = 300,
    threshold: float = 0.699999988,
    rpn_min_size: int = 16,
    scales: Floats = (4.0, 8.0, 16.0, 32.0),
    ratios: Floats = (0.5, 1.0, 2.0),
    feature_stride: int = 16,
    output_score: bool = False,
    iou_loss: bool = False,
) -> tuple[Any, Any]:
    """Return the best regions of each image of a batch; see Proposal."""
    settings = _Settings(
        rpn_pre_nms_top_n, rpn_post_nms_top_n, threshold, rpn_min_size, scales, ratios, feature_stride, iou_loss
    )
    return _propose(xp, cls_prob, bbox_pred, im_info, settings)
