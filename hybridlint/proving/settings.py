"""The settings of a proof, as the table ``[tool.hybridlint.verify]`` and the command line give them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from hybridlint.core.errors import UsageError
from hybridlint.project.settings.directives import DeclaredSetup, DirectiveError, parse
from hybridlint.proving.engines import ENGINES
from hybridlint.proving.recording.store import Record
from hybridlint.runtime.facts.records import record

#: Default time limit of a block in seconds.
TIMEOUT = 20.0


@record(frozen=True, slots=True)
class ProofSettings:
    """Settings of a proof.

    `timeout` is in seconds for each block, `memory` in MiB. There are at least two batch sizes, and `samples` random
    inputs for each. `recipes` are those of the configuration, by ``Class`` or ``path/of/file.py:Class``, with paths
    relative to `root`. `engine` is one of `ENGINES`; for "mxnet", `python` is the interpreter that has mxnet.
    `record` has the setups of a real run. `beside` has the texts of other files after the fix, by path. If `timed`, a
    proof measures the time of one call. `device` is one of `DEVICES`: on "gpu", blocks are run there too.
    """

    timeout: float = TIMEOUT
    batches: tuple[int, ...] = (2, 3)
    samples: int = 3
    memory: int = 8192
    recipes: Mapping[str, DeclaredSetup] = field(default_factory=dict)
    root: Path = Path()
    engine: str = "bundled"
    python: str | None = None
    record: Record | None = None
    beside: Mapping[Path, str] = field(default_factory=dict)
    timed: bool = False
    device: str = "cpu"

    def recipe(self, path: Path, block: str) -> DeclaredSetup:
        """Return the recipe in the configuration for a block of a file; an empty one if there is none."""
        try:
            relative = Path(os.path.abspath(path)).relative_to(os.path.abspath(self.root)).as_posix()
        except ValueError:
            relative = path.name
        return self.recipes.get(f"{relative}:{block}", self.recipes.get(block, DeclaredSetup()))


def settings_from(verify: Mapping[str, Any], root: Path) -> ProofSettings:
    """Return the settings in the table ``[tool.hybridlint.verify]``. Raises UsageError for unusable values."""
    batches = tuple(verify.get("batch-sizes", (2, 3)))
    if len(set(batches)) < 2 or not all(type(size) is int and size > 0 for size in batches):
        raise UsageError("`verify.batch-sizes` must be at least two different whole numbers above 0")
    for key in ("timeout", "samples", "memory"):
        if verify.get(key, 1) <= 0:
            raise UsageError(f"`verify.{key}` must be above 0")
    if verify.get("engine", "bundled") not in ENGINES:
        raise UsageError(f"`verify.engine` must be {' or '.join(ENGINES)}, not {verify['engine']}")
    return ProofSettings(
        timeout=float(verify.get("timeout", TIMEOUT)),
        batches=batches,
        samples=verify.get("samples", 3),
        memory=verify.get("memory", 8192),
        recipes={name: _configured(name, text) for name, text in verify.get("inputs", {}).items()},
        root=root,
        engine=verify.get("engine", "bundled"),
        device=verify.get("device", "cpu"),
    )


def _configured(name: str, text: Any) -> DeclaredSetup:
    if not isinstance(text, str):
        raise UsageError(f"`verify.inputs.{name}` must be a string such as 'args=(3,), x=(\"N\", 3)'")
    try:
        return parse(f"({text})")
    except DirectiveError as error:
        raise UsageError(f"`verify.inputs.{name}`: {error.reason}") from error
