"""The engine `jit`: one native function for each part of a graph. It needs llvmlite."""
