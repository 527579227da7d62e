"""The applied and the dropped fixes of a file, and the edits of each pass.

A fix has an identity that does not depend on its current position, nor on which other fixes are applied.
"""

from __future__ import annotations

from collections.abc import Mapping

from hybridlint.runtime.facts.records import record
from hybridlint.text.edits import Edit


@record(frozen=True, slots=True, order=True)
class FixOrigin:
    """The place in the original text that a position of the fixed text comes from.

    `offset` is the offset in the text before any fix. For a position in text that fixes wrote, it is the offset of what
    they replaced, and `within` has the offset in what each of them wrote, the last fix first.
    """

    offset: int
    within: tuple[int, ...] = ()


@record(frozen=True, slots=True, order=True)
class FixId:
    """The identity of a fix: the code of its rule, and the origin of the finding that it repairs.

    `turn` counts the fixes of this rule that were applied to the same place before.
    """

    code: str
    start: FixOrigin
    end: FixOrigin
    turn: int = 0
    #: Whether the fix keeps a class eager, which is the last resort of many findings.
    eager: bool = False


#: Fixes that must not be applied, each with the reason.
Refused = Mapping[FixId, str]


@record(frozen=True, slots=True)
class Applied:
    """A fix that was applied: its row before any fix, and the enclosing class ("" outside all classes).

    `possible` tells a fix of a possible finding, which no report showed, in a class that other fixes repaired,
    `compiles` one that had the class compiled, which it was not, `for_block` one that is worth its change only if its
    block compiles, and `unusual` one of code that only unusual settings or inputs run.
    """

    id: FixId
    row: int
    block: str
    possible: bool = False
    compiles: bool = False
    for_block: bool = False
    unusual: bool = False

    @property
    def code(self) -> str:
        """The code of the rule whose finding the fix repairs."""
        return self.id.code


@record(frozen=True, slots=True)
class Dropped:
    """A requested fix that was not applied.

    `row` is the finding's row in the fixed text, `row_before` its row before any fix.
    """

    code: str
    row: int
    reason: str
    row_before: int


@record(frozen=True, slots=True)
class BlockState:
    """A block that had findings before fixing, with the first remaining row and its effect there.

    A block without a row compiles now.
    """

    name: str
    row: int | None = None
    effect: str = ""


@record(frozen=True, slots=True, order=True)
class OwnedEdit:
    """An edit and the fix that it belongs to, None if several fixes share it, such as an import."""

    edit: Edit
    owner: FixId | None = None


#: The edits that were applied together, in order of position. Spans refer to the text after all earlier passes.
Pass = tuple[OwnedEdit, ...]
