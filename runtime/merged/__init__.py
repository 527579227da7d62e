"""Operators into which oneDNN merges a layer with what follows it, as files of quantized networks have them."""

from __future__ import annotations

from hybridlint.runtime.control_flow.nodes import KINDS
from hybridlint.runtime.merged.convolution import merged_convolution

KINDS["_sg_mkldnn_conv"] = merged_convolution
