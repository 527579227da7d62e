"""``mx.contrib.onnx``: ONNX files, written and read."""

from hybridlint.runtime.contrib.onnx import onnx2mx
from hybridlint.runtime.contrib.onnx.onnx2mx import get_model_metadata, import_model, import_to_gluon
from hybridlint.runtime.onnx.mx2onnx import export_model
