"""The engine `onnx`: parts of a graph as models of ONNX, which ONNX Runtime runs."""
