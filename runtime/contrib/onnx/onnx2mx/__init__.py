"""From ONNX files to symbols and parameters."""

from hybridlint.runtime.contrib.onnx.onnx2mx.import_model import get_model_metadata, import_model
from hybridlint.runtime.contrib.onnx.onnx2mx.import_to_gluon import import_to_gluon
