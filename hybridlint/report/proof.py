"""Proof results for people: a table of blocks, outcomes and reasons, and a progress display on a terminal."""

from __future__ import annotations

import io
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import click

from hybridlint.core.proof_outcome import AS_IT_IS, ProofOutcome, ProofStatus
from hybridlint.proving.progress import DisplayedProgress, Progress
from hybridlint.report.style import place, show_path
from hybridlint.system.progress_lines import LateLines, PacedLines

if TYPE_CHECKING:
    from rich.text import Text

_COLOURS = {ProofStatus.PROVED: "green", ProofStatus.REFUTED: "red", ProofStatus.NOT_RUN: "yellow"}
#: Width in columns when the output is not a terminal.
_WIDTH = 120
#: Seconds of all proofs together below which nothing is said of them, and how many blocks are named above.
_SHORT = 5.0
_MOST_SLOW = 5
#: Most lines for one block about the actions that were blocked.
_MOST_STOPPED = 5


def render_alone(outcomes: Sequence[ProofOutcome], *, quiet: bool = False) -> str:
    """Return the report of proofs without findings: the table and, unless `quiet`, counts and slowest blocks."""
    if quiet:
        return render(outcomes, quiet=True)
    return (render(outcomes) or "No hybrid blocks found.\n") + slowest(outcomes)


def render(outcomes: Sequence[ProofOutcome], *, quiet: bool = False) -> str:
    """Return the table and, unless `quiet`, the count of each outcome, possibly with ANSI colours; "" without any."""
    if not outcomes:
        return ""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="bold", pad_edge=False)
    table.add_column("block", overflow="fold", max_width=width() * 2 // 5)
    table.add_column("outcome", no_wrap=True)
    table.add_column("reason", overflow="fold")
    for outcome in outcomes:
        status = Text(outcome.status.value, style=f"bold {_COLOURS[outcome.status]}")
        table.add_row(_block(outcome), status, _reason(outcome))
    stream = io.StringIO()
    console = Console(file=stream, width=width(), force_terminal=True, color_system="standard", highlight=False)
    console.print(table)
    if not quiet:
        console.print(f"\n{_counts(outcomes)}{lines_note(outcomes)}")
        for line in unbuilt_lines(outcomes):
            console.print(line, markup=False, soft_wrap=True)
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def slowest(outcomes: Sequence[ProofOutcome]) -> str:
    """Return the slowest blocks of a proof, and advice to make them faster; "" if all were fast."""
    took = sorted(((outcome.took, outcome) for outcome in outcomes if outcome.took), key=lambda each: -each[0])
    total = sum(seconds for seconds, _ in took)
    if total < _SHORT:
        return ""
    first = ", ".join(f"{outcome.block} {seconds:.1f} s" for seconds, outcome in took[:_MOST_SLOW])
    rest = sum(seconds for seconds, _ in took[_MOST_SLOW:])
    others = f", {len(took) - _MOST_SLOW} more {rest:.1f} s" if rest else ""
    return f"Time: {first}{others}.\nFaster: smaller sizes in a directive{_costly(took[0][1])}.\n"


def _costly(outcome: ProofOutcome) -> str:
    """Return further advice for the slowest block, by the number of its runs."""
    return f", or fewer of its {outcome.runs} calls (`samples` and `batch-sizes`)" if outcome.runs > 1 else ""


def lines_note(outcomes: Sequence[ProofOutcome]) -> str:
    """Return a sentence, with a leading space, on which version of a fixed file the lines refer to; else ""."""
    versions = {outcome.lines_of for outcome in outcomes} - {AS_IT_IS}
    return f" Lines are those of {versions.pop()}." if len(versions) == 1 else ""


def unbuilt_lines(outcomes: Sequence[ProofOutcome]) -> list[str]:
    """Return a line that names the modules which are not built and which stand-ins replaced; empty without any."""
    modules = {name: file for outcome in outcomes for name, file in outcome.unbuilt}
    if not modules:
        return []
    named = ", ".join(f"{name} (only {file} is there)" for name, file in modules.items())
    return [f"Not built, replaced by {'a stand-in' if len(modules) == 1 else 'stand-ins'}: {named}."]


@contextmanager
def progress() -> Iterator[Progress]:
    """Show which block is running: on a terminal each, elsewhere a line every ten seconds.

    What is judged is told at once, in a run of more than ten seconds.
    """
    if not sys.stderr.isatty():
        lines = PacedLines()
        with lines.repeating():
            yield DisplayedProgress(lines, show_path, LateLines(partial(click.echo, err=True)))
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status("proving") as status:
        late = LateLines(lambda line: status.console.print(escape(line), highlight=False))
        yield DisplayedProgress(lambda text: status.update(escape(text())), show_path, late)


def width() -> int:
    """Return the number of columns of a table: the terminal's width, or a default without a terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _WIDTH


def _counts(outcomes: Sequence[ProofOutcome]) -> str:
    counted = Counter(outcome.status for outcome in outcomes)
    return ", ".join(f"{counted[status]} {status.value}" for status in ProofStatus) + "."


def _block(outcome: ProofOutcome) -> Text:
    from rich.text import Text

    return Text.assemble((outcome.block, "bold"), "\n", (place(outcome.path, outcome.row, width() * 2 // 5 - 2), "dim"))


def _reason(outcome: ProofOutcome) -> Text:
    from rich.text import Text

    line = outcome.failed_row
    lines = [Text(outcome.reason if line is None else f"{outcome.reason} (line {line})")]
    if outcome.difference is not None and str(outcome.difference):
        lines.append(Text(str(outcome.difference)))
    if outcome.parting is not None:
        lines.append(Text(str(outcome.parting)))
    lines += [Text(line, style="dim") for line in details(outcome)]
    if outcome.taken_back:
        lines.append(Text.assemble((outcome.taken_back, "bold"), " was taken back"))
    if outcome.add:
        lines.append(Text.assemble(("help: ", "cyan"), outcome.add))
    return Text("\n").join(lines)


def details(outcome: ProofOutcome) -> Iterator[str]:
    """Yield lines about how a block was run and which actions were blocked."""
    if outcome.setup:
        yield f"{outcome.block.rpartition('.')[2]}{outcome.setup}"
    if outcome.runs:
        yield f"{_sizes(outcome)}{_compared(outcome)}, {outcome.runs} calls"
    agreeing = [ran.name for ran in outcome.variants if ran.note is None]
    if agreeing:
        yield f"each eager and {', '.join(agreeing)}"
    yield from (f"not {ran.name}: {ran.note}" for ran in outcome.variants if ran.note is not None)
    if outcome.call:
        yield f"in the call with {outcome.call}"
    if outcome.module_end is not None:
        yield outcome.module_end
    stopped = [note for note in outcome.stopped if note.rpartition(" (")[0] not in outcome.reason]
    yield from (f"stopped: {note}" for note in stopped[:_MOST_STOPPED])
    if len(stopped) > _MOST_STOPPED:
        yield f"stopped: {len(stopped) - _MOST_STOPPED} more"


def _compared(outcome: ProofOutcome) -> str:
    if outcome.gradients:
        return "forward and gradient, predict and train mode"
    # If a gradient exists but was not compared, the reason says so.
    return "forward" if "gradient" in outcome.reason else "forward (there is no gradient), predict and train mode"


def _sizes(outcome: ProofOutcome) -> str:
    names = dict.fromkeys(name for sizes in outcome.rounds for name in sizes)
    varied = {name: dict.fromkeys(sizes[name] for sizes in outcome.rounds if name in sizes) for name in names}
    return "".join(f"{name} = {' and '.join(map(str, sizes))}, " for name, sizes in varied.items())
