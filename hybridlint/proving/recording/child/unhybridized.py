"""Disabling `hybridize`, so that a program that fails once hybridized can still be recorded."""

from __future__ import annotations

from typing import Any


def stay_eager(mx: Any) -> None:
    """Make `hybridize` do nothing for all blocks of this process from now on."""

    def hybridize(self: Any, active: bool = True, **kwargs: Any) -> None:
        """Do nothing, because this run is recorded with --eager."""

    for base in (mx.gluon.Block, mx.gluon.HybridBlock, mx.gluon.nn.Sequential):
        base.hybridize = hybridize
