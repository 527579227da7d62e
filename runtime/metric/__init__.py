"""``mx.metric``: how good predictions are, accumulated over batches."""

from __future__ import annotations

from hybridlint.runtime.metric.base import (
    CompositeEvalMetric,
    CustomMetric,
    EvalMetric,
    check_label_shapes,
    create,
    np,
    register,
)
from hybridlint.runtime.metric.classification import F1, MCC, Accuracy, TopKAccuracy
from hybridlint.runtime.metric.likelihood import CrossEntropy, Loss, NegativeLogLikelihood, Perplexity
from hybridlint.runtime.metric.regression import MAE, MSE, RMSE, PearsonCorrelation
