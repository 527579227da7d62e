"""The result of ``hybridlint hybridize`` for people: a table of blocks with the outcome of each, and the diff."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hybridlint.core.result import Result
from hybridlint.hybridizing.outcome import ConversionStatus
from hybridlint.report import diff
from hybridlint.report.proof import width
from hybridlint.report.style import place

if TYPE_CHECKING:
    from rich.text import Text

    from hybridlint.hybridizing.files import Converted
    from hybridlint.hybridizing.outcome import ConversionOutcome

_COLOURS = {
    ConversionStatus.PROVED: "green",
    ConversionStatus.UNPROVED: "yellow",
    ConversionStatus.PART: "yellow",
    ConversionStatus.IMPOSSIBLE: "red",
}


def render(done: Sequence[Converted], *, written: bool, unsafe: bool, quiet: bool = False) -> str:
    """Return the table and, unless `quiet`, the count of each outcome, and what was or would be written."""
    outcomes = [outcome for each in done for outcome in each.outcomes]
    if not outcomes:
        return "" if quiet else "No plain Block found: there is nothing to hybridize.\n"
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="bold", pad_edge=False)
    table.add_column("block", overflow="fold", max_width=width() * 2 // 5)
    table.add_column("outcome", no_wrap=True)
    table.add_column("reason", overflow="fold")
    for outcome in outcomes:
        name = Text.assemble(
            (outcome.block, "bold"), "\n", (place(outcome.path, outcome.row, width() * 2 // 5 - 2), "dim")
        )
        table.add_row(name, Text(outcome.status.value, style=f"bold {_COLOURS[outcome.status]}"), _description(outcome))
    stream = io.StringIO()
    console = Console(file=stream, width=width(), force_terminal=True, color_system="standard", highlight=False)
    console.print(table)
    if not quiet:
        console.print("\n" + " ".join(_summary(done, outcomes, written=written, unsafe=unsafe)))
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def left(done: Sequence[Converted], *, written: bool) -> bool:
    """Whether blocks remain that are not hybrid. Those that could become hybrid count too, unless `written`."""
    outcomes = [outcome for each in done for outcome in each.outcomes]
    return bool(outcomes) if not written else any(not outcome.status.safe for outcome in outcomes)


def render_diff(done: Sequence[Converted]) -> str:
    """Return the unified diff of all files that change."""
    return diff.render([Result(each.path, fixed=each.text) for each in done])


def _description(outcome: ConversionOutcome) -> Text:
    from rich.text import Text

    lines = [Text(str(reason)) for reason in outcome.reasons]
    if outcome.proof:
        lines.append(Text(outcome.proof))
    if outcome.setup and outcome.proof:
        lines.append(Text(f"{outcome.block.rpartition('.')[2]}{outcome.setup}", style="dim"))
    if outcome.speed is not None:
        lines.append(Text(_speed(outcome.speed.factor, outcome.speed.before), style="dim"))
    lines += [Text.assemble(("note: ", "cyan"), note) for note in outcome.notes]
    return Text("\n").join(lines)


def _speed(factor: float, before: float) -> str:
    ratio = f"{factor:.1f} times as fast" if factor >= 1 else f"{1 / factor:.1f} times as slow"
    return f"compiled {ratio} as before: a call took {before * 1e3:.2g} ms"


def _summary(
    done: Sequence[Converted], outcomes: Sequence[ConversionOutcome], *, written: bool, unsafe: bool
) -> Iterator[str]:
    counted = Counter(outcome.status for outcome in outcomes)
    yield ", ".join(f"{counted[status]} {status.value}" for status in ConversionStatus if counted[status]) + "."
    files = sum(each.text.changed for each in done)
    open_ends = counted[ConversionStatus.UNPROVED] + counted[ConversionStatus.PART]
    if written:
        yield f"Wrote {files} file{'' if files == 1 else 's'}." if files else "Nothing was written."
    elif files:
        yield f"`--fix{' --unsafe-fixes' if unsafe and open_ends else ''}` writes {'it' if files == 1 else 'them'}."
    if open_ends and not unsafe:
        yield "What is not proved is written with `--unsafe-fixes` only."
