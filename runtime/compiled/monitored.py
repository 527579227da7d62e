"""Gradients of single operators, reported when backward computes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hybridlint.runtime.facts.registry import Refusal

Report = Callable[[bytes, bytes, Any], Any]


def report_gradients(node: Any, inputs: Sequence[Any], made: Sequence[Any], report: Report) -> None:
    """Have the gradients of a recorded call of a symbol's node reported, under the names of MXNet's backward node."""
    recorded = next((array._entry[0] for array in made if array._entry is not None), None)
    if recorded is None or recorded.pull is None:
        return
    pull, operator = recorded.pull, f"_backward_{node.op.name}".encode()
    given = [array for array in inputs if array is not None][: len(node.op.inputs) - len(node.op.aux)]
    single = len(given) == 1

    def reporting(tape: Any, heads: list[Any], again: bool) -> Sequence[Any]:
        found: Sequence[Any] = pull(tape, heads, again)
        for k, (gradient, array) in enumerate(zip(found, given, strict=False)):
            if not isinstance(gradient, Refusal):
                name = f"{node.name}_backward_output{'' if single else k}"
                report(name.encode(), operator, array._filled(0) if gradient is None else gradient)
        return found

    recorded.pull = reporting
