"""Modules that projects import: those that cannot be had fail in one sentence, where they are called."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import gluon
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.gluon.contrib.estimator import CheckpointHandler, EarlyStoppingHandler, Estimator
from hybridlint.runtime.gluon.data import ArrayDataset, DataLoader, vision

MODULES = """contrib contrib.amp contrib.amp.amp contrib.autograd contrib.io contrib.ndarray contrib.onnx
contrib.quantization contrib.symbol contrib.tensorboard contrib.text contrib.text.embedding error executor_manager
gluon.contrib.data gluon.contrib.data.text gluon.contrib.estimator gluon.contrib.estimator.event_handler gluon.data
gluon.data.dataloader gluon.data.dataset gluon.data.sampler gluon.data.vision.datasets gluon.data.vision.transforms
gluon.model_zoo.model_store gluon.model_zoo.vision.resnet image.detection image.image io.io libinfo library log misc
ndarray.utils numpy.fallback numpy.fallback_linalg numpy.function_base numpy.stride_tricks numpy.utils
numpy_dispatch_protocol optimizer.optimizer recordio registry rtc visualization"""


@pytest.mark.parametrize("name", MODULES.split())
def test_it_can_be_imported(name: str) -> None:
    importlib.import_module(f"hybridlint.runtime.{name}")


@pytest.mark.parametrize(
    "call",
    [
        lambda: mx.contrib.amp.init("bfloat16"),
        lambda: mx.rtc.CudaModule("source"),
        lambda: mx.library.load("x.so"),
        mx.executor_manager.DataParallelExecutorManager,
        lambda: mx.io.ImageRecordIter(path_imgrec="x", data_shape=(3, 2, 2), batch_size=1, max_rotate_angle=10),
    ],
)
def test_what_cannot_be_had_says_so_at_use(call: Any) -> None:
    with pytest.raises(NotImplementedError, match=r"^\w[^\n]+$"):
        call()


@pytest.mark.parametrize("function", ["find_lib_path", "find_include_path", "find_conf_path"])
def test_there_is_no_native_library(function: str) -> None:
    with pytest.raises(RuntimeError, match="written in Python"):
        getattr(mx.libinfo, function)()


def test_a_data_set_that_cannot_be_downloaded_says_what_to_do(monkeypatch: Any, tmp_path: Path) -> None:
    def refuse(*args: Any, **kwargs: Any) -> str:
        raise OSError("no network")

    monkeypatch.setattr("hybridlint.runtime.gluon.data.dataset.download", refuse)
    with pytest.raises(OSError, match=r"MNIST needs train-images-idx3-ubyte.gz, .* put it into"):
        vision.MNIST(str(tmp_path))
    monkeypatch.setattr("hybridlint.runtime.gluon.model_zoo.model_store.download", refuse)
    with pytest.raises(
        OSError, match=r"the weights of resnet18_v1 could not be downloaded .* put resnet18_v1-a0666292"
    ):
        gluon.model_zoo.vision.resnet18_v1(pretrained=True, root=str(tmp_path))


def test_images_of_a_folder(tmp_path: Path) -> None:
    pillow = pytest.importorskip("PIL.Image")
    pixels = np.arange(4 * 5 * 3, dtype=np.uint8).reshape(4, 5, 3)
    for kind in ("cat", "dog"):
        (tmp_path / kind).mkdir()
        pillow.fromarray(pixels).save(tmp_path / kind / "one.png")
    dataset = vision.ImageFolderDataset(str(tmp_path))
    image, label = dataset[1]
    assert (dataset.synsets, label, image.dtype) == (["cat", "dog"], 1, np.uint8)
    np.testing.assert_array_equal(image.asnumpy(), pixels)
    assert mx.image.imread(str(tmp_path / "cat" / "one.png"), flag=0).shape == (4, 5, 1)
    record = mx.recordio.pack_img(mx.recordio.IRHeader(0, 3.0, 1, 0), pixels, quality=3, img_fmt=".png")
    np.testing.assert_array_equal(mx.recordio.unpack_img(record)[1], pixels)


def test_what_is_no_image_is_an_error() -> None:
    with pytest.raises((MXNetError, ImportError)):
        mx.image.imdecode(b"no image")


def test_graphs_are_drawn_by_graphviz_or_not_at_all() -> None:
    symbol = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="dense")
    try:
        drawing = mx.viz.plot_network(symbol, shape={"data": (1, 3)})
    except ImportError as error:
        assert "install it" in str(error)  # noqa: PT017
    else:
        assert "dense -> data" in drawing.source


def _estimator() -> tuple[Estimator, DataLoader]:
    net = gluon.nn.Dense(2, in_units=3)
    net.initialize(mx.init.Constant(0.1))
    loader = DataLoader(ArrayDataset(mx.nd.ones((6, 3)), mx.nd.array([0, 1, 0, 1, 0, 1])), 2)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.0})
    estimator = Estimator(
        net, gluon.loss.SoftmaxCrossEntropyLoss(), train_metrics=mx.metric.Accuracy(), trainer=trainer
    )
    estimator.logger.handlers.clear()
    return estimator, loader


def test_an_estimator_trains_validates_and_stops_early() -> None:
    estimator, loader = _estimator()
    stopping = EarlyStoppingHandler(estimator.val_metrics[0], patience=1, mode="max")
    estimator.fit(loader, val_data=loader, epochs=9, event_handlers=stopping)
    assert stopping.stopped_epoch == 1
    assert [metric.get() for metric in estimator.val_metrics] == [("validation accuracy", 0.5)]
    with pytest.raises(ValueError, match="one and only one"):
        estimator.fit(loader)


def test_an_estimator_goes_on_from_its_checkpoints(tmp_path: Path) -> None:
    estimator, loader = _estimator()
    estimator.fit(loader, epochs=3, event_handlers=CheckpointHandler(str(tmp_path), max_checkpoints=2))
    names = [f"model-epoch{epoch}batch{batch}" for epoch, batch in ((1, 6), (2, 9))]
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"{n}.{s}" for n in names for s in ("params", "states")]
    again, loader = _estimator()
    again.fit(loader, epochs=5, event_handlers=CheckpointHandler(str(tmp_path), resume_from_checkpoint=True))
    assert (tmp_path / "model-epoch4batch15.params").exists()


def test_a_registry_makes_instances_by_name() -> None:
    class Thing:
        size = 1

    register = mx.registry.get_register_func(Thing, "thing")
    create = mx.registry.get_create_func(Thing, "thing")

    @mx.registry.get_alias_func(Thing, "thing")("big", "large")
    class Big(Thing):
        def __init__(self, size: int = 9) -> None:
            self.size = size

    assert [create(x).size for x in ("BIG", '["large", {"size": 5}]', {"thing": "big", "size": 7})] == [9, 5, 7]
    assert set(mx.registry.get_registry(Thing)) == {"big", "large"}
    with pytest.raises(AssertionError, match="subclass of Thing"):
        register(int)
    with pytest.raises(AssertionError, match="not registered"):
        create("small")


def test_objects_of_the_profiler_are_there() -> None:
    domain = mx.profiler.Domain("training")
    counter = domain.new_counter("steps", 5)
    counter += 2
    counter.decrement()
    task = domain.new_task("epoch")
    task.start()
    task.stop()
    domain.new_marker("now").mark()
    assert [str(x) for x in (domain, counter, task)] == ["training", "steps", "epoch"]


def test_what_later_versions_have_is_not_there() -> None:
    assert not hasattr(mx.gluon.data, "batchify")
