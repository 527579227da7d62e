"""The readiness of a project's blocks for PyTorch as a table, with the number of blocks in each state."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence

from hybridlint.converting.pytorch_readiness import Leaving, LeavingState
from hybridlint.report.proof import width
from hybridlint.report.style import place

_COLOURS = {
    LeavingState.WHOLE: "green",
    LeavingState.AFTER_RUN: "cyan",
    LeavingState.PARTLY: "yellow",
    LeavingState.NOT: "red",
}


def render(found: Sequence[Leaving], *, quiet: bool = False) -> str:
    """Return the table and, unless `quiet`, the counts, possibly with ANSI colours."""
    if not found:
        return "" if quiet else "No blocks found.\n"
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="bold", pad_edge=False)
    table.add_column("block", overflow="fold", max_width=width() * 2 // 5)
    table.add_column("converted", no_wrap=True)
    table.add_column("what is left", overflow="fold")
    for each in found:
        name = Text.assemble((each.block, "bold"), "\n", (place(each.path, each.row, width() * 2 // 5 - 2), "dim"))
        table.add_row(name, Text(each.state.value, style=f"bold {_COLOURS[each.state]}"), "\n".join(each.reasons))
    stream = io.StringIO()
    console = Console(file=stream, width=width(), force_terminal=True, color_system="standard", highlight=False)
    console.print(table)
    if not quiet:
        console.print(f"\n{counts(found)}")
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def counts(found: Sequence[Leaving]) -> str:
    """Return a sentence with the number of blocks in each state."""
    counted = Counter(each.state for each in found)
    listed = ", ".join(f"{counted[state]} {state.value}" for state in LeavingState if counted[state])
    return f"To PyTorch: {listed}. `hybridlint convert --to torch FILE.py` writes and proves them."
