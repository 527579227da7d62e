"""The target processors: the length of their vectors, and their description for LLVM."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TargetProcessor:
    """A kind of processor. `tile` is the largest micro-tile of a matrix product, as rows and vectors."""

    name: str
    lanes: int
    tile: tuple[int, int]
    #: LLVM's name of the processor; that of this machine if None.
    processor: str | None = None
    #: Features that are switched off, of those that this machine has.
    without: tuple[str, ...] = ()
    #: Features without which its code does not run.
    needs: tuple[str, ...] = ()


#: Best first; the last one runs on every 64-bit processor.
TARGETS = (
    TargetProcessor("avx512", 16, (14, 2), needs=("avx512f", "avx512vl", "avx512dq", "avx512bw")),
    TargetProcessor("avx2", 8, (6, 2), without=("avx512f",), needs=("avx2", "fma")),
    TargetProcessor("portable", 4, (4, 2), processor="generic"),
)


def best(features: Mapping[str, bool]) -> TargetProcessor:
    """Return the best target for a machine with these features."""
    return next(target for target in TARGETS if runs(target, features))


def runs(target: TargetProcessor, features: Mapping[str, bool]) -> bool:
    """Return whether a machine with these features runs the code of a target."""
    return all(features.get(feature, False) for feature in target.needs)
