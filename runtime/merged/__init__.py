"""Operators into which oneDNN merges a layer with later layers, as files of quantized networks have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hybridlint.runtime.control_flow.kinds import KINDS, Given

if TYPE_CHECKING:
    from hybridlint.runtime.facts.registry import Operator
    from hybridlint.runtime.symbol.symbol import Symbol


def _convolution(given: Given, subgraphs: Sequence[Symbol], inputs: int) -> Operator:
    # Symbols bring this module, and its operators need symbols.
    from hybridlint.runtime.merged.convolution import merged_convolution

    return merged_convolution(given, subgraphs, inputs)


KINDS["_sg_mkldnn_conv"] = _convolution
