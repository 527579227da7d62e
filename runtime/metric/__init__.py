"""``mx.metric``: how good predictions are, accumulated over batches."""

from __future__ import annotations

from hybridlint.runtime.metric.base import (
    CompositeEvalMetric,
    CustomMetric,
    EvalMetric,
    alias,
    check_label_shapes,
    create,
    np,
    register,
)
from hybridlint.runtime.metric.classification import F1, MCC, Accuracy, TopKAccuracy
from hybridlint.runtime.metric.correlation import PCC, PearsonCorrelation
from hybridlint.runtime.metric.likelihood import Caffe, CrossEntropy, Loss, NegativeLogLikelihood, Perplexity, Torch
from hybridlint.runtime.metric.regression import MAE, MSE, RMSE
