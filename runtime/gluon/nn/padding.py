"""Reflection padding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.gluon.hybrid_block import HybridBlock

if TYPE_CHECKING:
    from collections.abc import Sequence


class ReflectionPad2D(HybridBlock):
    """Pads height and width by reflection: `padding` on all four sides, or eight numbers as for ``F.pad``."""

    def __init__(self, padding: int | Sequence[int] = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        sides = (0, 0, 0, 0, *(padding,) * 4) if isinstance(padding, int) else tuple(padding)
        if len(sides) != 8:
            raise AssertionError(f"padding takes one number or eight, got {len(sides)}")
        self._padding = sides

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return (batch, channels, height + top + bottom, width + left + right)."""
        return F.pad(x, mode="reflect", pad_width=self._padding)
