"""How many of the blocks that had findings compile after fixing, and where the others still raise or differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hybridlint.report.style import show_file

if TYPE_CHECKING:
    from hybridlint.core.applied_fixes import BlockState
    from hybridlint.core.result import Result

#: Blocks that a sentence names.
_SHOWN = 5


def compiled_blocks(results: Sequence[Result], *, written: bool) -> str:
    """Return a sentence such as "2 of 3 blocks compile now; `Net` still raises in line 26"; "" without fixes."""
    blocks = [(result, block) for result in results for block in _blocks(result)]
    if not blocks:
        return ""
    left = [(result, block) for result, block in blocks if block.row is not None]
    compiled, total = len(blocks) - len(left), len(blocks)
    number = (f"{compiled} of {total}" if compiled else "no") if left else f"{total}"
    what = "block" if total == 1 or not compiled else "blocks"
    verb = ("compiles" if compiled < 2 else "compile") if written else "would compile"
    one_file = len({id(result) for result, _ in blocks}) == 1
    rest = [_left(block, "" if one_file else show_file(result)) for result, block in left]
    more = [f"and {len(rest) - _SHOWN} more"] if len(rest) > _SHOWN else []
    listed = "; " * bool(rest) + ", ".join([*rest[:_SHOWN], *more])
    return f"{number.capitalize()} {what} {verb}{' now' * written}{listed}.\n"


def _left(block: BlockState, path: str) -> str:
    place = f"at {path}:{block.row}" if path else f"in line {block.row}"
    name = block.name.rpartition(".")[2]
    return f"`{name}` {block.effect if 'may' in block.effect else f'still {block.effect}'} {place}"


def _blocks(result: Result) -> Iterator[BlockState]:
    """Yield the blocks of a fixed file."""
    if result.fixed is not None and result.fixed.changed:
        yield from result.fixed.blocks
