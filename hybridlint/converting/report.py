"""The report of a conversion for people: proofs, then what has no counterpart, then what was left out."""

from __future__ import annotations

from hybridlint.converting.conversion import Conversion
from hybridlint.report.proof import render as render_outcomes


def render(conversion: Conversion, *, quiet: bool = False) -> str:
    """Return the report of a conversion; `quiet` leaves out the counts and the definitions that no block needs."""
    parts = [render_outcomes(conversion.outcomes, quiet=quiet)]
    if not conversion.outcomes and conversion.blocks and not quiet:
        parts.append("Nothing was proved: sizes and values are as the text says.\n")
    if not conversion.blocks:
        parts.append("No blocks found.\n")
    parts += [
        f"{f'line {problem.row}' if problem.row else problem.owner}: {problem.reason}: write it by hand\n"
        for problem in conversion.problems
    ]
    left_out = [f"{each.owner} ({each.reason})" for each in conversion.left_out]
    if left_out and not quiet:
        parts.append(f"Left out: {', '.join(left_out)}.\n")
    return "".join(parts)
