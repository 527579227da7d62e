"""The hook that observes eager runs of hybrid blocks; None unless `hybridlint.runtime.strict.runs` sets it."""

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
        """Take note that somebody asks whether it is recorded (0), or trained (1)."""

    def made(self, inputs: Sequence[NDArray | None], arrays: Sequence[NDArray], out: Any) -> None:
        """Look at the `arrays` that an operator has made of `inputs`, or written into `out`."""


inspector: Inspector | None = None
