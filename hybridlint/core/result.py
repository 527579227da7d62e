"""The result of a check of one file, as every step passes it on and every report reads it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from hybridlint.runtime.facts.records import record

if TYPE_CHECKING:
    from hybridlint.analysis.imports.finder import Links
    from hybridlint.core.applied_fixes import Applied, BlockState, Dropped, Pass, Refused
    from hybridlint.core.diagnostic import Diagnostic
    from hybridlint.core.proof_outcome import ProofOutcome
    from hybridlint.system.file_identity import FileIdentity


@record(frozen=True, slots=True)
class Fixed:
    """The result of fixing a file. `before` equals `after` if nothing was fixed.

    `repaired` has the codes of the findings that were marked as fixable and are gone: one fix may repair several, and a
    finding may take several fixes. `applied` holds those fixes, and `passes` the edits of all of them, in the order in
    which they were applied. `identity` is that of the file that was read, None for text that was passed in.
    """

    before: str
    after: str
    encoding: str
    repaired: tuple[str, ...] = ()
    applied: tuple[Applied, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    passes: tuple[Pass, ...] = ()
    identity: FileIdentity | None = None
    #: The bytes of a document as they were read: `before` and `after` are the program of its code. None for Python.
    document: bytes | None = None
    #: How many findings without a fix of their own are gone too, and how many there are that fixing brought.
    along: int = 0
    new: int = 0
    #: How many findings are answered by a class that stays eager, which is no repair.
    kept_eager: int = 0
    #: The blocks that had findings, with what is left in each, if any fix was applied.
    blocks: tuple[BlockState, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether fixing changed the text."""
        return self.before != self.after


@record(frozen=True, slots=True)
class Result:
    """The final result for a file. The positions of the diagnostics refer to `text`, which is empty if there are none.

    `failure` says why the file could not be checked at all.
    """

    path: Path
    text: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    fixed: Fixed | None = None
    failure: str | None = None
    #: Outcomes of running the blocks before and after fixing, if a proof was asked for.
    proof: tuple[ProofOutcome, ...] = ()
    #: Dependencies found since the process's last result; None if the result depends on the file alone.
    links: tuple[Links, ...] | None = None
    #: The number of the notebook's cell that places refer to, once they are told as a reader knows them.
    cell: int | None = None


#: Fixes a file again in memory, without some fixes.
Refix = Callable[["Refused"], Result]
