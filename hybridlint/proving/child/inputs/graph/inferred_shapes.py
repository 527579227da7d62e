"""The shapes that a graph tells of its inputs, given some of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def inferred_shapes(graph: Any, known: Mapping[str, Any]) -> Any:
    """Return the shapes of arguments, outputs and auxiliary states, with unknown sizes as the library writes them.

    The bundled runtime knows more than MXNet's partial inference, and is asked for all of it.
    """
    infer = getattr(graph, "_infer_shape_thoroughly", None) or graph.infer_shape_partial
    return infer(**known)
