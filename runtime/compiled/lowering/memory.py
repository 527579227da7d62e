"""The layout of scratch arrays in one block of memory: arrays needed at different times share addresses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hybridlint.runtime.compiled.lowering.kernels import Buffer, Kernel
from hybridlint.runtime.facts.types import itemsize

#: Places begin on lines of a processor's cache, as on those of a GPU's.
LINE = 128


@dataclass(frozen=True, slots=True)
class Arena:
    """The bytes of a block of memory, and where in it buffers begin, by their numbers."""

    size: int
    places: Mapping[int, int]


def arrange_scratch(
    kernels: Sequence[Kernel],
    kept: frozenset[Buffer] = frozenset(),
    together: Sequence[tuple[range, frozenset[Buffer]]] = (),
) -> Arena:
    """Return places for the scratch of kernels that run one after another. Buffers in `kept` are left out.

    Kernels `together` may run at the same time, each for some rows. Of buffers that are divided into these rows, those
    of one size may still follow each other in one place.
    """
    spans: dict[Buffer, tuple[int, int]] = {}
    for at, kernel in enumerate(kernels):
        for access in kernel.accesses():
            if access.buffer.scratch and access.buffer not in kept:
                first, _ = spans.get(access.buffer, (at, at))
                spans[access.buffer] = (first, at)
    rooms = [room for numbers, divided in together for room in _divided_rooms(spans, numbers, divided)]
    rooms += [_Room(_bytes(buffer), *span, [buffer]) for buffer, span in spans.items()]
    taken: list[tuple[int, int, int, int]] = []
    places: dict[int, int] = {}
    # Large ones first: small ones fill the gaps.
    for room in sorted(rooms, key=lambda room: (-room.size, room.buffers[0].number)):
        first, last, bytes_wanted = room.first, room.last, room.size
        place = 0
        for begin, end, since, until in sorted(taken):
            if until < first or since > last:
                continue
            if place + bytes_wanted <= begin:
                break
            place = max(place, end)
        taken.append((place, place + bytes_wanted, first, last))
        places.update({buffer.number: place for buffer in room.buffers})
    return Arena(max((end for _, end, _, _ in taken), default=0), places)


@dataclass(slots=True)
class _Room:
    """Bytes that buffers need one after another, from a first kernel to a last one."""

    size: int
    first: int
    last: int
    buffers: list[Buffer]


def _divided_rooms(spans: dict[Buffer, tuple[int, int]], numbers: range, divided: frozenset[Buffer]) -> list[_Room]:
    """Return rooms for buffers that only kernels run together need, removing them from `spans`.

    Other buffers live as long as these kernels.
    """
    rooms: list[_Room] = []
    until: list[int] = []
    for buffer, (first, last) in sorted(spans.items(), key=lambda item: (item[1], item[0].number)):
        if last < numbers.start or first >= numbers.stop:
            continue
        if first < numbers.start or last >= numbers.stop or buffer not in divided:
            spans[buffer] = min(first, numbers.start), max(last, numbers.stop - 1)
            continue
        del spans[buffer]
        # Rows are as long as each other only in buffers of the very same size.
        alike = (k for k, room in enumerate(rooms) if _kind(room.buffers[0]) == _kind(buffer) and until[k] < first)
        free = next(alike, None)
        if free is None:
            rooms.append(_Room(_bytes(buffer), numbers.start, numbers.stop - 1, [buffer]))
            until.append(last)
        else:
            rooms[free].buffers.append(buffer)
            until[free] = last
    return rooms


def _kind(buffer: Buffer) -> tuple[int, str]:
    return buffer.size, buffer.dtype


def laid_out(buffers: Iterable[Buffer]) -> Arena:
    """Return addresses for buffers that are all in use at the same time, without sharing."""
    size, places = 0, dict[int, int]()
    for buffer in buffers:
        places[buffer.number] = size
        size += _bytes(buffer)
    return Arena(size, places)


def _bytes(buffer: Buffer) -> int:
    """Return the bytes of a buffer, in whole lines of the cache."""
    return -(-buffer.size * itemsize(buffer.dtype) // LINE) * LINE
