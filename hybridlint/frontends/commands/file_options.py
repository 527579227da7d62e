"""The options that say which files a command works on, and with which settings. All commands share them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hybridlint.checking.session import CheckSession
from hybridlint.core.errors import UsageError
from hybridlint.frontends.commands import options
from hybridlint.project.settings.config import Config
from hybridlint.runtime.facts.records import record

if TYPE_CHECKING:
    from hybridlint.project.adoption.base_revision import BaseRevision

Command = TypeVar("Command", bound=Callable[..., Any])
_FLAG: dict[str, Any] = {"is_flag": True}


@record(frozen=True, slots=True)
class FileOptions:
    """The options as given on the command line."""

    exclude: tuple[str, ...]
    force_exclude: bool
    config: tuple[str, ...]
    isolated: bool
    since: str | None
    no_cache: bool
    cache_dir: Path | None
    quiet: bool

    @classmethod
    def taken_from(cls, given: dict[str, Any]) -> FileOptions:
        """Take these options out of all that were given."""
        return cls(**{name: given.pop(name) for name in _NAMES})

    def session(
        self,
        override: Callable[[Config], Config] = lambda config: config,
        *,
        jobs: int | None = None,
        elsewhere: Any = None,
    ) -> CheckSession:
        """Return the session that the options ask for; `override` applies the other options. Raises UsageError."""
        settings, inline = self._settings
        if self.isolated and settings is not None:
            raise UsageError("`--isolated` ignores all settings: remove `--config FILE`")
        excluded = split_values(self.exclude)
        return CheckSession(
            override=lambda config: override(config.overridden(exclude=excluded)),
            use_cache=not self.no_cache,
            force_exclude=self.force_exclude,
            isolated=self.isolated,
            settings=settings,
            inline=inline,
            cache_dir=self.cache_dir,
            jobs=jobs,
            elsewhere=elsewhere,
        )

    @property
    def base(self) -> BaseRevision | None:
        """The base revision, if one is given."""
        if self.since is None:
            return None
        from hybridlint.project.adoption.base_revision import BaseRevision

        return BaseRevision(self.since)

    def affected(self, files: Sequence[Path]) -> list[Path]:
        """Return the files that a change since the base revision may concern; all without one. Raises UsageError."""
        base = self.base
        return list(files) if base is None else base.affected(files)

    @property
    def _settings(self) -> tuple[Path | None, Mapping[str, Any]]:
        """The file of settings that the options name, and the settings that they hold themselves."""
        if not self.config:
            return None, {}
        from hybridlint.project.settings.inline import file_and_settings

        return file_and_settings(self.config)


def split_values(values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the parts of values that are separated by commas."""
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


_OPTIONS: tuple[Callable[[Callable[..., Any]], Callable[..., Any]], ...] = (
    click.option("--exclude", metavar="PATTERNS", multiple=True, help="Files and folders to skip, in addition."),
    click.option("--force-exclude", **_FLAG, help="Skip excluded files even if they are named."),
    click.option(
        "--config",
        metavar="FILE | KEY=VALUE",
        multiple=True,
        help="File of settings, in place of the projects', or a single setting as TOML; may be repeated.",
    ),
    click.option("--isolated", **_FLAG, help="Ignore all settings of projects."),
    click.option(
        "--since",
        metavar="GITREF",
        help="Use only files changed since GITREF or importing them; report only new findings.",
    ),
    options.no_cache,
    options.cache_dir,
    options.quiet,
)
_NAMES = ("exclude", "force_exclude", "config", "isolated", "since", "no_cache", "cache_dir", "quiet")


def file_options(command: Command) -> Command:
    """Add these options to a command, in the order of its help."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
