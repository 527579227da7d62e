"""Loops and branches that depend on data: ``contrib.foreach``, ``while_loop`` and ``cond``, eager and traced."""
