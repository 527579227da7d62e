"""The readiness of a project for people: a table of its blocks, and how many are in each state."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Sequence

from hybridlint.hybridizing.readiness import Readiness, ReadinessState
from hybridlint.report.proof import width
from hybridlint.report.style import place

_COLOURS = {
    ReadinessState.CLEAN: "green",
    ReadinessState.FIXABLE: "cyan",
    ReadinessState.PERSON: "yellow",
    ReadinessState.CONVERTIBLE: "cyan",
    ReadinessState.PARTLY: "yellow",
    ReadinessState.IMPOSSIBLE: "red",
}


def render(found: Sequence[Readiness], *, quiet: bool = False) -> str:
    """Return the table and, unless `quiet`, the counts, possibly with ANSI colours."""
    if not found:
        return "" if quiet else "No blocks found.\n"
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="bold", pad_edge=False)
    table.add_column("block", overflow="fold", max_width=width() * 2 // 5)
    table.add_column("state", no_wrap=True)
    table.add_column("first reason", overflow="fold")
    for each in found:
        name = Text.assemble((each.block, "bold"), "\n", (place(each.path, each.row, width() * 2 // 5 - 2), "dim"))
        state = Text(each.state.value, style=f"bold {_COLOURS[each.state]}")
        table.add_row(name, state, "" if each.reason is None else Text(str(each.reason)))
    stream = io.StringIO()
    console = Console(file=stream, width=width(), force_terminal=True, color_system="standard", highlight=False)
    console.print(table)
    if not quiet:
        console.print("\n".join(("", counts(found), *next_steps(found))))
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def counts(found: Sequence[Readiness]) -> str:
    """Return a sentence with the number of blocks in each state, and the share that is hybrid and clean."""
    counted = Counter(each.state for each in found)
    listed = ", ".join(f"{counted[state]} {state.value}" for state in ReadinessState if counted[state])
    blocks = "1 block is" if len(found) == 1 else f"{len(found)} blocks are"
    return f"{listed}. {100 * counted[ReadinessState.CLEAN] // len(found)} % of {blocks} ready."


def next_steps(found: Sequence[Readiness]) -> Iterator[str]:
    """Yield a sentence for each command that brings blocks further, with the number of them."""
    counted = Counter(each.state for each in found)
    unsafe = sum(each.unsafe for each in found)
    if safe := counted[ReadinessState.FIXABLE] - unsafe:
        yield f"Repair {safe} with `hybridlint check --fix`."
    if unsafe:
        yield f"Repair {unsafe}{' more' if safe else ''} with `hybridlint check --fix --unsafe-fixes`."
    if counted[ReadinessState.CONVERTIBLE]:
        yield f"Convert {counted[ReadinessState.CONVERTIBLE]}, with a proof of each, by `hybridlint hybridize --fix`."
