"""Outcomes of earlier proofs, in ``.hybridlint_cache`` of the project: what did not change is not run again.

An entry holds while the file, all Python files of its package (or of its folder, where it is in none), the settings of
the proof, what was recorded, and the tool itself are the same. Blocks that ran out of time are run again.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from hybridlint.cache import FOLDER, stamp, write_into
from hybridlint.config import Config
from hybridlint.verify.outcome import Outcome, as_message, read_outcome
from hybridlint.verify.prover import module_name

_FILE = "proofs.json"
#: Files of a package that are read at most; larger ones are not remembered.
_MOST_FILES = 5_000


@dataclass(slots=True)
class Verdicts:
    """The outcomes that are known of one project. Whatever goes wrong with them costs time and never a result."""

    root: Path
    entries: dict[str, dict[str, Any]]
    changed: dict[str, dict[str, Any]] = field(default_factory=dict)
    lock: Any = field(default_factory=threading.Lock)

    @classmethod
    def open(cls, root: Path) -> Verdicts:
        """Load what is known of a project; what another version of the tool wrote does not count."""
        return cls(root, _load(root))

    def get(self, path: Path, text: str, config: Config) -> list[Outcome] | None:
        """Return the outcomes of a file with this text, None where they are not known."""
        key = os.path.abspath(path)
        entry = self.changed.get(key) or self.entries.get(key)
        if entry is None or entry["digest"] != _digest(path, text, config):
            return None
        return [read_outcome(path, told["block"], told["class row"], told) for told in entry["outcomes"]]

    def put(self, path: Path, text: str, config: Config, outcomes: Sequence[Outcome]) -> None:
        """Remember all outcomes of a file with this text."""
        digest = _digest(path, text, config)
        if digest is not None:
            told = [{**as_message(o), "block": o.block, "class row": o.row} for o in outcomes]
            with self.lock:
                self.changed[os.path.abspath(path)] = {"digest": digest, "outcomes": told}

    def save(self) -> None:
        """Write what is new beside what other processes wrote meanwhile, without files that are gone."""
        if not self.changed:
            return
        kept = {path: entry for path, entry in _load(self.root).items() if os.path.exists(path)}
        document = {"stamp": stamp(), "files": {**kept, **self.changed}}
        with suppress(OSError):
            write_into(self.root / FOLDER, _FILE, json.dumps(document, separators=(",", ":")))


def _load(root: Path) -> dict[str, dict[str, Any]]:
    try:
        document = json.loads((root / FOLDER / _FILE).read_bytes())
        if document["stamp"] == stamp():
            return dict(document["files"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return {}


def _digest(path: Path, text: str, config: Config) -> str | None:
    """Return what names a file with all that its proof depends on, None where that is too much to look at."""
    around = _around(_top(Path(os.path.abspath(path))))
    if around is None:
        return None
    record = config.root / config.recorded
    recorded = record.read_bytes() if record.is_file() else b""
    settings = json.dumps(config.verify, sort_keys=True, default=str)
    return _named(text.encode(errors="replace"), around.encode(), settings.encode(), recorded)


def _top(path: Path) -> Path:
    name, root = module_name(path)
    return root / name.split(".", maxsplit=1)[0] if "." in name or path.name == "__init__.py" else path.parent


@lru_cache(maxsize=64)
def _around(folder: Path) -> str | None:
    total = hashlib.blake2b(digest_size=16)
    for count, file in enumerate(_sources(folder)):
        if count == _MOST_FILES:
            return None
        with suppress(OSError):
            total.update(f"{file}\0".encode(errors="replace") + Path(file).read_bytes())
    return total.hexdigest()


def _sources(folder: Path) -> Iterator[str]:
    for place, below, names in os.walk(folder):
        below[:] = sorted(name for name in below if not name.startswith((".", "__pycache__")))
        yield from (os.path.join(place, name) for name in sorted(names) if name.endswith(".py"))


def _named(*parts: bytes) -> str:
    total = hashlib.blake2b(digest_size=16)
    for part in parts:
        total.update(str(len(part)).encode() + b":" + part)
    return total.hexdigest()
