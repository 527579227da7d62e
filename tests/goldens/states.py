"""Ask the real MXNet 1.9.1 for the files of states that its optimizers and trainers write; keep them in states.json.

    PYTHON_WITH_MXNET tests/goldens/states.py

Each is of a small layer after two steps, with the optimizer beside the states and without. It runs in MXNet's
interpreter, so it stays within Python 3.8.
"""

from __future__ import annotations

import base64
import json
import tempfile
from pathlib import Path
from typing import Any

import mxnet as mx  # type: ignore[import-not-found]
import numpy as np

ANSWERS = Path(__file__).with_name("states.json")

#: What is only there to be tested.
OMITTED = {"test"}

SCHEDULERS: dict[str, Any] = {
    "factor": lambda: mx.lr_scheduler.FactorScheduler(2, 0.5),
    "multi factor": lambda: mx.lr_scheduler.MultiFactorScheduler([2, 5], 0.5, warmup_steps=2),
    "poly": lambda: mx.lr_scheduler.PolyScheduler(10),
    "cosine": lambda: mx.lr_scheduler.CosineScheduler(10),
}


def stepped(optimizer: Any, dtype: str = "float32") -> Any:
    """Return an updater after two steps on two arrays."""
    updater = mx.optimizer.get_updater(optimizer)
    generator = np.random.RandomState(5)
    weights = [mx.nd.array(generator.normal(size=shape), dtype=dtype) for shape in ((2, 3), (2, 1))]
    for _ in range(2):
        for index, weight in enumerate(weights):
            updater(index, mx.nd.array(generator.normal(size=weight.shape), dtype=dtype), weight)
    return updater


def trained() -> bytes:
    """Return the file of a trainer."""
    net = mx.gluon.nn.Dense(2, in_units=3, prefix="dense_")
    net.initialize(mx.init.One())
    trainer = mx.gluon.Trainer(net.collect_params(), "adam", {"learning_rate": np.float32(0.1), "wd": np.float64(0.01)})
    for _ in range(2):
        with mx.autograd.record():
            loss = net(mx.nd.ones((2, 3))).sum()
        loss.backward()
        trainer.step(2)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "trainer.states")
        trainer.save_states(str(path))
        return path.read_bytes()


def main() -> None:
    """Write all files."""
    create, files = mx.optimizer.create, {"trainer": trained()}
    for name in sorted(set(mx.optimizer.Optimizer.opt_registry) - OMITTED):
        given = {"momentum": 0.9} if name in {"sgd", "nag", "signum", "lbsgd", "lars"} else {}
        files[name] = stepped(create(name, **given)).get_states(dump_optimizer=True)
        files[f"{name} alone"] = stepped(create(name, **given)).get_states()
    half = stepped(create("sgd", momentum=0.9, multi_precision=True), "float16")
    files["sgd in half precision"] = half.get_states(dump_optimizer=True)
    for name, scheduler in SCHEDULERS.items():
        files[f"sgd with {name}"] = stepped(create("sgd", lr_scheduler=scheduler())).get_states(dump_optimizer=True)
    lines = [f"{json.dumps(name)}: {json.dumps(base64.b64encode(file).decode())}" for name, file in files.items()]
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
