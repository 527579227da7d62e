"""Control flow that depends on data: ``contrib.foreach``, ``while_loop`` and ``cond``, eager and traced."""
