"""The record as checks and proofs read it: how blocks are built and called, valid while their source is unchanged."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from hybridlint.core import schema
from hybridlint.core.errors import UsageError
from hybridlint.proving.recording.dimension_names import named_sizes
from hybridlint.proving.recording.file_format import VERSION, write
from hybridlint.proving.recording.sources import class_digests
from hybridlint.runtime.facts.dims import Dim, DimLike
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.regular import read_regular

if TYPE_CHECKING:
    from hybridlint.project.settings.config import Config

_TEXT = schema.exact_text(100_000)
#: How deeply lists of inputs may be nested.
_MOST_NESTED = 20


def _input(value: Any, depth: int = 0) -> Any:
    """Check the description of an input: a list of such, an array, or another object."""
    if isinstance(value, dict) and "list" in value and depth < _MOST_NESTED:
        return schema.items(lambda item: _input(item, depth + 1))(value["list"])
    shaped = isinstance(value, dict) and "shape" in value
    return schema.fields(_ARRAY if shaped else {})(value)


_ARRAY = {"shape": schema.items(schema.whole(), most=64), "dtype": _TEXT}
#: An entry of the record: what its readers rely on.
_BLOCK = schema.fields(
    {
        "source": _TEXT,
        "built": schema.items(
            schema.fields(
                {
                    "calls": schema.items(
                        schema.fields(
                            {"inputs": schema.table(_TEXT, _input), "count": schema.whole()}, {"data": _TEXT}
                        ),
                    )
                },
                {"args": schema.items(_TEXT), "kwargs": schema.table(_TEXT, _TEXT)},
            )
        ),
    }
)
#: Shapes of a class's inputs by name, for inputs with the same number of dimensions in all calls.
Shapes: TypeAlias = Mapping[str, tuple[DimLike, ...]]


@record(frozen=True, slots=True)
class Record:
    """The record of the project in the folder `root`, stored in the file `path`."""

    path: Path
    root: Path
    blocks: Mapping[str, Any]

    def shapes(self, file: Path, text: str) -> dict[str, Shapes]:
        """Return the recorded input shapes of the classes in a file with this text, by qualified name."""
        found = {name: _shapes(block["built"]) for name, block in self._fresh(file, text).items()}
        return {name: shapes for name, shapes in found.items() if shapes}

    def setups(self, file: Path, text: str) -> dict[str, list[dict[str, Any]]]:
        """Return how the classes of a file with this text were built and called, as JSON data for the proof.

        Setups with the most inputs come first, and among these the smallest inputs.
        """
        found = self._fresh(file, text)
        return {name: sorted(self._setups(block["built"]), key=_order) for name, block in found.items()}

    def fixed(self, file: Path, before: str, after: str) -> Record:
        """Return the record with the entries of a file's classes carried over to its fixed text."""
        digests = class_digests(after)
        found = self._fresh(file, before)
        kept = {name: {**block, "source": digests[name]} for name, block in found.items() if name in digests}
        return replace(self, blocks={**self.blocks, **{f"{self._name(file)}:{name}": b for name, b in kept.items()}})

    def save(self) -> None:
        """Write the record to its file. Raises OSError."""
        write(str(self.path), self.blocks)

    def _name(self, file: Path) -> str:
        return os.path.relpath(os.path.realpath(file), os.path.realpath(self.root)).replace(os.sep, "/")

    def _fresh(self, file: Path, text: str) -> dict[str, Mapping[str, Any]]:
        """Return the entries of a file's classes that match their current source."""
        start = f"{self._name(file)}:"
        named = {key[len(start) :]: block for key, block in self.blocks.items() if key.startswith(start)}
        digests = class_digests(text) if named else {}
        return {name: block for name, block in named.items() if digests.get(name) == block["source"]}

    def _setups(self, built: Sequence[Any]) -> Iterator[dict[str, Any]]:
        for place in built:
            how = {key: place[key] for key in ("args", "kwargs", "within") if key in place}
            for calls in _by_kind(place["calls"]):
                inputs, rounds = named_sizes(calls)
                yield {**how, "inputs": inputs, "rounds": rounds, **self._arrays(calls)}

    def _arrays(self, calls: Sequence[Any]) -> dict[str, Any]:
        """Return the stored arrays of the first call that has some."""
        folder = self.path.with_suffix("")
        kept = next((folder / call["data"] for call in calls if "data" in call), None)
        return {} if kept is None or not kept.is_file() else {"arrays": str(kept)}


def load_record(root: Path, name: str) -> Record | None:
    """Return the record of a project, or None without a file. Raises UsageError for an unreadable record."""
    data = _data(root / name)
    return None if data is None else _parsed(root / name, root, data)


def keep_record(file: Path, config: Config, before: str, after: str) -> None:
    """Keep the entries of a file's classes in the record, for the file's changed text. Raises OSError, UsageError."""
    record = load_record(config.root, config.recorded)
    now = record and record.fixed(file, before, after)
    if now is not None and now != record:
        now.save()


def record_digest(root: Path, name: str) -> str:
    """Return a digest of a project's record, or "" without one. Raises UsageError."""
    data = _data(root / name)
    return "" if data is None else hashlib.blake2b(data, digest_size=8).hexdigest()


def _data(path: Path) -> bytes | None:
    try:
        return read_regular(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UsageError(f"{path}: cannot read the record: {error.strerror}") from error


@lru_cache(maxsize=16)
def _parsed(path: Path, root: Path, data: bytes) -> Record:
    try:
        document = json.loads(data)
        if document["version"] != VERSION:
            raise UsageError(f"{path}: another version of hybridlint has written the record: delete it, record anew")
        blocks = dict(document["blocks"])
        for block in blocks.values():
            _BLOCK(block)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(f"{path}: the record cannot be read: delete it, and record anew") from error
    return Record(path, root, blocks)


def _order(setup: Mapping[str, Any]) -> tuple[int, int]:
    """Return the sort key of a setup: number of inputs, then number of elements."""
    least = {name: min(sizes[name] for sizes in setup["rounds"]) for name in setup["rounds"][0]}
    return -len(setup["inputs"]), sum(_elements(spec, least) for spec in setup["inputs"].values())


def _elements(spec: Mapping[str, Any], sizes: Mapping[str, int]) -> int:
    if "list" in spec:
        return sum(_elements(item, sizes) for item in spec["list"])
    return math.prod(sizes.get(size, size) for size in spec.get("shape", [0]))


def _by_kind(calls: Sequence[Any]) -> Iterator[list[Any]]:
    """Yield groups of calls that differ only in sizes, the most frequent first."""
    groups: dict[Any, list[Any]] = {}
    for call in calls:
        groups.setdefault(json.dumps([(name, _kind(spec)) for name, spec in call["inputs"].items()]), []).append(call)
    yield from sorted(groups.values(), key=lambda group: -sum(call["count"] for call in group))


def _kind(spec: Mapping[str, Any]) -> Any:
    if "list" in spec:
        return [_kind(item) for item in spec["list"]]
    return [len(spec["shape"]), spec["dtype"]] if "shape" in spec else spec


def _shapes(built: Sequence[Any]) -> Shapes:
    """Return the input shapes common to all calls of a class, with names for dimensions that vary."""
    calls = [call["inputs"] for place in built for call in place["calls"]]
    if not calls:
        return {}
    ranks = {name: {_rank(inputs.get(name, {})) for inputs in calls} for name in calls[0]}
    sure = [name for name, found in ranks.items() if len(found) == 1 and None not in found]
    inputs, _ = named_sizes([{"inputs": {name: inputs[name] for name in sure}} for inputs in calls])
    return {name: tuple(map(_size, spec["shape"])) for name, spec in inputs.items()}


def _rank(spec: Mapping[str, Any]) -> int | None:
    return len(spec["shape"]) if "shape" in spec else None


def _size(size: int | str) -> DimLike:
    return Dim.named(size) if isinstance(size, str) else size
