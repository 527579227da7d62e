"""The hook through which `hybridlint.runtime.strict.runs` observes eager runs of hybrid blocks; None if unset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hybridlint.runtime.ndarray.ndarray import NDArray


class Inspector(Protocol):
    """Receives the eager calls of `hybrid_forward`, and the results of operators."""

    def forward(self, run: Callable[..., Any], F: Any, args: Sequence[Any], params: Mapping[str, Any]) -> Any:
        """Call ``run(F, *args, **params)`` and return its result."""

    def asked_mode(self, switch: int) -> None:
        """Record that code asks for the recording mode (`switch` 0) or the train mode (1)."""

    def made(self, inputs: Sequence[NDArray | None], arrays: Sequence[NDArray], out: Any) -> None:
        """Inspect the `arrays` that an operator computed from `inputs`; `out` is the call's argument ``out=``."""


inspector: Inspector | None = None
