"""Ask the real MXNet 1.9.1 for the parameters of its public functions and methods, for `signatures.json`.

    PYTHON_WITH_MXNET tests/goldens/signatures.py

Each is a text: names in their order, "=" behind those with a default, "*" and "**" in front of the collecting ones.
Only what the classes define themselves is listed. It runs in MXNet's interpreter, so it stays within Python 3.8.
"""

from __future__ import annotations

import importlib
import inspect
import json
import types
import warnings
from pathlib import Path
from typing import Any

ANSWERS = Path(__file__).parent / "signatures.json"
MODULES = """autograd attribute callback context contrib.quantization contrib.text.embedding contrib.text.utils
    contrib.text.vocab engine executor gluon.block gluon.contrib.cnn.conv_layers
    gluon.contrib.data.sampler gluon.contrib.estimator.estimator gluon.contrib.estimator.event_handler
    gluon.contrib.nn.basic_layers gluon.contrib.rnn.conv_rnn_cell gluon.contrib.rnn.rnn_cell gluon.data.dataloader
    gluon.data.dataset gluon.data.sampler gluon.data.vision.datasets gluon.data.vision.transforms gluon.loss
    gluon.nn.activations gluon.nn.basic_layers gluon.nn.conv_layers gluon.parameter gluon.rnn.rnn_cell
    gluon.rnn.rnn_layer gluon.trainer gluon.utils image.detection image.image initializer io.io kvstore.base
    kvstore.kvstore lr_scheduler metric misc model module.base_module module.bucketing_module module.module
    module.python_module module.sequential_module monitor name ndarray.utils operator optimizer.optimizer
    optimizer.contrib profiler random recordio registry rnn.rnn rnn.rnn_cell test_utils util visualization"""


def parameters(function: Any) -> str:
    """Return the parameters of a function as a text."""
    marks = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}
    given = inspect.signature(function).parameters.values()
    return " ".join(marks.get(p.kind.name, "") + p.name + ("" if p.default is p.empty else "=") for p in given)


def signatures(of: Any) -> dict[str, str]:
    """Return the parameters of a function, or of the methods of a class by ``.name``."""
    if not isinstance(of, type):
        return {"": parameters(of)}
    found = {}
    for name, member in vars(of).items():
        function = getattr(member, "__func__", member)
        if isinstance(function, types.FunctionType) and (name in {"__init__", "__call__"} or not name.startswith("_")):
            found["." + name] = parameters(function)
    return found


def main() -> None:
    """Write the answers."""
    warnings.simplefilter("ignore")
    answers: dict[str, str] = {}
    for name in MODULES.split():
        module = importlib.import_module("mxnet." + name)
        for key, value in sorted(vars(module).items()):
            own = getattr(value, "__module__", None) == module.__name__ and not key.startswith("_")
            if own and isinstance(value, (type, types.FunctionType)):
                answers.update({f"{name}:{key}{method}": text for method, text in signatures(value).items()})
    ANSWERS.write_text(json.dumps(answers, indent=0) + "\n")


if __name__ == "__main__":
    main()
