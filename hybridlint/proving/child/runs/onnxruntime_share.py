"""The operators of a compiled block that ONNX Runtime ran, if a proof uses it as a second opinion."""

from __future__ import annotations

import os
from typing import Any

#: The engine of the bundled runtime by which it runs graphs.
_ENGINE = "onnx"


def share(block: Any) -> str:
    """Return in a few words how many operators of a block's graph ONNX Runtime ran; "" without it."""
    if os.environ.get("HYBRIDLINT_ENGINE") != _ENGINE or not hasattr(block, "explain"):
        return ""
    try:
        graphs = block.explain().graphs
    except RuntimeError:
        # No call came to its graph.
        graphs = ()
    if not graphs:
        return ""
    steps = graphs[0].executor.steps
    every = sum(len(step.nodes) for step in steps)
    own = sum(len(step.nodes) for step in steps if step.engine == _ENGINE)
    return f", {own} of its {every} operators by ONNX Runtime"
