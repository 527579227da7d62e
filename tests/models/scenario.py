"""What a model computes: outputs, gradients, running statistics and losses as named arrays; its files.

Both interpreters run this file, so it stays within Python 3.8.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np

#: How a block is made fast; None leaves it eager.
MODES: dict[str, Any] = {"eager": None, "hybridized": {}, "static": {"static_alloc": True, "static_shape": True}}

OPTIMIZERS: dict[str, dict[str, Any]] = {
    "sgd": {"learning_rate": 0.05, "wd": 1e-3},
    "momentum": {"learning_rate": 0.02, "momentum": 0.9},
    "adam": {"learning_rate": 0.001},
}


def build(mx: Any, case: Any, mode: str = "eager", dtype: str = "float32") -> Any:
    """Return a block of the case with parameters that depend on their structural names alone."""
    net = case.build(mx)
    net.initialize()
    net(*[mx.nd.array(x) for x in case.inputs()])
    for name, param in net._collect_params_with_prefix().items():
        param.set_data(mx.nd.array(parameter(name, param.shape)))
    net.cast(dtype)
    if MODES[mode] is not None:
        net.hybridize(**MODES[mode])
    return net


def parameter(name: str, shape: Any) -> Any:
    """Draw a parameter: scales near 1, variances positive, weights of about the size that keeps signals alive."""
    generator = np.random.RandomState(zlib.crc32(name.encode()))
    drawn = generator.normal(size=shape)
    if name.endswith(("gamma", "running_var")):
        return (1 + 0.2 * np.tanh(drawn)).astype("float32")
    if len(shape) == 1:
        return (0.1 * drawn).astype("float32")
    return (drawn / np.sqrt(np.prod(shape[1:]))).astype("float32")


def batch(mx: Any, case: Any, dtype: str, seed: int = 0) -> list[Any]:
    """Return one batch of inputs as arrays of MXNet."""
    return [mx.nd.array(x, dtype=dtype) for x in case.inputs(seed)]


def outputs_and_gradients(mx: Any, net: Any, case: Any, dtype: str = "float32") -> dict[str, Any]:
    """Predict, train once from random head gradients, predict again; the block has been cast to `dtype`."""
    inputs = batch(mx, case, dtype)
    found = {f"predict{k}": y.asnumpy() for k, y in enumerate(flat(net(*inputs)))}
    for array, bound in zip(inputs, case.bounds):  # noqa: B905 - Python 3.8 has no strict
        if not bound:
            array.attach_grad()
    with mx.autograd.record():
        outputs = flat(net(*inputs))
    generator = np.random.RandomState(3)
    heads = [mx.nd.array(generator.normal(size=y.shape), dtype=dtype) for y in outputs]
    mx.autograd.backward(outputs, heads)
    found.update({f"train{k}": y.asnumpy() for k, y in enumerate(outputs)})
    found.update({f"input{k}": x.grad.asnumpy() for k, x in enumerate(inputs) if x.grad is not None})
    for name, param in net.collect_params().items():
        short = name.split("_", 1)[1]  # Without the prefix of the model, which a block of files has not.
        if param.grad_req == "null":
            found["state " + short] = param.data().asnumpy()
        else:
            found["gradient " + short] = param.grad().asnumpy()
    found.update({f"after{k}": y.asnumpy() for k, y in enumerate(flat(net(*inputs)))})
    return found


def flat(outputs: Any) -> list[Any]:
    """Return nested outputs as one list."""
    if isinstance(outputs, (list, tuple)):
        return [array for item in outputs for array in flat(item)]
    return [outputs]


def losses(mx: Any, case: Any, optimizer: str, steps: int = 20) -> Any:
    """Train the hybridized block on three batches in turn and return the loss of each step."""
    net = build(mx, case, "hybridized", case.dtype)
    batches = [batch(mx, case, case.dtype, seed) for seed in range(3)]
    labels = np.random.RandomState(9)
    targets = [labels.randint(0, case.classes, flat(net(*b))[0].shape[:-1]) for b in batches]
    loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    arguments = dict(OPTIMIZERS[optimizer])
    arguments["learning_rate"] *= case.pace
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd" if optimizer == "momentum" else optimizer, arguments)
    seen = []
    for step in range(steps):
        inputs, target = batches[step % 3], mx.nd.array(targets[step % 3])
        with mx.autograd.record():
            loss = loss_of(flat(net(*inputs))[0], target)
        loss.backward()
        trainer.step(loss.shape[0])
        seen.append(loss.mean().asscalar())
    return np.array(seen)


def write_files(mx: Any, case: Any, folder: Path) -> None:
    """Write what `save_parameters` and `export` write."""
    folder.mkdir(parents=True, exist_ok=True)
    net = build(mx, case)
    net.save_parameters(str(folder / "saved.params"))
    net.hybridize()
    net(*[mx.nd.array(x) for x in case.inputs()])
    net.export(str(folder / "exported"))


def imported(mx: Any, case: Any, folder: Path) -> Any:
    """Return the block of exported files, whoever wrote them, in what the model is judged in."""
    names = ["data"] if len(case.shapes) == 1 else [f"data{k}" for k in range(len(case.shapes))]
    parameters = str(folder / "exported-0000.params")
    net = mx.gluon.SymbolBlock.imports(str(folder / "exported-symbol.json"), names, parameters)
    net.cast(case.dtype)
    return net


def loaded(mx: Any, case: Any, folder: Path) -> Any:
    """Return a new block with saved parameters, in what the model is judged in."""
    net = case.build(mx)
    net.load_parameters(str(folder / "saved.params"))
    net.cast(case.dtype)
    return net
