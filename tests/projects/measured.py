"""What a block gives eagerly, hybridized, and once exported and imported again; where it fails, and how.

Both interpreters run this file, so it stays within Python 3.8.
"""

from __future__ import annotations

import re
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable  # noqa: UP035 - Python 3.8 has no other that is evaluated

import numpy as np

from .drawn import array, fill, leaves, mx, summary

_EXPORTED = "model-symbol.json"


class Measured:
    """What a block gives, way by way: summaries of outputs by name in `answer`, and errors in ``answer["errors"]``."""

    def __init__(self) -> None:
        self.answer: dict[str, Any] = {"errors": {}}

    @contextmanager
    def way(self, name: str) -> Iterator[None]:
        """Keep what is raised."""
        try:
            yield
        except Exception as error:
            self.answer["errors"][name] = f"{type(error).__name__}: {error}"

    def run(self, build: Callable[[], Any], folder: Path, theirs: Path, gain: float = 1.0) -> dict[str, Any]:
        """Build a block and go all ways. It is exported to a folder; what lies in `theirs` is imported as well.

        Drawn weights are multiplied by the gain.
        """
        with self.way("eager"):
            block, inputs = build()
            block.initialize(mx.init.Zero())
            block(*inputs)
            # Arrays that were used may be laid out otherwise, and MXNet cannot write into all of those.
            block.initialize(mx.init.Zero(), force_reinit=True)
            fill(block, gain)
            self.answer["eager"] = summary(block(*inputs))
            self._more(block, inputs, folder, theirs)
        return self.answer

    def _more(self, block: Any, inputs: list[Any], folder: Path, theirs: Path) -> None:
        with self.way("hybridized"):
            block.hybridize()
            self.answer["hybridized"] = summary(block(*inputs))
        self.answer["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        with self.way("imported"):
            if "hybridized" in self.answer and isinstance(block, mx.gluon.HybridBlock):
                block.export(str(folder / "model"))
                self.answer["imported"] = summary(_imported(folder, inputs))
        with self.way("exchanged"):
            if (theirs / _EXPORTED).exists():
                self.answer["exchanged"] = summary(_imported(theirs, inputs))
        with self.way("gradients"):
            block.hybridize(False)
            self.answer["gradients"] = summary(_gradients(block, inputs))


def folder_of(parent: str, name: str) -> Path:
    """Return the folder below another one in which a block of that name is exported; it is there."""
    folder = Path(parent, re.sub(r"\W", "_", name))
    folder.mkdir(exist_ok=True)
    return folder


def _gradients(block: Any, inputs: list[Any]) -> Any:
    """Return the norms of the parameters' gradients of the weighted sum of all outputs, in prediction mode."""
    parameters = [p for _, p in sorted(block._collect_params_with_prefix().items()) if p.grad_req != "null"]
    if not parameters:
        return []
    with mx.autograd.record(train_mode=False):
        outputs = [y for y in leaves(block(*inputs)) if np.dtype(y.dtype).kind == "f"]
        total = sum((y * array(np.cos(np.arange(y.size)).reshape(y.shape))).sum() for y in outputs)
    total.backward()
    # Squares of what explodes are beyond float32.
    return mx.nd.array([float(np.linalg.norm(p.grad().asnumpy().astype(np.float64))) for p in parameters])


def _imported(folder: Path, inputs: list[Any]) -> Any:
    """Call the exported block on those inputs that its graph needs."""
    given = list(leaves(inputs))
    names = ["data"] if len(given) == 1 else [f"data{k}" for k in range(len(given))]
    used = set(mx.sym.load(str(folder / _EXPORTED)).list_arguments())
    kept = {name: value for name, value in zip(names, given) if name in used}  # noqa: B905 - Python 3.8 has no strict
    parameters = str(folder / "model-0000.params")
    return mx.gluon.SymbolBlock.imports(str(folder / _EXPORTED), list(kept), parameters)(*kept.values())
