"""The record of a run: how each class was built and called, merged into the file of earlier runs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from hybridlint.proving.recording.descriptions import form, merge_descriptions
from hybridlint.proving.recording.file_format import read, write

#: Most constructions stored for a class, and most calls with different types.
MOST_BUILT, MOST_CALLS = 4, 8


class RunRecord:
    """What is known about classes, keyed by ``path/of/file.py:Class``, as JSON data."""

    def __init__(self) -> None:
        self.blocks: dict[str, dict[str, Any]] = {}

    def note(self, key: str, digest: str, built: Mapping[str, Any], call: Mapping[str, Any]) -> dict[str, Any] | None:
        """Add a call of a block, and return the entry that holds it, or None if there are enough already.

        `built` is how the block was constructed.
        """
        block = self.blocks.setdefault(key, {"source": digest, "built": []})
        place = _entry(block["built"], built)
        return None if place is None else _add_call(place["calls"], call)

    def save(self, path: str) -> None:
        """Write the file. Entries of earlier runs stay if the class's source is unchanged."""
        with _locked(path):
            known = read(path)
            for key, block in self.blocks.items():
                old = known.get(key)
                if old is not None and old["source"] == block["source"]:
                    _join(block, old)
                known[key] = block
            write(path, known)


def _entry(places: list[dict[str, Any]], built: Mapping[str, Any]) -> dict[str, Any] | None:
    for place in places:
        if {key: place[key] for key in place if key != "calls"} == built:
            return place
    if len(places) >= MOST_BUILT:
        return None
    places.append({**built, "calls": []})
    return places[-1]


def _add_call(calls: list[dict[str, Any]], call: Mapping[str, Any]) -> dict[str, Any] | None:
    for known in calls:
        if _form(known) == _form(call):
            known["inputs"] = {
                name: merge_descriptions(spec, call["inputs"][name]) for name, spec in known["inputs"].items()
            }
            known["modes"] = list(dict.fromkeys([*known["modes"], *call["modes"]]))
            known["count"] += call["count"]
            return known
    if len(calls) >= MOST_CALLS:
        return None
    calls.append(dict(call))
    return calls[-1]


def _form(call: Mapping[str, Any]) -> Any:
    return [(name, form(spec)) for name, spec in call["inputs"].items()]


def _join(block: dict[str, Any], old: Mapping[str, Any]) -> None:
    for built in old["built"]:
        place = _entry(block["built"], {key: built[key] for key in built if key != "calls"})
        if place is not None:
            for call in built["calls"]:
                _add_call(place["calls"], call)


@contextmanager
def _locked(path: str) -> Iterator[None]:
    """Lock the file against other recording processes, if the system supports locks."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        import fcntl
    except ImportError:
        yield
        return
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)
