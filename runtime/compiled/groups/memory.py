"""Where scratch lies in one block of memory: what is needed at different times shares a place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hybridlint.runtime.compiled.groups.kernels import Buffer, Kernel
from hybridlint.runtime.facts.types import itemsize

#: Places begin on lines of a processor's cache, as on those of a GPU's.
LINE = 128


@dataclass(frozen=True, slots=True)
class Arena:
    """The bytes of a block of memory, and where in it buffers begin, by their numbers."""

    size: int
    places: Mapping[int, int]


def arranged(kernels: Sequence[Kernel], kept: frozenset[Buffer] = frozenset()) -> Arena:
    """Return places for the scratch of kernels that run one after another. Buffers in `kept` are left out."""
    spans: dict[Buffer, tuple[int, int]] = {}
    for at, kernel in enumerate(kernels):
        for access in kernel.accesses():
            if access.buffer.scratch and access.buffer not in kept:
                first, _ = spans.get(access.buffer, (at, at))
                spans[access.buffer] = (first, at)
    taken: list[tuple[int, int, int, int]] = []
    places: dict[int, int] = {}
    # Large ones first: small ones fill the gaps.
    for buffer, (first, last) in sorted(spans.items(), key=lambda item: (-item[0].size, item[0].number)):
        bytes_wanted = _bytes(buffer)
        place = 0
        for begin, end, since, until in sorted(taken):
            if until < first or since > last:
                continue
            if place + bytes_wanted <= begin:
                break
            place = max(place, end)
        taken.append((place, place + bytes_wanted, first, last))
        places[buffer.number] = place
    return Arena(max((end for _, end, _, _ in taken), default=0), places)


def laid_out(buffers: Iterable[Buffer]) -> Arena:
    """Return places for buffers that are all needed at any time."""
    size, places = 0, dict[int, int]()
    for buffer in buffers:
        places[buffer.number] = size
        size += _bytes(buffer)
    return Arena(size, places)


def _bytes(buffer: Buffer) -> int:
    """Return the bytes of a buffer, in whole lines of the cache."""
    return -(-buffer.size * itemsize(buffer.dtype) // LINE) * LINE
