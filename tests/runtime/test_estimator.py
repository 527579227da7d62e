"""The training loop of gluon.contrib: who is called when, what is refused, and which files are left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hybridlint import runtime as mx
from hybridlint.runtime import gluon
from hybridlint.runtime.gluon.contrib.estimator import (
    BatchBegin,
    BatchProcessor,
    CheckpointHandler,
    EpochBegin,
    Estimator,
    GradientUpdateHandler,
    LoggingHandler,
    MetricHandler,
)
from hybridlint.runtime.gluon.data import ArrayDataset, DataLoader


def _estimator(**kwargs: Any) -> Estimator:
    net = gluon.nn.Dense(2, in_units=3)
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.0})
    estimator = Estimator(net, gluon.loss.SoftmaxCrossEntropyLoss(), trainer=trainer, **kwargs)
    estimator.logger.handlers.clear()
    return estimator


def _loader() -> DataLoader:
    """Return two batches."""
    return DataLoader(ArrayDataset(mx.nd.ones((4, 3)), mx.nd.zeros((4,))), 2)


class _Watcher(EpochBegin):
    """A handler with a metric of its own."""

    def __init__(self, metric: Any) -> None:
        self.my_metric = metric


def _kinds(handlers: list[Any]) -> list[str]:
    return [type(handler).__name__ for handler in handlers]


def test_each_metric_is_named_for_where_it_measures() -> None:
    metric = mx.metric.Accuracy(name="training x")
    given = [mx.metric.RMSE(name="training r"), mx.metric.RMSE(name="validation r"), mx.metric.RMSE(name="r")]
    estimator = _estimator(train_metrics=metric, val_metrics=given)
    assert metric.name == "training training x"
    names = ["validation r", "validation validation r", "validation r"]
    assert [metric.name for metric in estimator.val_metrics] == names


def test_handlers_that_every_training_has_are_added_in_order() -> None:
    estimator = _estimator()
    watcher = _Watcher(estimator.train_metrics[0])
    assert _kinds(estimator._prepare_default_handlers(_loader(), [watcher])) == [
        *("GradientUpdateHandler", "MetricHandler", "ValidationHandler"),
        *("_Watcher", "StoppingHandler", "LoggingHandler"),
    ]
    watcher = _Watcher(estimator.val_metrics)
    added = ["MetricHandler", "_Watcher", "LoggingHandler"]
    assert _kinds(estimator._prepare_default_validation_handlers([watcher])) == added


def test_handlers_are_sorted_by_moment() -> None:
    class Both(EpochBegin, BatchBegin):
        """A handler of two moments."""

    watcher, both = _Watcher(None), Both()
    moments = _estimator()._categorize_handlers([watcher, both])
    assert [len(handlers) for handlers in moments] == [0, 2, 1, 0, 0, 0]


@pytest.mark.parametrize("held", ["one", "several"])
def test_a_metric_that_nobody_updates_is_refused(held: str) -> None:
    estimator, foreign = _estimator(), mx.metric.Accuracy()
    with pytest.raises(ValueError, match=r"_Watcher refers to a metric instance .*accuracy"):
        estimator.fit(_loader(), epochs=1, event_handlers=_Watcher(foreign if held == "one" else [foreign]))
    handlers = [MetricHandler(foreign), LoggingHandler(metrics=foreign)]
    estimator.evaluate(_loader(), event_handlers=handlers)
    assert foreign.num_inst == 4


def test_what_is_given_is_checked() -> None:
    with pytest.raises(AssertionError, match=r"gpu\(99\) is not available"):
        _estimator(context=[mx.gpu(99)])
    with pytest.raises(ValueError, match="must contain fit_batch"):
        _estimator(batch_processor=3)
    assert _estimator(context=[]).context == [mx.cpu()]
    data, label = _estimator(batch_processor=BatchProcessor())._get_data_and_label(
        [mx.nd.ones((4, 3)), mx.nd.zeros((4,))], [mx.cpu(0), mx.cpu(1)]
    )
    assert [x.shape for x in (*data, *label)] == [(2, 3), (2, 3), (2,), (2,)]


def _train(handler: CheckpointHandler, length: str, number: int) -> None:
    how_long: dict[str, Any] = {length: number}
    _estimator().fit(_loader(), event_handlers=handler, **how_long)


def _names(folder: Path) -> list[str]:
    return sorted(path.stem.removeprefix("model-") for path in folder.glob("*.params"))


@pytest.mark.parametrize(
    ("length", "period", "files"),
    [
        ("epochs", {}, ("epoch3batch8", "epoch5batch12")),
        ("batches", {"epoch_period": None, "batch_period": 1}, ("epoch1batch3", "epoch2batch5")),
    ],
)
def test_resumed_training_leaves_what_was_saved_before(
    tmp_path: Path, length: str, period: dict[str, Any], files: tuple[str, str]
) -> None:
    first = CheckpointHandler(str(tmp_path), max_checkpoints=1, **period)
    _train(first, length, 4)
    assert _names(tmp_path) == [files[0]]
    again = CheckpointHandler(str(tmp_path), max_checkpoints=1, resume_from_checkpoint=True, **period)
    _train(again, length, 6)
    assert _names(tmp_path) == list(files)


def test_training_by_batches_is_not_resumed_from_files_of_epochs(tmp_path: Path) -> None:
    handler = CheckpointHandler(str(tmp_path), resume_from_checkpoint=True)
    with pytest.raises(AssertionError, match="same type of period"):
        _estimator().fit(_loader(), batches=3, event_handlers=handler)


def test_a_step_counts_the_samples_of_the_loss_whatever_the_batch_axis(monkeypatch: pytest.MonkeyPatch) -> None:
    estimator, sizes = _estimator(), list[int]()
    estimator.batch_axis = 1
    monkeypatch.setattr(estimator.trainer, "step", sizes.append)
    GradientUpdateHandler().batch_end(estimator, loss=[mx.nd.ones(4), mx.nd.ones(3)])
    assert sizes == [7]
