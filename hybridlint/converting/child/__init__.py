"""Runs of a block in the sandbox: on the bundled runtime to observe it, and in PyTorch to compare."""
