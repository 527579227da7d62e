"""The report of a conversion for people: proofs, then what has no counterpart, then what was left out."""

from __future__ import annotations

from hybridlint.converting.proof import Conversion
from hybridlint.report.proof import render as render_outcomes


def render(conversion: Conversion, *, quiet: bool = False) -> str:
    """Return the report of a conversion; `quiet` leaves out the counts and the definitions that no block needs."""
    parts = [render_outcomes(conversion.outcomes, quiet=quiet)]
    if not conversion.outcomes and conversion.module.blocks and not quiet:
        parts.append("Nothing was proved: sizes and values are as the text says.\n")
    if not conversion.module.blocks:
        parts.append("No blocks found.\n")
    parts += [
        f"line {problem.row}: {problem.reason} ({problem.owner}): write it by hand\n"
        for problem in conversion.module.problems
    ]
    left_out = [f"{each.owner} ({each.reason})" for each in conversion.module.left_out]
    if left_out and not quiet:
        parts.append(f"Left out: {', '.join(left_out)}.\n")
    return "".join(parts)
