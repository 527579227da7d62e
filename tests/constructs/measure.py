"""Ask the real MXNet 1.9.1 what the constructs of `cases/` do, eagerly and hybridized, and keep the answers.

    PYTHON_WITH_MXNET -m tests.constructs.measure [NAME ...]
    python -m tests.constructs.measure --bundled [NAME ...]

The second line asks the bundled runtime about constructs that MXNet was not asked about, for those who have no MXNet;
such outcomes are marked, until somebody asks MXNet.

Each block runs twice eagerly and twice hybridized on fresh inputs, then once each under ``autograd.record()``. Labels:
*error* (raises only once hybridized, in forward or backward), *silent* (other values, shapes, dtypes, structure or
gradients without an exception), *clean* (no difference; a tuple that comes back as a list is none), *skip* (raises
eagerly too, or a header says so). Constructs run in child processes, so that a crash costs one of them. Python 3.8.
"""

from __future__ import annotations

import ast
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

from .sections import LOOKALIKES, Construct, constructs

HERE = Path(__file__).resolve().parent
OUTCOMES = HERE / "outcomes.json"
#: The flag that has the bundled runtime asked.
BUNDLED = "--bundled"


def values(spec: str, seed: int) -> Any:
    """Return a numpy array for one shape, the same everywhere: no generator of random numbers is asked."""
    import numpy as np

    match = re.fullmatch(r"([\dx]+)([ipdh]?)", spec)
    if match is None:
        raise ValueError(spec)
    shape = tuple(int(d) for d in match.group(1).split("x"))
    count = int(np.prod(shape))
    base = np.array([(k * 7919 + seed * 104729 + k * k * 31) % 2003 for k in range(count)], "float64") / 1000 - 1
    if match.group(2) == "i":
        return (np.floor(base * 1000) % 3).astype("int32").reshape(shape)
    if match.group(2) == "p":
        base = base + 1.1
    return base.astype({"d": "float64", "h": "float16"}.get(match.group(2), "float32")).reshape(shape)


def make(mx: Any, spec: str, call: int, position: int, np_mode: bool) -> Any:
    """Return the argument of a call that a header's specification describes."""
    if spec[0] in "[(":
        items = re.findall(r"\[[^\]]*\]|[^,\[\]]+", spec[1:-1])
        made = [make(mx, item, call, position * 5 + k, np_mode) for k, item in enumerate(items)]
        return tuple(made) if spec[0] == "(" else made
    if spec[0] == "{":
        pairs = [item.split(":") for item in spec[1:-1].split(",")]
        return {key: make(mx, item, call, position * 5 + k, np_mode) for k, (key, item) in enumerate(pairs)}
    if spec[0] == "#":
        return ast.literal_eval(spec[1:])
    shape = spec.split("|")[-1 if call == 2 else 0]
    if shape == "none":
        return None
    array = values(shape, call * 10 + position)
    return mx.np.array(array, dtype=array.dtype) if np_mode else mx.nd.array(array, dtype=array.dtype)


class Trial:
    """A construct on the library `mx`, from a module's text."""

    def __init__(self, mx: Any, construct: Construct, module: str) -> None:
        self.mx = mx
        self.construct = construct
        self.module = module
        self.np_mode = "np" in construct.flags

    def seed(self, number: int) -> None:
        """Seed every generator."""
        import random

        import numpy as np

        self.mx.random.seed(number)
        np.random.seed(number)
        random.seed(number)

    def net(self, hybrid: bool) -> Any:
        """Return a fresh block with weights that do not depend on MXNet's generator."""
        namespace: dict[str, Any] = {"__name__": "construct"}
        exec(compile(self.module, "construct.py", "exec"), namespace)
        self.seed(3)
        net = namespace["Net"](prefix="net_")
        net.initialize(self.mx.init.Uniform(0.5))
        for number, (_, parameter) in enumerate(sorted(net.collect_params().items())):
            shape = parameter.shape
            if (
                parameter.name.endswith("weight")
                and isinstance(parameter.init, (type(None), str))
                and shape
                and min(shape) > 0
            ):
                array = values("x".join(map(str, shape)), 50 + number)
                parameter.set_data(self.mx.np.array(array) if self.np_mode else self.mx.nd.array(array))
        if hybrid:
            net.hybridize()
        return net

    def arguments(self, call: int) -> list[Any]:
        """Return the arguments of a call."""
        return [make(self.mx, spec, call, k, self.np_mode) for k, (_, spec) in enumerate(self.construct.arguments)]

    def forward(self, hybrid: bool) -> list[Any]:
        """Return what two calls give: a description, or the exception as a string."""
        got: list[Any] = []
        try:
            net = self.net(hybrid)
        except Exception as error:
            return ["constructor: " + brief(error)] * 2
        for call in (1, 2):
            arguments = self.arguments(call)
            self.seed(100 + call)
            try:
                if self.construct.flags & {"train", f"train{call}"}:
                    with self.mx.autograd.record():
                        result = net(*arguments)
                else:
                    result = net(*arguments)
                got.append({"out": describe(result), "inputs": describe(arguments), **observed(net)})
            except Exception as error:
                got.append(brief(error))
        return got

    def gradients(self, hybrid: bool) -> Any:
        """Return gradients of the inputs and parameters, or the exception as a string."""
        net = self.net(hybrid)
        arguments = self.arguments(1)
        inputs = [a for a in leaves(arguments) if str(a.dtype).find("float") >= 0]
        for array in inputs:
            array.attach_grad()
        self.seed(101)
        try:
            with self.mx.autograd.record():
                outputs = [o for o in leaves(net(*arguments)) if "float" in str(o.dtype)]
                terms = [(o * self.weights(o, k)).sum() for k, o in enumerate(outputs)]
            if not terms:
                return "no float outputs"
            self.mx.autograd.backward(terms)
            of_parameters = [p.grad() for _, p in sorted(net.collect_params().items()) if p.grad_req != "null"]
            return describe([*(a.grad for a in inputs), *of_parameters])
        except Exception as error:
            return brief(error)

    def weights(self, output: Any, number: int) -> Any:
        """Return the gradient that arrives at an output: no two elements have the same."""
        shape = "x".join(str(d) for d in output.shape) or "1"
        array = values(shape, 70 + number).astype(output.dtype).reshape(output.shape)
        return (
            self.mx.np.array(array, dtype=array.dtype) if self.np_mode else self.mx.nd.array(array, dtype=array.dtype)
        )


def brief(error: BaseException) -> str:
    """Return an exception in a line."""
    text = re.sub(r"Stack trace:.*", "", str(error), flags=re.S).strip()
    text = re.sub(r"\[[\d:]+\] \S+?/src/", "src/", text)
    text = re.sub(r"0x[0-9a-f]+", "0x...", text)
    return f"{type(error).__name__}: {text}"[:160].replace("\n", " ")


def leaves(value: Any) -> list[Any]:
    """Return the arrays in nested lists."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(item)]
    return [value] if hasattr(value, "attach_grad") else []


def describe(value: Any) -> Any:
    """Return a result as JSON: arrays as [shape, dtype, values]."""
    if hasattr(value, "asnumpy"):
        array = value.asnumpy()
        numbers = ["nan" if math.isnan(v) else float(f"{v:.6g}") for v in array.astype("float64").ravel().tolist()]
        return {"shape": list(array.shape), "dtype": str(array.dtype), "values": numbers}
    if isinstance(value, (list, tuple)):
        return [describe(item) for item in value]
    if isinstance(value, dict):
        return {"dict": [describe(item) for item in value.values()]}
    return {"python": str(value)[:80] if not isinstance(value, (int, float, str, bool, type(None))) else value}


def observed(net: Any) -> dict[str, Any]:
    """Return public attributes of a block that calls may change: plain values and containers of them."""
    kinds = (int, float, str, list, dict)
    return {
        "self": {
            k: len(v) if isinstance(v, (list, dict)) else v
            for k, v in vars(net).items()
            if k[0] != "_" and type(v) in kinds
        }
    }


def same(a: Any, b: Any, within: float = 2e-4) -> bool:
    """Whether two descriptions agree, numbers within single precision, or half of it."""
    if isinstance(a, dict) and isinstance(b, dict):
        within = 1e-2 if a.get("dtype") == "float16" else within
        return a.keys() == b.keys() and all(same(a[k], b[k], within) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(a[k], b[k], within) for k in range(len(a)))
    if isinstance(a, float) and isinstance(b, float):
        return a == b or abs(a - b) <= within / 20 + within * max(abs(a), abs(b))
    return bool(a == b)


def judge(construct: Construct, eager: list[Any], hybrid: list[Any], grads: list[Any]) -> dict[str, str]:
    """Return the label and what it rests on."""
    if "skip" in construct.flags:
        return {"label": "skip", "why": "as the header says"}
    for call in (1, 2):
        e, h = eager[call - 1], hybrid[call - 1]
        if isinstance(e, str):
            if call == 2 and not isinstance(h, str):
                return {"label": "silent", "why": f"call 2 raises only eagerly: {e}"}
            return {"label": "skip", "why": e}
        if isinstance(h, str):
            return {"label": "error", "why": h}
        for part in ("out", "inputs", "self"):
            if not same(e[part], h[part]):
                return {"label": "silent", "why": f"call {call}: another {part}"}
    return judge_gradients(*grads)


def judge_gradients(eager: Any, hybrid: Any) -> dict[str, str]:
    """Return the label of what runs alike."""
    if isinstance(hybrid, str) and not isinstance(eager, str):
        return {"label": "error", "why": "backward: " + hybrid}
    if isinstance(eager, str) and not isinstance(hybrid, str):
        return {"label": "silent", "why": "backward raises only eagerly: " + eager}
    if isinstance(eager, str) or same(eager, hybrid):
        return {"label": "clean", "why": ""}
    return {"label": "silent", "why": "other gradients"}


def measure(mx: Any, construct: Construct, module: str) -> dict[str, Any]:
    """Run a construct. Returns label, reason, and all that was measured under "runs"."""
    if hasattr(mx, "npx"):
        (mx.npx.set_np if "np" in construct.flags else mx.npx.reset_np)()
    trial = Trial(mx, construct, module)
    eager, hybrid = trial.forward(False), trial.forward(True)
    grads = ["" if isinstance(runs[0], str) else trial.gradients(runs is hybrid) for runs in (eager, hybrid)]
    return {**judge(construct, eager, hybrid, grads), "runs": {"eager": eager, "hybrid": hybrid, "gradients": grads}}


def work() -> None:
    """Measure what stdin asks for, a line {"name", "module"} each, and print an answer for each."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    warnings.filterwarnings("ignore")
    if BUNDLED in sys.argv:
        from hybridlint.launch.serve import serve

        serve()
    import mxnet as mx  # type: ignore[import-not-found,import-untyped,unused-ignore]

    by_name = {c.name: c for c in (*constructs(), *constructs(LOOKALIKES))}
    for line in sys.stdin:
        asked = json.loads(line)
        answers.write(
            json.dumps({"name": asked["name"], **measure(mx, by_name[asked["name"]], asked["module"])}) + "\n"
        )


def run(python: list[str], modules: dict[str, str], *flags: str) -> dict[str, dict[str, Any]]:
    """Measure modules, by the names of their constructs, in a child process that is started again after a crash.

    `flags` go to the child: `BUNDLED` has it run the bundled runtime.
    """
    results: dict[str, dict[str, Any]] = {}
    todo = list(modules)
    while todo:
        lines = "".join(json.dumps({"name": name, "module": modules[name]}) + "\n" for name in todo)
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as errors:
            done = subprocess.run(
                [*python, "-m", "tests.constructs.measure", "--work", *flags],
                input=lines,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                cwd=folder,
                check=False,
                env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(HERE.parents[1])},
            )
            errors.seek(0)
            told = errors.read()
        for line in done.stdout.splitlines():
            answer = json.loads(line)
            results[answer.pop("name")] = answer
        missing = [name for name in todo if name not in results]
        if len(missing) == len(todo) and "Traceback" in told:
            raise SystemExit(told[-3000:])
        if missing:
            results[missing[0]] = {"label": "skip", "why": f"crash: exit status {done.returncode}", "runs": {}}
        todo = missing[1:]
    return results


def main() -> None:
    """Measure all constructs, or the named ones, and write the labels."""
    bundled = BUNDLED in sys.argv
    names = [argument for argument in sys.argv[1:] if argument != BUNDLED]
    kept: dict[str, Any] = json.loads(OUTCOMES.read_text()) if OUTCOMES.exists() and (names or bundled) else {}
    of_mxnet = {name for name, outcome in kept.items() if "by" not in outcome} if bundled else set()
    wanted = [c for c in constructs() if (not names or c.name in names) and c.name not in of_mxnet]
    found = run([sys.executable], {c.name: c.module for c in wanted}, *[BUNDLED] * bundled)
    for construct in wanted:
        answer = found[construct.name]
        kept[construct.name] = {"label": answer["label"], "why": answer["why"]}
        if bundled:
            kept[construct.name]["by"] = "the bundled runtime"
        print(construct.theme, construct.name, answer["label"], answer["why"], sep=" | ")
    OUTCOMES.write_text(json.dumps(kept, indent=0, sort_keys=True) + "\n")


if __name__ == "__main__":
    work() if "--work" in sys.argv else main()
