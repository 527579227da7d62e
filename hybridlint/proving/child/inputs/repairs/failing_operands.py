"""The arrays used by a failing statement, each traced back to the inputs that it is or was computed from."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hybridlint.proving.child.brief.code import facts_of_code
from hybridlint.proving.child.failure_site import calls, is_engine, statement_of

if TYPE_CHECKING:
    from typing import Union

    #: The place of an array in the inputs: the name of the input, then the indices into its nested lists.
    Place = tuple[Union[str, int], ...]  # noqa: UP007 - the child also runs under Python 3.8

_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")


class Operand(NamedTuple):
    """An array in a failing statement.

    `place` is its place in the inputs, None if it is not itself an input. `of` holds the places of all inputs that it
    was computed from.
    """

    name: str
    shape: tuple[int, ...]
    place: Place | None
    of: frozenset[Place]


def operands(error: BaseException, values: Mapping[str, Any]) -> tuple[Operand, ...]:
    """Return the arrays in the innermost failing statement of the user's code that uses arrays.

    `values` maps the names of the inputs to their arrays.
    """
    known = _Known(values)
    found: tuple[Operand, ...] = ()
    for call in calls(error):
        frame = call.tb_frame
        if is_engine(frame):
            continue
        # Frames of the engine, of which there are many, are not looked up in their files.
        (summary,) = traceback.extract_tb(call, limit=1)
        known.read(frame, call.tb_lineno)
        # For a failed assignment the traceback gives the target alone, so the whole line is read next.
        for text in (statement_of(summary), summary.line or ""):
            arrays = tuple(known.operands(frame, text))
            if arrays:
                found = arrays
                break
    return found


class _Known:
    """The inputs that each array comes from, keyed by `id`; call `read` on the frames from the outermost inwards."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.places: dict[int, Place] = {}
        self.of: dict[int, frozenset[Place]] = {}
        for name, value in values.items():
            self._add(value, (name,))

    def _add(self, value: Any, place: Place) -> None:
        if isinstance(value, (list, tuple)):
            for k, item in enumerate(value):
                self._add(item, (*place, k))
        elif _is_array(value):
            self.places.setdefault(id(value), place)
            self.of[id(value)] = frozenset([place])

    def read(self, frame: Any, row: int) -> None:
        """Record which inputs a frame's local arrays were computed from, by its assignments up to the failing row."""
        origins: dict[str, frozenset[Place]] = {name: self._origin(value) for name, value in frame.f_locals.items()}
        for targets, sources in _assignments(frame, row):
            read = frozenset(place for name in sources for place in origins.get(name, ()))
            for name in targets:
                origins[name] = origins.get(name, frozenset()) | read
        for name, value in frame.f_locals.items():
            for array in value if isinstance(value, (list, tuple)) else [value]:
                if _is_array(array) and origins.get(name):
                    self.of.setdefault(id(array), origins[name])

    def _origin(self, value: Any) -> frozenset[Place]:
        items = value if isinstance(value, (list, tuple)) else [value]
        return frozenset(place for item in items for place in self.of.get(id(item), ()))

    def operands(self, frame: Any, statement: str) -> Iterator[Operand]:
        """Yield the arrays among the local variables that a statement names."""
        for name in dict.fromkeys(_NAME.findall(statement)):
            value = frame.f_locals.get(name)
            for array in value if isinstance(value, (list, tuple)) else [value]:
                if _is_array(array):
                    of = self.of.get(id(array), frozenset())
                    yield Operand(name, tuple(array.shape), self.places.get(id(array)), of)


def _is_array(value: Any) -> bool:
    return hasattr(value, "asnumpy") and isinstance(getattr(value, "shape", None), tuple)


def _assignments(frame: Any, row: int) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yield (names assigned, names read) for each assignment and for loop of a frame's function up to a row."""
    for each in facts_of_code(frame.f_code).inputs.assignments:
        if each.row <= row:
            yield each.targets, each.sources
