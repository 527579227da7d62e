"""``mx.onnx``: networks written as ONNX files, which run without Python and without MXNet."""

from hybridlint.runtime.onnx import mx2onnx
from hybridlint.runtime.onnx.mx2onnx import export_model, get_operator_support
