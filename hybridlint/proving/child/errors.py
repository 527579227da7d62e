"""Errors of user code, as one sentence with the row of the user's file."""

from __future__ import annotations

import re
import traceback
from typing import TYPE_CHECKING, NamedTuple

from hybridlint.proving.child.failure_site import FailureSite, blame
from hybridlint.proving.child.sandbox.guard import ADVICE, STOPPED, StoppedError
from hybridlint.proving.child.stand_ins import cause

if TYPE_CHECKING:
    from hybridlint.proving.child.inputs.repairs.failing_operands import Operand

LONGEST = 300
_VALIDATION = re.compile(r"\d+ validation errors? for ")
#: MXNet's and the bundled runtime's message that autograd cannot record an in-place store.
STORED = re.compile(r"Inplace operations|Assigning to NDArrays")


class NotRunError(Exception):
    """Raised when a block can be neither proved nor refuted.

    `reason` says why; `add` is advice (a line of source or a sentence); `row` is the row that raised, in the fixed text
    if `fixed`. `directive` is a comment that was tried and makes the block run.
    """

    def __init__(
        self,
        reason: str,
        add: str | None = None,
        row: int | None = None,
        *,
        fixed: bool = False,
        directive: str | None = None,
    ) -> None:
        super().__init__(reason)
        self.directive = directive
        self.reason = reason
        self.add = add
        self.row = row
        self.fixed = fixed


class SizesError(NotRunError):
    """Raised when a block that ran with some sizes fails with others, though alone it accepts these.

    What it keeps from call to call has the sizes of the first ones, with which it can still be judged.
    """


class DrawsError(NotRunError):
    """Raised when runs in train mode differ only because random numbers are drawn in another order.

    Predict mode can still be judged.
    """


CANNOT_RUN = "the engine of the proof cannot run this"
#: Names that MXNet 1.9.1 itself does not have; the bundled runtime has all of its operators.
_NOT_IN_MXNET = re.compile(
    r"^AttributeError: module 'mxnet\.(?:ndarray|symbol)(?:\.\w+)?' has no attribute "
    r"'(?!_|gen_|register|utils|imdecode)"
)
#: Messages of mxnet, mostly of the bundled runtime, about a missing feature.
LACKS = (
    r"^NotImplementedError: (?!\w+ does not implement)",
    r"bundled runtime",
    # A name that both nd and Symbol lack is missing in MXNet too; code that uses it cannot be hybridized.
    r"^AttributeError: module 'mxnet(?!\.symbol\b)[\w.]*' has no attribute",
    r"cannot be inferred from the inputs",
    r"^ImportError: cannot import name .* from 'mxnet\b",
    r"^ModuleNotFoundError: No module named 'mxnet\.",
)


class Failure(NamedTuple):
    """An exception raised by user code: type and message as one sentence, and its innermost row in the user's file.

    `blame` has the failing statement and its names. `rows` are all rows of the file in the traceback, the outermost
    first. `operands` are the arrays in the failing statement; they are empty unless the caller has added them.
    `in_code` is whether code of the file raised it, as at the trace, and not the graph that was made of it.
    """

    sentence: str
    row: int | None
    blame: FailureSite = FailureSite()
    rows: tuple[int, ...] = ()
    operands: tuple[Operand, ...] = ()
    in_code: bool = False

    @property
    def engine_lacks(self) -> bool:
        """Whether the cause is a feature that the engine lacks, and not the user's code."""
        return not self.blame.own and any(re.search(pattern, self.sentence) for pattern in LACKS)

    @property
    def stopped(self) -> bool:
        """Whether the code tried something that the sandbox forbids."""
        return STOPPED in self.sentence


#: Advice for a class that is meant to be subclassed.
HEIRS = "Verify the classes that derive from it: they say what it computes."
#: Why a block that the text defines is not run if the import did not give it, and advice.
NOT_DEFINED = (
    "the module defines no HybridBlock of this name when it is imported",
    "Define it at the level of the module, under no condition that an import does not meet.",
)
#: Advice if the proof's engine lacks something, unless the engine is MXNet already.
ON_MXNET = "Prove it on MXNet itself: `--engine mxnet --python PATH`, with the path of a Python that has it."


def instead(sentence: str) -> str:
    """Return the advice for an error about something that mxnet lacks."""
    return "Correct the name in that line." if _NOT_IN_MXNET.match(sentence) else ON_MXNET


def lack_reason(sentence: str) -> str:
    """Return the reason for a block that needs something that mxnet, or this engine, lacks."""
    missing = " (MXNet 1.9.1 does not have it either)" if _NOT_IN_MXNET.match(sentence) else ""
    return f"{CANNOT_RUN}: {sentence}{missing}"


def check_stopped(found: Failure | None) -> None:
    """Raise NotRunError if the sandbox stopped the code; such a failure proves and refutes nothing."""
    if found is not None and found.stopped:
        raise NotRunError(found.sentence, ADVICE, found.row)


def failure(error: BaseException, path: str) -> Failure:
    """Return the Failure for an exception that passed through the file `path`."""
    rows: list[int | None] = [
        row for frame, row in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == path
    ]
    if not rows and isinstance(error, SyntaxError) and error.filename == path:
        rows = [error.lineno]
    sentence = describe(cause(error))
    # The bundled runtime names the line of a graph's node; when the graph runs, that line has no frame.
    named = re.search(rf" at {re.escape(path)}:(\d+)", sentence)
    in_code = bool(rows)
    if named and not rows:
        rows = [int(named[1])]
    reason = sentence if named is None else sentence.replace(named[0], "")
    through = [row for row in rows if row is not None]
    return Failure(reason, rows[-1] if rows else None, blame(error), tuple(through), in_code=in_code)


def describe(error: BaseException) -> str:
    """Return the type of an exception and the main line of its message."""
    if isinstance(error, StoppedError):
        return str(error)
    name = type(error).__name__
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines:
        return name
    line = lines[-1] if lines[0].startswith("Traceback") else lines[0]
    if line.endswith(" got"):
        line = f"{line} {lines[-1]}"
    if line.startswith(f"{name}: "):
        line = line[len(name) + 2 :]
    if _VALIDATION.match(line):
        # Libraries that validate arguments report one per line.
        return f"{name}: {'; '.join(lines)}"
    return f"{name}: {line if len(line) <= LONGEST else line[:LONGEST] + '...'}"
