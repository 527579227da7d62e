"""The containers of blocks that code makes, and what it puts into them."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import TypeAlias

from hybridlint.analysis.model.values import Value
from hybridlint.runtime.facts.records import record

#: The call that built a block, and what was put into that block: None for a block that was just built. The last says
#: whether every path puts it there.
Change: TypeAlias = tuple[ast.AST, Sequence[Value] | None, bool]


@record(eq=False, slots=True)
class BlockContents:
    """The blocks that one analysis saw being built, and their contents, by the calls that built them."""

    added: dict[ast.AST, list[Value]] = field(default_factory=dict)
    #: The containers to which only some paths add something.
    varying: set[ast.AST] = field(default_factory=set)
    #: How often each call was interpreted: a function may build several blocks, unlike each other.
    made: Counter[ast.AST] = field(default_factory=Counter)
    #: All of this, in order of time, since the construction around the position began.
    changes: list[Change] = field(default_factory=list)

    def build(self, creation: ast.AST) -> None:
        """Record that a call has built a block."""
        self._record((creation, None, True))

    def put(self, creation: ast.AST, values: Sequence[Value], *, always: bool) -> None:
        """Record values added to a block, by every path or by some."""
        self._record((creation, values, always))

    def again(self, changes: Iterable[Change]) -> None:
        """Apply the changes of another analysis, as if this one had interpreted the same code."""
        for change in changes:
            self._apply(change)

    def of(self, creation: ast.AST | None) -> Sequence[Value]:
        """Return the values added to the block that a call has built; nothing for an unknown call."""
        return () if creation is None else self.added.get(creation, ())

    def _record(self, change: Change) -> None:
        self.changes.append(change)
        self._apply(change)

    def _apply(self, change: Change) -> None:
        creation, values, always = change
        if values is None:
            self.made[creation] += 1
            return
        self.added.setdefault(creation, []).extend(values)
        if not always:
            self.varying.add(creation)
