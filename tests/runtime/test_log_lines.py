"""What training logs is what MXNet 1.9.1 logs, line by line: programs are compared by what they print."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx


def _network() -> Any:
    return mx.sym.SoftmaxOutput(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc"), name="softmax")


def _batches() -> Any:
    return mx.io.NDArrayIter(np.ones((4, 3), "float32"), np.zeros(4, "float32"), 2)


@pytest.fixture(name="lines")
def _lines(caplog: pytest.LogCaptureFixture) -> Any:
    caplog.set_level(logging.INFO)
    return lambda: [message.split(" Time cost")[0] for message in caplog.messages]


def test_a_factor_scheduler_tells_each_change_and_the_end(lines: Any) -> None:
    scheduler = mx.lr_scheduler.FactorScheduler(10, 0.1, 1e-3, 0.5)
    assert [scheduler(update) for update in (1, 11, 25)] == [0.5, 0.05, pytest.approx(0.005)]
    scheduler(31)
    assert lines() == [
        "Update[11]: Change learning rate to 5.00000e-02",
        "Update[25]: Change learning rate to 5.00000e-03",
        "Update[31]: now learning rate arrived at 1.00000e-03, will not change in the future",
    ]


def test_a_scheduler_of_several_steps_tells_each(lines: Any) -> None:
    scheduler = mx.lr_scheduler.MultiFactorScheduler([5, 9], 0.5, 1.0)
    assert scheduler(10) == 0.25
    assert lines() == [
        "Update[10]: Change learning rate to 5.00000e-01",
        "Update[10]: Change learning rate to 2.50000e-01",
    ]


def test_checkpoints_tell_their_files(tmp_path: Path, lines: Any) -> None:
    module, prefix = mx.mod.Module(_network()), str(tmp_path / "m")
    module.fit(_batches(), num_epoch=1, epoch_end_callback=mx.callback.do_checkpoint(prefix))
    module.save_checkpoint(prefix, 5, save_optimizer_states=True)
    assert lines()[-3:] == [
        f'Saved checkpoint to "{prefix}-0001.params"',
        f'Saved checkpoint to "{prefix}-0005.params"',
        f'Saved optimizer state to "{prefix}-0005.states"',
    ]


@pytest.mark.parametrize(("size", "resets"), [(None, True), (1, False)])
def test_a_fitted_model_tells_no_metric_of_its_batches(size: int | None, resets: bool, lines: Any) -> None:
    model = mx.model.FeedForward(_network(), ctx=mx.cpu(), num_epoch=1, epoch_size=size, learning_rate=0.1)
    counted: list[int] = []
    model.fit(_batches(), batch_end_callback=lambda told: counted.append(told.nbatch))
    assert lines() == [
        "Start training with [cpu(0)]",
        *(["Epoch[0] Resetting Data Iterator"] if resets else []),
        "Epoch[0]",
    ]
    assert len(counted) == (size or 2)


def test_a_monitor_tells_names_flush_left(lines: Any) -> None:
    module, monitor = mx.mod.Module(_network()), mx.mon.Monitor(1, pattern=".*weight")
    module.bind([("data", (2, 3))], [("softmax_label", (2,))])
    module.init_params(mx.init.One())
    module.install_monitor(monitor)
    monitor.tic()
    module.forward(next(_batches()), is_train=True)
    monitor.toc_print()
    assert lines() == ["Batch:       1 fc_weight                      1.0\t"]


def test_initializers_tell_what_they_fill(lines: Any) -> None:
    array = mx.nd.zeros(2)
    chosen = mx.init.Load({"arg:a_weight": mx.nd.ones(2)}, default_init=mx.init.One(), verbose=True)
    chosen("a_weight", array)
    chosen(mx.init.InitDesc("b_weight"), array)
    own = mx.init.One()
    own.set_verbosity(True)
    own(mx.init.InitDesc("c_weight"), array)
    assert lines() == [
        "Initialized a_weight by loading",
        "Initialized b_weight by default",
        "Initialized c_weight as weight: 1.0",
    ]


def test_augmenters_tell_fixed_ranges(lines: Any) -> None:
    mx.image.DetRandomCropAug(aspect_ratio_range=1.0, area_range=(0.1, 0.5))
    mx.image.DetRandomPadAug(aspect_ratio_range=(0.5, 1.0), area_range=2.0)
    assert lines() == [
        "Using fixed aspect ratio: 1.0 in DetRandomCropAug",
        "Using fixed area range: 2.0 in DetRandomPadAug",
    ]


def test_large_batches_are_told(lines: Any) -> None:
    mx.optimizer.LBSGD(warmup_epochs=2, batch_scale=4, updates_per_epoch=3)
    assert lines() == [
        "Running Large-Batch SGD Algorithm",
        "(Batch_scale=4.000000, warmup_epochs=2, warmup_strategy=linear, updates_per_epoch=3)",
    ]


def test_a_metric_whose_value_is_an_array_of_one_element_is_a_number(lines: Any) -> None:
    measure = mx.metric.create(lambda label, prediction: np.abs(label - prediction).sum(keepdims=True))
    measure.update([mx.nd.array([1.0, 2.0])], [mx.nd.array([1.0, 4.5])])
    told = mx.model.BatchEndParam(0, 0, measure, {})
    mx.callback.log_train_metric(1)(told)
    speedometer = mx.callback.Speedometer(2, 1)
    speedometer(told)
    speedometer(told)
    assert lines()[0].endswith("=2.500000")
    assert lines()[1].endswith("=2.500000")
