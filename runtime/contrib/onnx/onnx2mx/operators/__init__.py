"""How each operator of ONNX is said with MXNet's, by families. The modules register their functions when imported."""
