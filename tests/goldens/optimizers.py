"""Ask the real MXNet 1.9.1 which steps optimizers and schedulers take, and keep the answers beside this file.

    PYTHON_WITH_MXNET tests/goldens/optimizers.py

This file runs in both interpreters, so it stays within Python 3.8.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np

ANSWERS = Path(__file__).parent / "optimizers.json"

_COMMON = "learning_rate=0.1, wd=0.05, rescale_grad=0.5, clip_gradient=0.6"

CASES = [
    *(f"{name}()" for name in ("SGD", "NAG", "Adam", "Adamax", "Nadam", "AdaGrad", "RMSProp", "AdaDelta", "Ftrl")),
    *(f"{name}()" for name in ("Signum", "LAMB", "FTML")),
    *(f"{name}({_COMMON})" for name in ("SGD", "NAG", "Adam", "Adamax", "Nadam", "AdaGrad", "RMSProp", "Ftrl")),
    *(f"{name}({_COMMON})" for name in ("Signum", "LAMB", "FTML", "AdaDelta")),
    f"SGD({_COMMON}, momentum=0.9)",
    f"NAG({_COMMON}, momentum=0.8)",
    f"RMSProp({_COMMON}, centered=True, gamma1=0.8, gamma2=0.7)",
    "RMSProp(learning_rate=0.2, clip_weights=0.3)",
    "AdaDelta(rho=0.8, epsilon=1e-3)",
    "Ftrl(lamda1=0.1, beta=0.5)",
    "Signum(momentum=0.0, learning_rate=0.1)",
    "Signum(wd_lh=0.1, wd=0.1)",
    "LAMB(learning_rate=0.1, lower_bound=0.5, upper_bound=0.9, bias_correction=False)",
    "Nadam(learning_rate=0.1, schedule_decay=0.1)",
    "SGD(param_idx2name={0: 'a_weight', 1: 'a_bias'}, wd=0.5)",
    "SGD(learning_rate=0.5, lr_scheduler=lr_scheduler.FactorScheduler(1, 0.5, base_lr=0.5))",
    "Adam(lr_scheduler=lr_scheduler.PolyScheduler(4, base_lr=0.1), learning_rate=0.1)",
    "LARS()",
    f"LARS({_COMMON}, momentum=0.9, eta=0.05)",
    "LARS(param_idx2name={0: 'a_weight', 1: 'a_bias'}, momentum=0.9, eta=0.05)",
    "LARS(momentum=0.9, eta=0.1, learning_rate=0.5, lr_scheduler=lr_scheduler.FactorScheduler(1, 0.5, base_lr=0.5))",
    "LBSGD()",
    f"LBSGD({_COMMON}, momentum=0.9, warmup_strategy='lars')",
    *(
        f"LBSGD(warmup_strategy='{s}', batch_scale=2, updates_per_epoch=3)"
        for s in ("linear", "power2", "sqrt", "lars")
    ),
    "DCASGD(wd=0.05)",
    "Test(rescale_grad=0.5)",
    "ccSGD(momentum=0.5)",
    "SGD(begin_num_update=3, lr_scheduler=lr_scheduler.CosineScheduler(5, base_lr=0.1))",
]

SCHEDULES = [
    "FactorScheduler(3, 0.5, base_lr=0.8)",
    "FactorScheduler(2, 0.5, stop_factor_lr=0.3, base_lr=0.8, warmup_steps=3, warmup_begin_lr=0.1)",
    "MultiFactorScheduler([2, 5], 0.1, base_lr=1, warmup_steps=1, warmup_mode='constant', warmup_begin_lr=0.3)",
    "PolyScheduler(8, base_lr=0.8, pwr=2, final_lr=0.1, warmup_steps=2)",
    "CosineScheduler(8, base_lr=0.8, final_lr=0.1, warmup_steps=2, warmup_begin_lr=0.1)",
]


def steps(mx: Any, case: str, dtype: str = "float32") -> list[list[float]]:
    """Return two weights after each of four updates, in one row."""
    optimizer = eval(case, {**vars(mx.optimizer), "lr_scheduler": mx.lr_scheduler})
    updater = mx.optimizer.get_updater(optimizer)
    generator = np.random.RandomState(4)
    weights = [mx.nd.array(generator.normal(size=shape), dtype=dtype) for shape in ((2, 2), (3,))]
    rows = []
    for _ in range(4):
        for index, weight in enumerate(weights):
            updater(index, mx.nd.array(generator.normal(size=weight.shape), dtype=dtype), weight)
        rows.append([float(f"{v:.7g}") for weight in weights for v in weight.asnumpy().ravel()])
    return rows


def rates(mx: Any, schedule: str) -> list[float]:
    """Return the rates at rising numbers of updates."""
    scheduler = eval(schedule, vars(mx.lr_scheduler))
    return [float(f"{scheduler(n):.7g}") for n in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12)]


def main() -> None:
    """Write all answers."""
    mxnet = importlib.import_module("mxnet")
    found = {**{case: steps(mxnet, case) for case in CASES}, **{case: rates(mxnet, case) for case in SCHEDULES}}
    lines = [f"{json.dumps(case)}: {json.dumps(answer)}" for case, answer in found.items()]
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
