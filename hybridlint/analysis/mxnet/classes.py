"""The names of Gluon's base classes and of the traced method, defined only here."""

#: The method of a HybridBlock that is traced, and all methods that blocks call by themselves.
ENTRY = "hybrid_forward"
CALLED_BY_BLOCKS = frozenset({ENTRY, "forward", "__init__", "__call__"})
#: The class that all blocks derive from, and that of those which can be compiled.
BLOCK = "Block"
HYBRID_BLOCK = "HybridBlock"
BASE_CLASSES = frozenset({BLOCK, HYBRID_BLOCK, "SymbolBlock"})
