"""The names of Gluon's base classes, and of the method that is traced, for the process beside the user's code.

It has no analysis to ask. They are those of `hybridlint.analysis.mxnet.classes`, which a test holds.
"""

ENTRY = "hybrid_forward"
BLOCK = "Block"
HYBRID_BLOCK = "HybridBlock"
