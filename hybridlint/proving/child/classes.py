"""The names of Gluon's base classes and of the traced method, for the child process.

The child cannot import the analysis, where `hybridlint.analysis.mxnet.classes` defines the same names; a test compares
them.
"""

ENTRY = "hybrid_forward"
BLOCK = "Block"
HYBRID_BLOCK = "HybridBlock"
