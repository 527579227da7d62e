"""How each operator is written in ONNX, by families. The modules register their functions when they are imported."""
