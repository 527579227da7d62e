"""``mx.contrib.amp``: automatic mixed precision, which cannot be had here: its functions fail where they are called."""

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
