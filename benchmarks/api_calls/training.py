"""Recording, gradients, steps of optimizers, losses and metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from api_calls.table import CASES, case, integers, mlp, normal

if TYPE_CHECKING:
    from api_calls.table import Call


@case("train/record-tiny")
def _record(mx: Any) -> Call:
    x = normal(mx, 2, 3)
    x.attach_grad()

    def call() -> None:
        with mx.autograd.record():
            y = (x * x + 2 * x).sum()
        y.backward()

    return call


@case("train/record-long-chain")
def _record_chain(mx: Any) -> Call:
    x = normal(mx, 2, 3)
    x.attach_grad()

    def call() -> None:
        with mx.autograd.record():
            y = x
            for _ in range(50):
                y = y * 0.9 + x
        y.backward()

    return call


@case("train/grad-of-grad")
def _second(mx: Any) -> Call:
    x = normal(mx, 2, 3)
    x.attach_grad()

    def call() -> None:
        with mx.autograd.record():
            first = mx.autograd.grad(mx.nd.sin(x), [x], create_graph=True, retain_graph=True)[0]
        first.backward()

    return call


def _step(optimizer: str, depth: int, **settings: Any) -> Callable[[Any], Call]:
    def prepare(mx: Any) -> Call:
        net, x = mlp(mx, depth), normal(mx, 8, 16)
        net.initialize()
        trainer = mx.gluon.Trainer(net.collect_params(), optimizer, settings)
        with mx.autograd.record():
            y = net(x)
        y.backward()
        return lambda: trainer.step(8, ignore_stale_grad=True)

    return prepare


CASES["train/step-sgd-8"] = _step("sgd", 3, learning_rate=0.01)
CASES["train/step-sgd-200"] = _step("sgd", 99, learning_rate=0.01, momentum=0.9)
CASES["train/step-adam-200"] = _step("adam", 99)
for _name in ("nag", "rmsprop", "adagrad", "adadelta", "ftrl", "signum", "lamb"):
    CASES[f"train/step-{_name}-20"] = _step(_name, 9)


@case("train/step-adam-large")
def _large_step(mx: Any) -> Call:
    net, x = mx.gluon.nn.Dense(1024), normal(mx, 8, 1024)
    net.initialize()
    trainer = mx.gluon.Trainer(net.collect_params(), "adam")
    with mx.autograd.record():
        y = net(x)
    y.backward()
    return lambda: trainer.step(8, ignore_stale_grad=True)


@case("train/loop-hybridized-MLP")
def _loop(mx: Any) -> Call:
    net, x, labels = mlp(mx), normal(mx, 8, 16), integers(mx, 4, 8)
    net.initialize()
    net.hybridize()
    loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})

    def call() -> None:
        with mx.autograd.record():
            y = loss(net(x), labels)
        y.backward()
        trainer.step(8)

    return call


for _name in ("L1Loss", "L2Loss", "HuberLoss", "SigmoidBinaryCrossEntropyLoss", "HingeLoss", "KLDivLoss"):

    def _loss(mx: Any, name: str = _name) -> Call:
        loss, x, y = getattr(mx.gluon.loss, name)(), normal(mx, 32, 10), mx.nd.softmax(normal(mx, 32, 10, seed=1))
        return lambda: loss(x, y)

    CASES[f"loss/{_name}"] = _loss


@case("loss/TripletLoss")
def _triplet(mx: Any) -> Call:
    loss, x, y, z = (
        mx.gluon.loss.TripletLoss(),
        normal(mx, 32, 10),
        normal(mx, 32, 10, seed=1),
        normal(mx, 32, 10, seed=2),
    )
    return lambda: loss(x, y, z)


for _name, _settings in {
    "Accuracy": {}, "TopKAccuracy": {"top_k": 5}, "F1": {}, "MCC": {}, "MAE": {}, "MSE": {}, "RMSE": {},
    "CrossEntropy": {}, "Perplexity": {"ignore_label": None}, "PearsonCorrelation": {}, "Loss": {},
}.items():  # fmt: skip

    def _metric(mx: Any, name: str = _name, settings: Any = _settings) -> Call:
        metric = getattr(mx.metric, name)(**settings)
        regression = name in ("MAE", "MSE", "RMSE", "PearsonCorrelation", "Loss")
        classes = 2 if name in ("F1", "MCC") else 10
        x = normal(mx, 128, 1) if regression else mx.nd.softmax(normal(mx, 128, classes))
        labels = normal(mx, 128, 1, seed=1) if regression else integers(mx, classes, 128)

        def call() -> Any:
            metric.update([labels], [x])
            return metric.get()

        return call

    CASES[f"metric/{_name}"] = _metric
