"""Whether the interpreter emits events at its position, and how it marks them."""

from __future__ import annotations

import ast
from dataclasses import field

from hybridlint.analysis.run.temporary_attribute import TemporaryAttribute
from hybridlint.runtime.facts.records import record


@record(eq=False, slots=True)
class Reporting:
    """Counters of the enclosing reasons to suppress events, or to mark them."""

    #: The number of contexts around it that suppress events.
    quiet: int = 0
    #: The value of `quiet` in the call of a child block around it; 0 outside of such calls.
    child: int = 0
    #: The number of unrolled loops around it.
    unrolled: int = 0
    #: The number of calls around it that are evaluated as synthetic syntax.
    rewritten: int = 0
    #: Above 0, values are merely possible tensors, not certain ones.
    doubts: int = 0
    #: The number of contexts around it in which someone looks at the events themselves, such as a `try`.
    attempts: int = 0
    #: The last links of chains whose ``else`` only rejects values; events in that ``else`` are suppressed.
    complaints: set[ast.AST] = field(default_factory=set)

    def silently(self) -> TemporaryAttribute:
        """Return a context manager inside which no events are emitted."""
        return TemporaryAttribute(self, "quiet", self.quiet + 1)

    def in_child(self) -> TemporaryAttribute:
        """Mark the code inside, which emits no events, as a call of a child block by its parent."""
        return TemporaryAttribute(self, "child", self.quiet)

    @property
    def tries(self) -> bool:
        """Whether the code is only tried out, be it a child's or not."""
        return self.quiet > self.child

    def unrolling(self) -> TemporaryAttribute:
        """Mark the code inside as one step of an unrolled loop."""
        return TemporaryAttribute(self, "unrolled", self.unrolled + 1)

    def rewriting(self) -> TemporaryAttribute:
        """Mark the code inside as synthetic syntax that is not in the file."""
        return TemporaryAttribute(self, "rewritten", self.rewritten + 1)
