"""Ask the real MXNet 1.9.1 which operators can be differentiated twice, and keep the answers beside this file.

    python tests/goldens/second_order.py PYTHON_WITH_MXNET

For each sample of each operator: gradients of the squares of its outputs are taken with ``create_graph=True``, and
backward is run on them. An answer is the gradients that the second pass gives, or the name of its refusal.
This file runs in both interpreters, so it stays within Python 3.8.
"""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
ANSWERS = HERE / "second_order.json"
make = runpy.run_path(str(HERE / "make.py"))

#: What MXNet's message says -> how an answer calls it.
REFUSALS = {
    "didn't register FGradient": "not twice",
    "no inputs in computation graph that require": "constant",
    "not in a computational graph": "constant",
}


def heads_for(arrays: list[Any]) -> list[Any]:
    """Draw what comes from above to arrays."""
    generator = np.random.RandomState(6)
    return [generator.uniform(0.5, 1.5, array.shape).astype(array.dtype) for array in arrays]


def answer(name: str, sample: dict[str, Any]) -> dict[str, Any]:
    """Differentiate squares of the results of an operator of the real library twice on a sample."""
    import mxnet as mx  # type: ignore

    with mx.util.np_shape(name.startswith("_np")):
        try:
            floats, first = _differentiated_once(mx, name, sample)
        except Exception:  # the library maps its errors to many classes
            return {"refused": "once"}
        try:
            heads = [mx.nd.array(h, dtype=h.dtype) for h in heads_for([g.asnumpy() for g in first])]
            mx.autograd.backward(first, heads, train_mode=False)
            return {"gradients": [make["_plain"](array.grad.asnumpy()) for array in floats]}
        except Exception as error:
            known = (short for said, short in REFUSALS.items() if said in str(error))
            return {"refused": next(known, str(error).strip().splitlines()[-1])}


def _differentiated_once(mx: Any, name: str, sample: dict[str, Any]) -> Any:
    inputs = [mx.nd.array(array, dtype=array.dtype) for array in make["draw"](sample)]
    params = {k: tuple(v) if isinstance(v, list) else v for k, v in sample["params"].items()}
    floats = [array for array in inputs if array.dtype in (np.float32, np.float64)]
    for array in floats:
        array.attach_grad()
    with mx.autograd.record(train_mode=False):
        outputs = [o for o in make["_invoke"](name, inputs, params) if o.dtype in (np.float32, np.float64)]
        squares = [mx.nd.square(output) for output in outputs]
        return floats, mx.autograd.grad(squares, floats, create_graph=True, retain_graph=True, train_mode=False)


def serve() -> None:
    """Answer the questions on standard input, one a line."""
    for line in sys.stdin:
        name, sample = json.loads(line)
        print(json.dumps(answer(name, sample)), flush=True)


class Oracle:
    """A process of the real library, started again where a question ends it or is never answered."""

    PATIENCE_S = 10.0

    def __init__(self, interpreter: str) -> None:
        self._command = [interpreter, __file__, "--serve"]
        self._process = self._start()

    def _start(self) -> Any:
        pipe = subprocess.PIPE
        return subprocess.Popen(self._command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, bufsize=1)

    def ask(self, question: Any) -> Any:
        """Return the answer to a question; one that may come from what ran before is asked for again."""
        found = self._ask(question)
        if found.get("refused", "once") in {"once", *REFUSALS.values()}:
            return found
        self._process.kill()
        self._process.wait()
        self._process = self._start()
        return self._ask(question)

    def _ask(self, question: Any) -> Any:
        guard = threading.Timer(self.PATIENCE_S, self._process.kill)
        self._process.stdin.write(json.dumps(question) + "\n")
        guard.start()
        line = self._process.stdout.readline()
        guard.cancel()
        if line:
            return json.loads(line)
        self._process.wait()
        self._process = self._start()
        return {"refused": "crash"}


def main(interpreter: str) -> None:
    """Write the answers file anew. Samples that MXNet cannot differentiate once, or crashes on, are left out."""
    from hybridlint.runtime.facts import registry

    chosen = [op for op in registry.operators() if not op.internal and op.grad is not None]
    questions = [(op.name, sample) for op in chosen for sample in make["describe"](op)]
    oracle = Oracle(interpreter)
    found = [(make["key_of"](*question), oracle.ask(question)) for question in questions]
    kept = sorted((key, given) for key, given in found if given.get("refused", "not twice") == "not twice")
    ANSWERS.write_text("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in kept) + "\n}\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        serve()
    else:
        main(sys.argv[1])
