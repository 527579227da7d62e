"""Whether code is a step of a recurrent cell. The first states of a cell have batch size 0, meaning any size.

Operators of equal shapes infer the size from their other operand, and operators that broadcast do not: measured, a cell
that is unrolled with ``F.broadcast_add(a, b)`` in the place of ``a + b`` raises, because no shape can be inferred.
"""

from __future__ import annotations

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.fixers.toolkit.class_hierarchy import methods_of
from hybridlint.fixers.toolkit.names import class_around

#: The method by which a recurrent cell tells the shapes of its states.
_PROTOCOL = "state_info"


def is_step(frame: CodeContext) -> bool:
    """Return whether a frame is in the traced method of a class that tells the shapes of its states."""
    owner = class_around(frame)
    named = getattr(frame.function, "name", "") == ENTRY
    return named and owner is not None and _PROTOCOL in methods_of(frame.source.tree, owner)
