"""``mx.contrib.amp``: automatic mixed precision, which is not available: its functions raise when called."""

from hybridlint.runtime.contrib.amp.amp import (
    convert_hybrid_block,
    convert_model,
    convert_symbol,
    init,
    init_trainer,
    scale_loss,
    unscale,
)

__all__ = [
    "convert_hybrid_block",
    "convert_model",
    "convert_symbol",
    "init",
    "init_trainer",
    "scale_loss",
    "unscale",
]
