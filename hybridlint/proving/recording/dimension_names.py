"""Names for dimensions that vary between calls. Dimensions that vary together share one name; the batch is N."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hybridlint.proving.recording.descriptions import merge_descriptions

BATCH = "N"
#: Names for dimensions other than the batch, in this order.
_NAMES = ("T", "H", "W", "D", "L", "K", "M", "P")


def named_sizes(calls: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], list[dict[str, int]]]:
    """Return the inputs of similar calls with names for varying dimensions, and each call's sizes by name.

    The first axis of the first array is the batch, even if its size never varied. So is the first axis of any other
    array that has the same size in all calls.
    """
    names = _Names(calls)
    inputs = {name: names.spec([call["inputs"][name] for call in calls]) for name in calls[0]["inputs"]}
    rounds = [{name: sizes[k] for name, sizes in names.known.items()} for k in range(len(calls))]
    return inputs, [sizes for k, sizes in enumerate(rounds) if sizes not in rounds[:k]]


class _Names:
    """Names of dimensions, keyed by their sizes in all calls."""

    def __init__(self, calls: Sequence[Mapping[str, Any]]) -> None:
        firsts = [_first_shape(list(call["inputs"].values())) for call in calls]
        self.batch = tuple(shape[0] for shape in firsts if shape)
        self.known: dict[str, tuple[int, ...]] = {}

    def spec(self, specs: Sequence[Any]) -> dict[str, Any]:
        """Merge the descriptions of one input in all calls."""
        first = specs[0]
        if "list" in first:
            return {"list": [self.spec([spec["list"][k] for spec in specs]) for k in range(len(first["list"]))]}
        if "shape" not in first:
            return dict(first)
        joint = dict(first)
        for spec in specs[1:]:
            joint = dict(merge_descriptions(joint, spec))
        columns = zip(*(spec["shape"] for spec in specs), strict=True)
        return {**joint, "shape": [self._size(sizes, first=axis == 0) for axis, sizes in enumerate(columns)]}

    def _size(self, sizes: tuple[int, ...], *, first: bool) -> int | str:
        if first and sizes == self.batch:
            self.known[BATCH] = sizes
            return BATCH
        if len(set(sizes)) == 1:
            return sizes[0]
        taken = next((name for name, known in self.known.items() if known == sizes and name != BATCH), None)
        name = taken or next((n for n in _NAMES if n not in self.known), f"S{len(self.known)}")
        self.known[name] = sizes
        return name


def _first_shape(specs: Sequence[Any]) -> Sequence[int]:
    """Return the shape of the first array among nested inputs, or () if there is none."""
    for spec in specs:
        shape: Sequence[int] = spec.get("shape") or _first_shape(spec.get("list", []))
        if shape:
            return shape
    return ()
