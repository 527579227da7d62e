"""The settings of one project."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import field, fields
from pathlib import Path
from typing import Any

from hybridlint.core.errors import UsageError
from hybridlint.runtime.facts.records import record, replace


@record(frozen=True, slots=True)
class Config:
    """The settings of one project. `root` is the folder of their file; patterns are relative to it."""

    root: Path
    path: Path | None = None
    select: tuple[str, ...] = ("ALL",)
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fixable: tuple[str, ...] = ("ALL",)
    unfixable: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    respect_gitignore: bool = True
    possible: bool = False
    recorded: str = ".hybridlint/recorded.json"
    unsuppressible: tuple[str, ...] = ()
    operators: Mapping[str, str] = field(default_factory=dict)
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    verify: Mapping[str, Any] = field(default_factory=dict)
    required_version: str = ""
    #: Whether comments silence nothing; the command line alone asks for that.
    ignore_noqa: bool = False

    @property
    def selectors(self) -> tuple[str, ...]:
        """All rule selectors in the settings."""
        per_file = (selector for selectors in self.per_file_ignores.values() for selector in selectors)
        fixing = (*self.fixable, *self.unfixable)
        return (*self.select, *self.extend_select, *self.ignore, *fixing, *self.unsuppressible, *per_file)

    def overridden(
        self,
        *,
        select: tuple[str, ...] | None = None,
        extend_select: tuple[str, ...] = (),
        ignore: tuple[str, ...] = (),
        fixable: tuple[str, ...] | None = None,
        unfixable: tuple[str, ...] = (),
        exclude: tuple[str, ...] = (),
        possible: bool | None = None,
        ignore_noqa: bool = False,
    ) -> Config:
        """Return the settings with the command line's options. ``--select`` and ``--fixable`` replace; others add."""
        base = replace(self, exclude=self.exclude + exclude, ignore_noqa=ignore_noqa)
        if fixable is not None:
            base = replace(base, fixable=fixable, unfixable=())
        base = replace(base, unfixable=base.unfixable + unfixable)
        base = base if possible is None else replace(base, possible=possible)
        if select is not None:
            return replace(base, select=select, extend_select=extend_select, ignore=ignore)
        return replace(base, extend_select=self.extend_select + extend_select, ignore=self.ignore + ignore)

    def check_recorded(self) -> None:
        """Raise UsageError if the record would be written outside the project, by its name or through a link."""
        root = os.path.realpath(self.root)
        if not os.path.realpath(os.path.join(root, self.recorded)).startswith(root.rstrip(os.sep) + os.sep):
            place = f"{self.path}: `recorded`" if self.path else f"`{self.recorded}`"
            raise UsageError(f"{place} must be a file below {self.root}, because runs are recorded there")

    def verified_with(self, **given: Any) -> Config:
        """Return the settings with the command line's options for proofs; None keeps a setting."""
        overrides = {key: value for key, value in given.items() if value is not None}
        return replace(self, verify={**self.verify, **overrides})


def fingerprint(config: Config) -> Iterable[str]:
    """Return the settings that influence findings, as strings for the cache key."""
    skipped = {"path", "exclude", "respect_gitignore", "verify", "required_version"}
    return (f"{f.name}={getattr(config, f.name)!r}" for f in fields(config) if f.name not in skipped)
