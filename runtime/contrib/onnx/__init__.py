"""``mx.contrib.onnx``: ONNX files, written and read."""

from __future__ import annotations

from hybridlint.runtime.contrib.refused import refused
from hybridlint.runtime.onnx.mx2onnx import export_model

_READ = "files of ONNX are read with MXNet; export them there, and load the result with SymbolBlock.imports"

get_model_metadata = refused("contrib.onnx.get_model_metadata", _READ)
import_model = refused("contrib.onnx.import_model", _READ)
import_to_gluon = refused("contrib.onnx.import_to_gluon", _READ)
