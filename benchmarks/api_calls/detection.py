"""Operators on boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from api_calls.table import boxes, case, integers, normal, on

if TYPE_CHECKING:
    from api_calls.table import Call


@case("detect/box_nms")
def _nms(mx: Any) -> Call:
    scores = np.random.RandomState(1).uniform(size=(2, 1000, 2)).astype(np.float32)
    scores[..., 0] = np.floor(scores[..., 0] * 20)
    data = mx.nd.concat(mx.nd.array(scores), boxes(mx, 2000, 300).reshape((2, 1000, 4)), dim=2)
    return lambda: mx.nd.contrib.box_nms(data, overlap_thresh=0.5, topk=400, id_index=0, score_index=1, coord_start=2)


@case("detect/box_iou")
def _iou(mx: Any) -> Call:
    x, y = boxes(mx, 1000, 300), boxes(mx, 100, 300)
    return lambda: mx.nd.contrib.box_iou(x, y)


@case("detect/bipartite_matching")
def _matching(mx: Any) -> Call:
    x = mx.nd.contrib.box_iou(boxes(mx, 500, 300), boxes(mx, 20, 300))
    return lambda: mx.nd.contrib.bipartite_matching(x, threshold=0.1)


def _rois(mx: Any, count: int) -> Any:
    return mx.nd.concat(integers(mx, 2, count, 1), boxes(mx, count, 500), dim=1)


@case("detect/ROIAlign")
def _roi_align(mx: Any) -> Call:
    x, rois = normal(mx, 2, 64, 38, 50), _rois(mx, 128)
    return lambda: mx.nd.contrib.ROIAlign(x, rois, pooled_size=(7, 7), spatial_scale=1 / 16, sample_ratio=2)


@case("detect/ROIAlign-train")
def _roi_align_train(mx: Any) -> Call:
    x, rois = normal(mx, 2, 64, 38, 50), _rois(mx, 128)
    x.attach_grad()

    def call() -> None:
        with mx.autograd.record():
            y = mx.nd.contrib.ROIAlign(x, rois, pooled_size=(7, 7), spatial_scale=1 / 16, sample_ratio=2)
        y.backward()

    return call


@case("detect/ROIAlign-adaptive")
def _roi_align_adaptive(mx: Any) -> Call:
    x, rois = normal(mx, 2, 64, 38, 50), _rois(mx, 128)
    return lambda: mx.nd.contrib.ROIAlign(x, rois, pooled_size=(7, 7), spatial_scale=1 / 16)


@case("detect/ROIPooling")
def _roi_pooling(mx: Any) -> Call:
    x, rois = normal(mx, 2, 64, 38, 50), _rois(mx, 128)
    return lambda: mx.nd.ROIPooling(x, rois, pooled_size=(7, 7), spatial_scale=1 / 16)


@case("detect/ROIPooling-train")
def _roi_pooling_train(mx: Any) -> Call:
    x, rois = normal(mx, 2, 64, 38, 50), _rois(mx, 128)
    x.attach_grad()

    def call() -> None:
        with mx.autograd.record():
            y = mx.nd.ROIPooling(x, rois, pooled_size=(7, 7), spatial_scale=1 / 16)
        y.backward()

    return call


on(
    "detect/MultiBoxPrior",
    lambda nd, x: nd.contrib.MultiBoxPrior(x, sizes=(0.5, 0.25), ratios=(1, 2, 0.5)),
    (1, 3, 38, 38),
)


def _anchors(mx: Any) -> tuple[Any, Any, Any]:
    anchors = boxes(mx, 2000, 1).reshape((1, 2000, 4))
    labels = mx.nd.concat(integers(mx, 20, 4, 8, 1), boxes(mx, 32, 1).reshape((4, 8, 4)), dim=2)
    return anchors, labels, normal(mx, 4, 21, 2000)


@case("detect/MultiBoxTarget")
def _targets(mx: Any) -> Call:
    anchors, labels, scores = _anchors(mx)
    return lambda: mx.nd.contrib.MultiBoxTarget(anchors, labels, scores)


@case("detect/MultiBoxDetection")
def _detections(mx: Any) -> Call:
    anchors, _, scores = _anchors(mx)
    chances, moves = mx.nd.softmax(scores, axis=1), normal(mx, 4, 8000)
    return lambda: mx.nd.contrib.MultiBoxDetection(chances, moves, anchors, nms_topk=400)


@case("detect/Proposal")
def _proposal(mx: Any) -> Call:
    chances, moves = mx.nd.softmax(normal(mx, 1, 24, 38, 50), axis=1), normal(mx, 1, 48, 38, 50) * 0.1
    size = mx.nd.array([[600, 800, 1]])
    return lambda: mx.nd.contrib.Proposal(chances, moves, size, rpn_pre_nms_top_n=2000, rpn_post_nms_top_n=300)
