"""A search for shapes of several inputs that fit each other, by shape inference on the block's graph.

Examples are a label for each item of a batch of scores, and a batch of items beside a batch of users. First the graph
infers shapes from inputs of unknown sizes. An axis that stays unknown gets a size that no other axis has. If the graph
rejects that size, the sizes of other axes are tried, then the sizes in the error message.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hybridlint.proving.child.clock import now
from hybridlint.proving.child.specs.spec import BATCH

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Union

    #: An unknown size is None.
    Shape = tuple[Union[int, None], ...]  # noqa: UP007 - the child also runs under Python 3.8
    #: Takes partly known shapes of the inputs; returns them completed, or the error message if they do not fit.
    Infer = Callable[[Mapping[str, Shape]], Union["dict[str, Shape]", str]]  # noqa: UP007 - see above

#: Limits: seconds, shapes checked with a graph, and shapes checked for one choice of ranks.
PATIENCE, MOST, MOST_OF_RANKS = 2.0, 3000, 60
#: Ranks of arrays, the likeliest first, and ranks of arrays of integers.
RANKS, WHOLE_RANKS = (2, 1, 3, 4, 5), (1, 2, 3, 4)
#: Sizes for feature axes, unlike the other sizes in use.
_FEATURES = (6, 7, 9, 11, 13, 17, 19)
#: Sizes that the sides of images often have.
_SIDES = (16, 32, 64)
#: With this many axes or more, feature sizes are chosen before free sizes.
_IMAGE = 4
_NUMBER = re.compile(r"(?<![\w.])\d{1,4}(?![\w.])")
#: Limits for sizes from an error message: how many are tried, and the largest one.
_MOST_NAMED, _LARGEST = 4, 512


class UnknownSize(NamedTuple):
    """An input without a known shape: the ranks to try, the likeliest first, and whether its values are integers."""

    ranks: tuple[int, ...]
    whole: bool = False


def solutions(
    inputs: Mapping[str, UnknownSize], infer: Infer, sizes: Mapping[str, int], patience: float = PATIENCE
) -> Iterator[dict[str, tuple[int | str, ...]]]:
    """Yield shapes of all inputs, by name, that `infer` accepts, the likeliest first.

    `sizes` maps names of variable sizes, including the batch, to numbers. Shapes without a batch axis or with sizes of
    1 come last.
    """
    search = _Search(inputs, infer, sizes, patience)
    for rules in _RULES:
        for ranks in search.ranks(rules):
            yield from search.filled(ranks, rules)
            if search.over():
                return


class _Rules(NamedTuple):
    """Constraints: whether the first axis of each input is the batch, and how many free sizes may be 1."""

    batched: bool
    ones: int


#: A fit with sizes of 1 is often accidental, so fewer of them come first.
_RULES = (_Rules(True, 0), _Rules(True, 1), _Rules(False, 0), _Rules(True, 2), _Rules(False, 1), _Rules(False, 9))


class _Search:
    def __init__(
        self, inputs: Mapping[str, UnknownSize], infer: Infer, sizes: Mapping[str, int], patience: float
    ) -> None:
        self.inputs = inputs
        self.infer = infer
        self.batch = sizes[BATCH]
        self.named = {name: size for name, size in sizes.items() if name != BATCH}
        self.attempts = 0
        self.deadline = now() + patience
        #: The last error message of the graph; sizes in it are tried.
        self.message = ""

    def over(self) -> bool:
        return self.attempts > MOST or now() > self.deadline

    def ask(self, shapes: Mapping[str, Shape]) -> dict[str, Shape] | None:
        self.attempts += 1
        found = self.infer(shapes)
        if isinstance(found, str):
            self.message = found
            return None
        return found

    def ranks(self, rules: _Rules) -> Iterator[dict[str, Shape]]:
        """Yield, for each choice of ranks that the graph accepts, the inferred shapes; None is an unknown size."""
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
        """Yield versions of the shapes `known` in which all unknown sizes have a number or a name."""
        yield from self._fill(known, {}, rules, self.attempts + MOST_OF_RANKS)

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
        usual = _SIDES if axis > 1 and len(shapes[name]) >= _IMAGE else ()
        ones = [1] if rules.ones else []
        options = [*self._options(name, axis, shapes), *varying, *self._taken(shapes), *usual, *ones]
        while self.attempts < limit and not self.over():
            named = [size for size in _numbers(refused) if size != self.batch]
            size = next((size for size in [*options, *named] if size not in tried), None)
            if size is None:
                return
            tried.add(size)
            shape = (*shapes[name][:axis], size, *shapes[name][axis + 1 :])
            known = self.ask({**shapes, name: shape})
            if known is None:
                refused = self.message
                continue
            freed = {size: varying[size]} if size in varying else {}
            left = rules._replace(ones=rules.ones - (size == 1))
            yield from self._fill(known, {**free, **freed}, left, limit)

    def _varying(self, name: str, axis: int, shapes: Mapping[str, Shape]) -> dict[int, str]:
        """Return {number: name} for the named sizes that no shape uses yet; empty for a feature axis."""
        if self._is_feature(name, axis, shapes):
            return {}
        taken = self._taken(shapes)
        return {size: name for name, size in self.named.items() if size not in taken}

    def _options(self, name: str, axis: int, shapes: Mapping[str, Shape]) -> list[int]:
        """Return the likeliest sizes of an axis: the batch for the first axis, an unused size for a feature axis."""
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
        """Return a shape with names in place of the numbers in `free`, and with the batch as its first axis."""
        named = [free.get(size, size) for size in shape if size is not None]
        return tuple(BATCH if axis == 0 and size == self.batch else size for axis, size in enumerate(named))


def _numbers(message: str) -> list[int]:
    """Return the sizes that an error message names."""
    found = dict.fromkeys(int(text) for text in _NUMBER.findall(message))
    return [size for size in found if 1 < size <= _LARGEST][:_MOST_NAMED]
