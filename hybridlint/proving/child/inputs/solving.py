"""Shapes that several inputs have together: found by what a graph of the block contradicts, rank by rank, size by size.

A label for each of the batch beside scores, a batch of items beside a batch of users: what fits is a matter of a few
ranks and sizes that the graph ties to each other. All inputs of unknown sizes are asked first; sizes that the graph
leaves free are unlike all others, and only where it contradicts them those that others have, or that an error names.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hybridlint.proving.child.clock import now
from hybridlint.proving.child.inputs.specs import BATCH

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Union

    #: A size that nobody knows yet is None.
    Shape = tuple[Union[int, None], ...]  # noqa: UP007 - the child also runs under Python 3.8
    #: Returns the shapes of all inputs that follow from some of them, or what these contradict.
    Infer = Callable[[Mapping[str, Shape]], Union["dict[str, Shape]", str]]  # noqa: UP007 - see above

#: Seconds, shapes that a graph is asked about, and those of one choice of ranks.
PATIENCE, MOST, MOST_OF_RANKS = 2.0, 3000, 60
#: Ranks of arrays, the likeliest first, and of those that hold whole numbers.
RANKS, WHOLE_RANKS = (2, 1, 3, 4), (1, 2, 3)
#: Sizes of features, unlike those in use.
_FEATURES = (6, 7, 9, 11, 13, 17, 19)
#: From as many axes on features come before what is free.
_IMAGE = 4
_NUMBER = re.compile(r"(?<![\w.])\d{1,4}(?![\w.])")
#: Sizes that an error names, and that are tried.
_MOST_NAMED, _LARGEST = 4, 512


class Unknown(NamedTuple):
    """An input whose shape is looked for: its likeliest ranks, and whether it holds whole numbers."""

    ranks: tuple[int, ...]
    whole: bool = False


def solutions(
    inputs: Mapping[str, Unknown], infer: Infer, sizes: Mapping[str, int]
) -> Iterator[dict[str, tuple[int | str, ...]]]:
    """Iterate over shapes of inputs that a graph does not contradict, the likeliest first.

    `sizes` are those that may vary, by name, with that of the batch. What has no batch, and sizes of 1, come last.
    """
    search = _Search(inputs, infer, sizes)
    for rules in _RULES:
        for ranks in search.ranks(rules):
            yield from search.filled(ranks, rules)
            if search.over():
                return


class _Rules(NamedTuple):
    """Whether the first axis of each input is the batch, and how many sizes that the graph leaves free may be 1."""

    batched: bool
    ones: int


#: What fits with a size of 1 often does so by chance: the fewer, the better.
_RULES = (_Rules(True, 0), _Rules(True, 1), _Rules(False, 0), _Rules(True, 2), _Rules(False, 1), _Rules(False, 9))


class _Search:
    def __init__(self, inputs: Mapping[str, Unknown], infer: Infer, sizes: Mapping[str, int]) -> None:
        self.inputs = inputs
        self.infer = infer
        self.batch = sizes[BATCH]
        self.named = {name: size for name, size in sizes.items() if name != BATCH}
        self.asked = 0
        self.deadline = now() + PATIENCE
        #: The last contradiction, whose numbers are tried.
        self.told = ""

    def over(self) -> bool:
        return self.asked > MOST or now() > self.deadline

    def ask(self, shapes: Mapping[str, Shape]) -> dict[str, Shape] | None:
        self.asked += 1
        found = self.infer(shapes)
        if isinstance(found, str):
            self.told = found
            return None
        return found

    def ranks(self, rules: _Rules) -> Iterator[dict[str, Shape]]:
        """Iterate over shapes with unknown sizes that nothing contradicts, with one choice of ranks after the other."""
        names = list(self.inputs)
        queue: list[tuple[int, int, tuple[int, ...]]] = [(0, 0, ())]
        order = 0
        while queue and not self.over():
            cost, _, chosen = heapq.heappop(queue)
            if len(chosen) == len(names):
                known = self.ask(self._open(names, chosen, rules))
                if known is not None:
                    yield known
                continue
            for place, rank in enumerate(self.inputs[names[len(chosen)]].ranks):
                ranks = (*chosen, rank)
                if self.ask(self._open(names, ranks, rules)) is not None:
                    order += 1
                    heapq.heappush(queue, (cost + place, order, ranks))

    def _open(self, names: Sequence[str], ranks: Sequence[int], rules: _Rules) -> dict[str, Shape]:
        first = self.batch if rules.batched else None
        return {names[k]: (first, *(None,) * (rank - 1)) for k, rank in enumerate(ranks)}

    def filled(self, known: Mapping[str, Shape], rules: _Rules) -> Iterator[dict[str, tuple[int | str, ...]]]:
        """Iterate over shapes with sizes for those that are unknown."""
        yield from self._fill(known, {}, rules, self.asked + MOST_OF_RANKS)

    def _fill(
        self, shapes: Mapping[str, Shape], free: Mapping[int, str], rules: _Rules, limit: int
    ) -> Iterator[dict[str, tuple[int | str, ...]]]:
        places = ((n, axis) for n in self.inputs for axis, size in enumerate(shapes[n]) if size is None)
        place = next(places, None)
        if place is None:
            yield {name: self._shown(shapes[name], free) for name in self.inputs}
            return
        name, axis = place
        tried: set[int] = set()
        refused = ""
        varying = self._varying(name, axis, shapes)
        options = [*self._options(name, axis, shapes), *varying, *self._taken(shapes), *([1] if rules.ones else [])]
        while self.asked < limit and not self.over():
            named = [size for size in _numbers(refused) if size != self.batch]
            size = next((size for size in [*options, *named] if size not in tried), None)
            if size is None:
                return
            tried.add(size)
            shape = (*shapes[name][:axis], size, *shapes[name][axis + 1 :])
            known = self.ask({**shapes, name: shape})
            if known is None:
                refused = self.told
                continue
            freed = {size: varying[size]} if size in varying else {}
            left = rules._replace(ones=rules.ones - (size == 1))
            yield from self._fill(known, {**free, **freed}, left, limit)

    def _varying(self, name: str, axis: int, shapes: Mapping[str, Shape]) -> dict[int, str]:
        """Return a size that may vary and that no other axis has, with its name; none for features."""
        if self._is_feature(name, axis, shapes):
            return {}
        taken = self._taken(shapes)
        return dict([(size, name) for name, size in self.named.items() if size not in taken][:1])

    def _options(self, name: str, axis: int, shapes: Mapping[str, Shape]) -> list[int]:
        """Return the likeliest sizes of an axis: the batch for the first, one unlike all others for features."""
        if axis == 0:
            return [self.batch]
        if not self._is_feature(name, axis, shapes):
            return []
        taken = self._taken(shapes)
        return [size for size in _FEATURES if size not in taken][:1]

    def _is_feature(self, name: str, axis: int, shapes: Mapping[str, Shape]) -> bool:
        rank = len(shapes[name])
        return not self.inputs[name].whole and (axis == 1 if rank >= _IMAGE else 0 < axis == rank - 1)

    def _taken(self, shapes: Mapping[str, Shape]) -> list[int]:
        sizes = dict.fromkeys(size for shape in shapes.values() for size in shape)
        return [size for size in sizes if size is not None and size not in (self.batch, 1)]

    def _shown(self, shape: Shape, free: Mapping[int, str]) -> tuple[int | str, ...]:
        """Return a shape with names for the sizes that were free, and for that of the batch."""
        named = [free.get(size, size) for size in shape if size is not None]
        return tuple(BATCH if axis == 0 and size == self.batch else size for axis, size in enumerate(named))


def _numbers(told: str) -> list[int]:
    """Return the sizes that an error names."""
    found = dict.fromkeys(int(text) for text in _NUMBER.findall(told))
    return [size for size in found if 1 < size <= _LARGEST][:_MOST_NAMED]
