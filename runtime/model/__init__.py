"""``mx.model``: checkpoints, and the training interface that preceded modules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.model.checkpoints import load_checkpoint, load_params, save_checkpoint

if TYPE_CHECKING:
    from hybridlint.runtime.model.feed_forward import FeedForward
    from hybridlint.runtime.module.base_module import BatchEndParam


def __getattr__(name: str) -> Any:
    """Import FeedForward and the callback arguments lazily: both need modules, which import checkpoints."""
    if name == "FeedForward":
        from hybridlint.runtime.model.feed_forward import FeedForward

        return FeedForward
    if name == "BatchEndParam":
        from hybridlint.runtime.module.base_module import BatchEndParam

        return BatchEndParam
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
