"""Deferred initialization: the data kept until a parameter's shape is known, and the error raised meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.context import Context, current_context

if TYPE_CHECKING:
    from hybridlint.runtime.ndarray.ndarray import NDArray


class DeferredInitializationError(MXNetError):
    """A parameter's data was accessed before the first batch determined its shape."""


class Deferred(NamedTuple):
    """The pending initialization of a parameter: by an initializer, or from `data`."""

    init: Any
    ctx: list[Context]
    default_init: Any
    data: NDArray | None = None


def listed(ctx: Context | Sequence[Context] | None) -> list[Context]:
    """Return contexts as a list. None means the current context."""
    if ctx is None:
        return [current_context()]
    return [ctx] if isinstance(ctx, Context) else list(ctx)


def positions(contexts: Sequence[Context]) -> list[list[int | None]]:
    """Return MXNet's table of contexts: by device type, modulo 2, and device, the position in `contexts`."""
    table: list[list[int | None]] = [[], []]
    for position, ctx in enumerate(contexts):
        row = table[ctx.device_typeid & 1]
        row.extend([None] * (ctx.device_id + 1 - len(row)))
        row[ctx.device_id] = position
    return table


def raise_uninitialized(name: str, *, deferred: bool) -> NoReturn:
    """Report access to missing data. Raises DeferredInitializationError or RuntimeError."""
    if deferred:
        raise DeferredInitializationError(
            f"Parameter '{name}' has not been initialized yet because initialization was deferred until its "
            "shape is known. Pass one batch of data through the network before accessing Parameters, or give the "
            "layers in_units, in_channels and so on."
        )
    raise RuntimeError(
        f"Parameter '{name}' has not been initialized. Call initialize() on the block first; note that "
        "Block.collect_params() includes the Parameters of nested Blocks and Block.params does not."
    )
