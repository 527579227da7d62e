"""The case of a proof: one class of a file, as it is or before and after fixes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hybridlint.proving.child.classes import ENTRY, HYBRID_BLOCK
from hybridlint.proving.child.comparison_evidence import ProofEvidence
from hybridlint.proving.child.errors import NotRunError
from hybridlint.proving.child.runs.variants import BlockVersion
from hybridlint.proving.child.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Callable

PROVED, REFUTED, NOT_RUN = "proved", "refuted", "not run"


class ProofCase(NamedTuple):
    """A class in the file `path` to prove or refute: alone (`after` is None), or before and after fixes.

    `samples` is the number of random inputs for each round. `report_stage` is called with each stage before it begins.
    `without` maps names of variants to leave out to the reason. The time `limit` is in seconds from `start`. If
    `timed`, the verdict contains the time of a call. `evidence` hands over what the runs compute. If `gpu`, it is
    also run on a GPU. If `alone` is False, another proof of the block tells which settings may change.
    """

    path: str
    before: BlockVersion
    after: BlockVersion | None
    samples: int
    limit: float
    start: float
    report_stage: Callable[[Stage], None]
    without: Mapping[str, str]
    evidence: ProofEvidence
    timed: bool = False
    gpu: bool = False
    alone: bool = True


def overrides_hybridize(cls: Any) -> bool:
    """Return whether a HybridBlock has a ``hybridize`` of its own, which may leave it eager."""
    own = next((base for base in cls.__mro__ if "hybridize" in vars(base)), None)
    hybrid = any(base.__name__ == HYBRID_BLOCK for base in cls.__mro__)
    return hybrid and own is not None and not own.__module__.startswith(("mxnet.", "hybridlint.runtime."))


def traces_anew(cls: Any) -> bool:
    """Return whether calls of a block of this class may drop its graph, so that it has several graphs."""
    methods = (vars(base).get(name) for base in cls.__mro__ for name in ("forward", "__call__"))
    codes = (getattr(method, "__code__", None) for method in methods)
    own = (code for code in codes if code is not None and "_clear_cached_op" in code.co_names)
    return any(True for _ in own)


def check_forward(cls: Any) -> None:
    """Raise NotRunError for a HybridBlock that overrides forward: hybridize() never compiles it."""
    if not any(base.__name__ == HYBRID_BLOCK for base in cls.__mro__):
        # A plain Block is not compiled, but its children are.
        return
    for base in cls.__mro__:
        if base.__module__.startswith(("mxnet.", "hybridlint.runtime.")):
            return
        if ENTRY in vars(base):
            return
        if "forward" in vars(base):
            raise NotRunError(
                "it overrides forward, which hybridize() never compiles",
                "Write `hybrid_forward` in place of `forward`.",
            )
