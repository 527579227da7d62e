"""MXNet's messages for arrays that are on the tape of autograd wrongly, or are missing from it."""

from __future__ import annotations

NOT_IN_GRAPH = (
    "Cannot differentiate node because it is not in a computational graph. You need to set is_recording to true or use "
    "autograd.record() to save computational graphs for backward. If you want to differentiate the same graph twice, "
    "you need to pass retain_graph=True to backward."
)
ASSIGNED = (
    "Assigning to NDArrays that are already in a computational graph will cause undefined behavior when evaluating "
    "gradients. Please call backward first to clear the graph or do this out side of a record section."
)
