"""Whether events are emitted at the interpreter's position, and how they are marked."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(eq=False, slots=True)
class Reporting:
    """How many reasons there are, around the position, to suppress or mark events."""

    #: The number of contexts around it that suppress events.
    quiet: int = 0
    #: The number of unrolled loops around it.
    unrolled: int = 0
    #: The number of calls around it that are evaluated as synthetic syntax.
    rewritten: int = 0
    #: Above 0, values are merely possible tensors, not certain ones.
    doubts: int = 0
    #: The last links of chains whose ``else`` only rejects values; events in that ``else`` are suppressed.
    complaints: set[ast.AST] = field(default_factory=set)

    @contextmanager
    def silently(self) -> Iterator[None]:
        """Suppress events inside."""
        self.quiet += 1
        try:
            yield
        finally:
            self.quiet -= 1

    @contextmanager
    def unrolling(self) -> Iterator[None]:
        """Mark the code inside as one step of an unrolled loop."""
        self.unrolled += 1
        try:
            yield
        finally:
            self.unrolled -= 1

    @contextmanager
    def rewriting(self) -> Iterator[None]:
        """Mark the code inside as synthetic syntax that is not in the file."""
        self.rewritten += 1
        try:
            yield
        finally:
            self.rewritten -= 1
