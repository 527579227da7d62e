"""The engine of GPUs: groups of operators become CUDA kernels."""
