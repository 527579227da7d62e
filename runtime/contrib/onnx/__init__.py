"""``mx.contrib.onnx``: ONNX files, which are not supported."""

from __future__ import annotations

from hybridlint.runtime.contrib.refused import refused

_WRITE = "write the -symbol.json and .params files with HybridBlock.export and convert those with MXNet"
_READ = "files of ONNX are read with MXNet; export them there, and load the result with SymbolBlock.imports"

export_model = refused("contrib.onnx.export_model", _WRITE)
get_model_metadata = refused("contrib.onnx.get_model_metadata", _READ)
import_model = refused("contrib.onnx.import_model", _READ)
import_to_gluon = refused("contrib.onnx.import_to_gluon", _READ)
