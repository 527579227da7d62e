"""The outcome of a proof for a block: proved, refuted or not run.

This module also runs under Python 3.8, because reports about existing blocks need it there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridlint.core import schema
from hybridlint.core.coverage import BLOCK_NOT_RUN, FILE_NOT_READ
from hybridlint.runtime.facts.records import record, replace

if TYPE_CHECKING:
    from collections.abc import Callable

#: The text that the rows of an outcome refer to.
AS_IT_IS, BEFORE, AFTER = "the file", "the file before fixing", "the file after fixing"

#: Advice if the fixes are right but not enough, without and with unsafe fixes on offer.
BY_HAND, BY_HAND_OR_UNSAFE = "Fix what is left by hand.", "Fix what is left by hand, or with `--unsafe-fixes`."

#: The beginning of the reason for a block that ran out of time.
TOO_LONG = "it took longer than"


class ProofStatus(Enum):
    """The three possible outcomes of a proof."""

    PROVED = "proved"
    REFUTED = "refuted"
    NOT_RUN = "not run"


@record(frozen=True)
class ReportedDifference:
    """The difference between two runs: `what` is an output, gradient or state, `place` the index of its worst element.

    The numbers are None if shapes, dtypes or the structure differ instead of values.
    """

    what: str
    message: str
    largest_absolute: float | None = None
    largest_relative: float | None = None
    place: tuple[int, ...] | None = None
    expected: float | None = None
    found: float | None = None

    def __str__(self) -> str:
        """Return the numbers as text for the user, "" if there are none."""
        if self.largest_absolute is None or self.place is None:
            return ""
        element = f"[{', '.join(map(str, self.place))}]" if self.place else ""
        return (
            f"{self.found:.6g} instead of {self.expected:.6g} at {self.what}{element}; largest absolute difference "
            f"{self.largest_absolute:.3g}, relative {self.largest_relative:.3g}"
        )


#: A row of a text; None is written for one that is unknown.
_ROW = schema.whole(0, 10_000_000)
_SIZE = schema.whole(0)
_NUMBER = schema.optional(schema.number)
#: The numbers of a difference are given together, with its place, or not at all.
DIFFERENCE = schema.both(
    schema.fields(
        {"what": schema.text(), "message": schema.text()},
        {
            "largest_absolute": _NUMBER,
            "largest_relative": _NUMBER,
            "place": schema.optional(schema.items(_SIZE, most=32)),
            "expected": _NUMBER,
            "found": _NUMBER,
        },
    ),
    holds=lambda found: (
        None in (found.get("largest_absolute"), found.get("place"))
        or None not in (found.get("largest_relative"), found.get("expected"), found.get("found"))
    ),
    what="a difference with all its numbers",
)


@record(frozen=True)
class FirstDivergence:
    """The first call where two runs differ: its row, expression and operator.

    Before Python 3.11 `code` is the whole line, and the operator may be empty. `agreed` counts the calls before it with
    equal results.
    """

    row: int
    operator: str
    code: str
    message: str
    agreed: int
    #: Whether the expression is not in that row of the reader's file, but in the fixed version of that row.
    fixed: bool = False

    def __str__(self) -> str:
        """Return the place as text for the user."""
        before = f", after {self.agreed} call{'s' if self.agreed > 1 else ''} that agree" if self.agreed else ""
        where = f"what fixing makes of line {self.row}," if self.fixed else f"line {self.row}"
        return f"the runs part in {where} at `{self.code}`{before}: {self.message}"


PARTING = schema.fields(
    {"row": _ROW, "operator": schema.text(), "code": schema.text(), "message": schema.text(), "agreed": schema.whole()},
    {"fixed": schema.flag},
)


@record(frozen=True)
class VariantResult:
    """A variant of a block that ran with equal results or, with a `note`, was not compared."""

    name: str
    note: str | None = None


RAN = schema.fields({"name": schema.text(), "note": schema.optional(schema.text())})


@record(frozen=True)
class ReportedNode:
    """A node of the compiled graph: `inputs` are numbers of nodes; `state` is "agrees", "parts" or empty (unknown).

    `shape` is that of its first output in the call that is drawn, None if it is unknown.
    """

    name: str
    operator: str
    inputs: tuple[int, ...]
    row: int | None
    state: str
    shape: tuple[int, ...] | None = None


NODE = schema.fields(
    {
        "name": schema.text(),
        "operator": schema.text(),
        "inputs": schema.items(schema.whole()),
        "row": schema.optional(_ROW),
        "state": schema.one_of("agrees", "parts", ""),
    },
    {"shape": schema.optional(schema.items(_SIZE, most=32))},
)
#: The inputs of a node come before it, so that whoever draws the graph arrives at an end.
GRAPH = schema.both(
    schema.items(NODE, most=1_000),
    holds=lambda nodes: all(k < at for at, node in enumerate(nodes) for k in node["inputs"]),
    what="nodes in the order of their inputs",
)
_TEXTS = schema.items(schema.text(), most=1_000)


#: The beginning of the reason for a file that does not parse.
UNPARSED = "it does not parse"


@record(frozen=True)
class ProofOutcome:
    """The outcome of a proof for one block of a file.

    `row` is the row of the class, `failed_row` the user's line that raised. `add` is advice on how to make the block
    run. `variant` names the run that differs from the eager run before the fix. `fault` is whether a fix can be the
    cause: it cannot if the block was just as wrong before. `taken_back` names the fix that was taken back because of
    this outcome. `variants` are all ways in which the block was run, and `graph` is the compiled graph if it is small
    enough for a picture. `only` lists the restrictions of a proof that covers less than usual, and `rows` are the rows
    that it executed. `stopped` lists forbidden actions that the project's code tried. `module_end` says where the
    module ended early, so that only definitions ran behind it. All rows refer to the text that `lines_of` names.
    `directive` is a comment that says how the block was built and called, if the user had not said so and a comment can
    express it.
    """

    path: Path
    block: str
    row: int
    status: ProofStatus
    reason: str
    add: str | None = None
    failed_row: int | None = None
    difference: ReportedDifference | None = None
    call: str | None = None
    setup: str | None = None
    runs: int = 0
    rounds: tuple[Mapping[str, int], ...] = ()
    gradients: bool = False
    variant: str | None = None
    fault: bool = False
    taken_back: str | None = None
    variants: tuple[VariantResult, ...] = ()
    parting: FirstDivergence | None = None
    graph: tuple[ReportedNode, ...] = ()
    only: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    stopped: tuple[str, ...] = ()
    module_end: str | None = None
    #: The modules of the project that are not built, each with the file that is there: stand-ins took their place.
    unbuilt: tuple[tuple[str, str], ...] = ()
    #: Whether a refutation rests on inputs that are a guess: with others, the runs might agree.
    guessed: bool = False
    lines_of: str = AS_IT_IS
    directive: str | None = None
    #: Seconds of one call: of the old block eagerly, and of the new one compiled. None if they were not measured.
    seconds: tuple[float, float] | None = None
    #: Seconds that the proof of the block took, all attempts together; None if it was not run now.
    took: float | None = field(default=None, compare=False)

    @property
    def coverage(self) -> str | None:
        """The gap in the proof: the whole file if it does not parse, or the block; None if it ran."""
        if self.status is not ProofStatus.NOT_RUN:
            return None
        return FILE_NOT_READ if self.reason.startswith(UNPARSED) else BLOCK_NOT_RUN

    @property
    def late(self) -> bool:
        """Whether the block was not run because time ran out; a later attempt may succeed."""
        return self.status is ProofStatus.NOT_RUN and self.reason.startswith(TOO_LONG)

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as JSON data."""
        return {
            "filename": str(self.path),
            "block": self.block,
            "row": self.row,
            "status": self.status.value,
            "reason": self.reason,
            "only": list(self.only),
            "add": self.add,
            "failed_row": self.failed_row,
            "difference": None if self.difference is None else asdict(self.difference),
            "call": self.call,
            "setup": self.setup,
            "runs": self.runs,
            "rounds": [dict(sizes) for sizes in self.rounds],
            "gradients": self.gradients,
            "taken_back": self.taken_back,
            "stopped": list(self.stopped),
            "module_end": self.module_end,
            "unbuilt": dict(self.unbuilt),
            "guessed": self.guessed,
            "variants": [asdict(ran) for ran in self.variants],
            "parting": None if self.parting is None else asdict(self.parting),
            "lines_of": self.lines_of,
            "directive": self.directive,
            "took": None if self.took is None else round(self.took, 2),
            "coverage": self.coverage,
        }

    def located(self, row_of: Callable[[int], int], lines_of: str, *, same: Callable[[int], bool]) -> ProofOutcome:
        """Return the outcome with its rows mapped to another text by `row_of`.

        `same` returns whether a row of the current text is unchanged in the other text.
        """
        parting = self.parting
        if parting is not None:
            parting = replace(parting, row=row_of(parting.row), fixed=not same(parting.row))
        return replace(
            self,
            row=row_of(self.row),
            failed_row=None if self.failed_row is None else row_of(self.failed_row),
            parting=parting,
            graph=tuple(node if node.row is None else replace(node, row=row_of(node.row)) for node in self.graph),
            rows=tuple(dict.fromkeys(map(row_of, self.rows))),
            lines_of=lines_of,
        )


#: What a process, or a file of the cache, says of a block that was not run.
UNRUN = {
    "reason": schema.text(),
    "add": schema.optional(schema.text()),
    "row": schema.optional(_ROW),
}
#: The message that `as_message` writes and `read_outcome` reads.
OUTCOME = schema.fields(
    {"status": schema.one_of(*(status.value for status in ProofStatus)), "reason": schema.text()},
    {
        **UNRUN,
        "fixed": schema.flag,
        "difference": schema.optional(DIFFERENCE),
        "call": schema.optional(schema.text()),
        "setup": schema.optional(schema.text()),
        "runs": schema.whole(),
        "rounds": schema.items(schema.table(schema.text(), _SIZE), most=1_000),
        "gradients": schema.flag,
        "variant": schema.optional(schema.text()),
        "fault": schema.flag,
        "taken_back": schema.optional(schema.text()),
        "variants": schema.items(RAN, most=1_000),
        "parting": schema.optional(PARTING),
        "graph": GRAPH,
        "only": _TEXTS,
        "rows": schema.items(_ROW, most=1_000_000),
        "stopped": _TEXTS,
        "module_end": schema.optional(schema.text()),
        "unbuilt": schema.items(schema.parts(schema.text(), schema.text()), most=1_000),
        "guessed": schema.flag,
        "lines_of": schema.one_of(AS_IT_IS, BEFORE, AFTER),
        "directive": schema.optional(schema.text(100_000)),
        "seconds": schema.optional(schema.parts(schema.seconds, schema.seconds)),
        "took": schema.optional(schema.seconds),
    },
)


def read_outcome(path: Path, block: str, row: int, message: Mapping[str, Any]) -> ProofOutcome:
    """Return the outcome for a block from a message that `OUTCOME` has checked."""
    difference = message.get("difference")
    if difference is not None:
        place = difference["place"]
        difference = ReportedDifference(**{**difference, "place": None if place is None else tuple(place)})
    return ProofOutcome(
        path,
        block,
        row,
        ProofStatus(message["status"]),
        message["reason"],
        add=message.get("add"),
        failed_row=message.get("row"),
        difference=difference,
        call=message.get("call"),
        setup=message.get("setup"),
        runs=message.get("runs", 0),
        rounds=tuple(message.get("rounds", ())),
        gradients=message.get("gradients", False),
        variant=message.get("variant"),
        fault=message.get("fault", False),
        taken_back=message.get("taken_back"),
        variants=tuple(VariantResult(**ran) for ran in message.get("variants", ())),
        parting=FirstDivergence(**message["parting"]) if message.get("parting") else None,
        graph=tuple(map(_node, message.get("graph", ()))),
        only=tuple(message.get("only", ())),
        rows=tuple(message.get("rows", ())),
        stopped=tuple(message.get("stopped", ())),
        module_end=message.get("module_end"),
        unbuilt=tuple((name, file) for name, file in message.get("unbuilt", ())),
        guessed=message.get("guessed", False),
        lines_of=message.get("lines_of", AS_IT_IS),
        directive=message.get("directive"),
        seconds=tuple(message["seconds"]) if message.get("seconds") else None,
    )


def _node(data: Mapping[str, Any]) -> ReportedNode:
    shape = data.get("shape")
    return ReportedNode(**{**data, "inputs": tuple(data["inputs"]), "shape": None if shape is None else tuple(shape)})


def as_message(outcome: ProofOutcome) -> dict[str, Any]:
    """Return the outcome as JSON data for `read_outcome`, without the file, the block and the row of its class."""
    fields = {key: value for key, value in asdict(outcome).items() if key not in {"path", "block", "row", "failed_row"}}
    return {**fields, "status": outcome.status.value, "row": outcome.failed_row}
