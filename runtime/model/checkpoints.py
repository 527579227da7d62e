"""``mx.model``: files of graphs with their parameters."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from hybridlint.runtime import ndarray, symbol
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.ndarray import NDArray
from hybridlint.runtime.symbol import Symbol

Params = dict[str, NDArray]


def save_checkpoint(
    prefix: str,
    epoch: int,
    symbol: Symbol | None,
    arg_params: Mapping[str, NDArray],
    aux_params: Mapping[str, NDArray],
    remove_amp_cast: bool = True,
) -> None:
    """Write ``prefix-symbol.json`` and ``prefix-0000.params`` (the number is `epoch`)."""
    if symbol is not None:
        symbol.save(f"{prefix}-symbol.json", remove_amp_cast=remove_amp_cast)
    name = f"{prefix}-{epoch:04d}.params"
    write_params(name, arg_params, aux_params)
    logging.info('Saved checkpoint to "%s"', name)


def write_params(fname: str, arg_params: Mapping[str, NDArray], aux_params: Mapping[str, NDArray]) -> None:
    """Write arguments and auxiliary states to one file."""
    named = {f"arg:{n}": a for n, a in arg_params.items()} | {f"aux:{n}": a for n, a in aux_params.items()}
    ndarray.save(fname, named)


def load_params(prefix: str, epoch: int) -> tuple[Params, Params]:
    """Return arguments and auxiliary states by name. Raises MXNetError for a file of another kind."""
    return read_params(f"{prefix}-{epoch:04d}.params")


def read_params(name: str) -> tuple[Params, Params]:
    """Return arguments and auxiliary states from a file. Raises MXNetError for a file of another kind."""
    loaded = ndarray.load(name)
    if not isinstance(loaded, dict):
        raise MXNetError(f"{name} holds arrays without names")
    kinds: dict[str, Params] = {"arg": {}, "aux": {}}
    for key, value in loaded.items():
        kind, _, rest = key.partition(":")
        if kind not in kinds:
            raise MXNetError(f"{name}: {key} is neither an argument nor an auxiliary state")
        kinds[kind][rest] = value
    return kinds["arg"], kinds["aux"]


def load_checkpoint(prefix: str, epoch: int) -> tuple[Symbol, Params, Params]:
    """Return the graph, arguments and auxiliary states that `save_checkpoint` wrote."""
    return (symbol.load(f"{prefix}-symbol.json"), *load_params(prefix, epoch))
