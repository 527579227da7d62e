"""Two steps of optimizers by a row_sparse gradient. ``MXNET tests/runtime/sparse/optimizers.py`` writes the answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ANSWERS = Path(__file__).with_name("optimizers.json")
CASES: list[dict[str, Any]] = [
    {"name": "sgd", "wd": 0.01},
    {"name": "sgd", "wd": 0.01, "momentum": 0.9, "clip_gradient": 0.2},
    {"name": "sgd", "wd": 0.01, "momentum": 0.9, "lazy_update": False},
    {"name": "adam", "wd": 0.01},
    {"name": "adam", "wd": 0.01, "lazy_update": False},
    {"name": "adagrad"},
    {"name": "adagrad", "eps": 0.001, "clip_gradient": 0.2},
    {"name": "groupadagrad"},
    {"name": "ftrl", "wd": 0.01},
    {"name": "rmsprop", "wd": 0.01},
    {"name": "adamax", "wd": 0.01},
    {"name": "lars", "wd": 0.01, "momentum": 0.9, "eta": 0.1},
]


def stepped(mx: Any, case: dict[str, Any], stype: str) -> Any:
    """Return weight and states after two steps; the name of an error."""
    weight = mx.nd.array([[1, 2], [3, 4], [5, 6]]).tostype(stype)
    gradient = mx.nd.sparse.row_sparse_array(([[0.5, -1], [0, 0.25]], [0, 2]), shape=(3, 2))
    given = {name: value for name, value in case.items() if name != "name"}
    try:
        optimizer = mx.optimizer.create(case["name"], learning_rate=0.1, rescale_grad=0.5, **given)
        state = optimizer.create_state_multi_precision(0, weight)
        for _ in range(2):
            optimizer.update_multi_precision(0, weight, gradient, state)
        arrays = [weight, *(state if isinstance(state, (list, tuple)) else [state])]
        return [array.asnumpy().tolist() for array in arrays if array is not None]
    except Exception as error:
        return type(error).__name__


def answers(mx: Any) -> dict[str, Any]:
    """Return the results of all cases, for weights in both storages."""
    return {f"{json.dumps(case)} {s}": stepped(mx, case, s) for case in CASES for s in ("default", "row_sparse")}


if __name__ == "__main__":
    import mxnet  # type: ignore[import-not-found, unused-ignore]

    lines = ",\n".join(f"{json.dumps(case)}: {json.dumps(found)}" for case, found in answers(mxnet).items())
    ANSWERS.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
