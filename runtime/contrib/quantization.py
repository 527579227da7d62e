"""``mx.contrib.quantization``: quantized networks, which are not supported."""

from __future__ import annotations

from hybridlint.runtime.contrib.refused import refused

_REASON = "quantized arithmetic is MXNet's oneDNN; run the network in float32"

calib_graph = refused("contrib.quantization.calib_graph", _REASON)
quantize_graph = refused("contrib.quantization.quantize_graph", _REASON)
quantize_model = refused("contrib.quantization.quantize_model", _REASON)
quantize_model_mkldnn = refused("contrib.quantization.quantize_model_mkldnn", _REASON)
quantize_net = refused("contrib.quantization.quantize_net", _REASON)
quantize_net_v2 = refused("contrib.quantization.quantize_net_v2", _REASON)
