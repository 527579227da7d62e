"""The table of layers printed by `Block.summary`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hybridlint.runtime.gluon.structure import flatten, regroup

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridlint.runtime.gluon.hooks import HookHandle
    from hybridlint.runtime.gluon.interfaces import NestedBlock
    from hybridlint.runtime.gluon.param import Parameter

_WIDTH = 80


@dataclass(frozen=True, slots=True)
class _Row:
    """A layer that was run: its name, output shapes, and number of own parameters."""

    layer: str
    shape: str
    params: tuple[Parameter, ...] = ()

    def __str__(self) -> str:
        return f"{self.layer:>20}  {self.shape:>42} {_count(self.params):>15}"


def summarize(block: NestedBlock, inputs: Sequence[Any]) -> str:
    """Run the block and return the table. Raises AssertionError if a block is hybridized."""
    rows = [_Row("Input", _shapes(inputs[0] if len(inputs) == 1 else inputs))]
    handles: list[HookHandle] = []

    def record(layer: NestedBlock, _inputs: Any, outputs: Any) -> None:
        name = f"{type(layer).__name__}-{len(rows)}"
        rows.append(_Row(name, _shapes(outputs), tuple(layer._reg_params.values())))

    def watch(layer: NestedBlock) -> None:
        if getattr(layer, "_active", False):
            raise AssertionError(f'"{layer.name}" must not be hybridized to print summary.')
        if layer._has_summary_row_:
            handles.append(layer.register_forward_hook(record))

    try:
        block.apply(watch)
        block(*inputs)
    finally:
        for handle in handles:
            handle.detach()
    return _table(rows)


def _table(rows: Sequence[_Row]) -> str:
    used = [param for row in rows for param in row.params]
    unique = list(dict.fromkeys(used))
    trainable = [param for param in used if param.grad_req != "null"]
    return "\n".join(
        [
            "-" * _WIDTH,
            f"{'Layer (type)':>20}  {'Output Shape':>42} {'Param #':>15}",
            "=" * _WIDTH,
            *map(str, rows),
            "=" * _WIDTH,
            "Parameters in forward computation graph, duplicate included",
            f"   Total params: {_count(used)}",
            f"   Trainable params: {_count(trainable)}",
            f"   Non-trainable params: {_count(used) - _count(trainable)}",
            f"Shared params in forward computation graph: {_count(used) - _count(unique)}",
            f"Unique parameters in model: {_count(unique)}",
            "-" * _WIDTH,
        ]
    )


def _count(params: Sequence[Parameter]) -> int:
    return sum(math.prod(param.shape or ()) for param in params)


def _shapes(value: Any) -> str:
    flat, form = flatten(value, "output")
    # While the sizes of parameters are inferred, layers within layers are called with Symbols, which have no shape.
    shapes = regroup([getattr(item, "shape", item) for item in flat], form)[0]
    return str(shapes)[1:-1] if isinstance(shapes, list) else str(shapes)
