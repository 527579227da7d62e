"""From symbols and parameters to ONNX."""

from hybridlint.runtime.onnx.mx2onnx.export import export_model
from hybridlint.runtime.onnx.mx2onnx.translation import get_operator_support
