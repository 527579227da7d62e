"""One run of the checker over many files: the settings of each, and the cache of earlier results."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridlint.checking.checker import Job, check
from hybridlint.checking.pool import Answer, Numbered
from hybridlint.checking.text_versions import RefixState
from hybridlint.checking.workers import processors, spread_jobs
from hybridlint.core.errors import EndedEarlyError, UsageError, signal_of, some_files
from hybridlint.core.result import Result
from hybridlint.project.documents.document import NOT_RUN, form_of, text_of
from hybridlint.project.files.cache_folder import folder_of
from hybridlint.project.files.discover import Excludes, discover
from hybridlint.project.files.original import read
from hybridlint.project.settings.config import Config
from hybridlint.project.settings.settings_files import config_of, own_config
from hybridlint.proving.recording.store import load_record
from hybridlint.rule import OWN_RULES
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.regular import read_regular

if TYPE_CHECKING:
    from hybridlint.checking.cache import Cache


#: What the checks of files have kept, for fixing the files again.
Known = dict[Path, RefixState]


@record(frozen=True, slots=True)
class Fixing:
    """Whether and how files are fixed in memory, and where checks cache data for fixing again."""

    fix: bool = False
    unsafe: bool = False
    keep_eager: bool = False
    known: Known | None = None


@record(frozen=True, slots=True)
class Selection:
    """The files that a command works on; which of them are `named` alone, and the files `around` those."""

    files: tuple[Path, ...]
    named: tuple[Path, ...] = ()
    around: tuple[Path, ...] = ()


@record(slots=True)
class CheckSession:
    """The work of one command on many files.

    `override` applies the command line's options to a project's settings. `isolated` leaves these unread, and a file
    named as `settings` stands in their place; the table `inline` has the last word on its keys. `cache_dir` holds the
    caches of all projects, each in a folder of its own. `jobs` is the number of processes; None lets the machine
    decide. `elsewhere` checks numbered jobs in place of this machine's processes. `progress` is told how many files are
    done, of how many.
    """

    override: Callable[[Config], Config] = lambda config: config
    use_cache: bool = True
    force_exclude: bool = False
    isolated: bool = False
    settings: Path | None = None
    inline: Mapping[str, Any] = field(default_factory=dict)
    cache_dir: Path | None = None
    jobs: int | None = None
    elsewhere: Callable[[Iterator[Numbered]], Iterator[Answer]] | None = None
    progress: Callable[[int, int], None] = lambda done, of: None
    configs: dict[Path, Config] = field(default_factory=dict)
    caches: dict[Path, Cache] = field(default_factory=dict)
    #: Whether a signal ends a check with the results until then, and not all of it.
    ends_early: bool = False
    #: What is said of such an end.
    ended: EndedEarlyError | None = None
    #: How many files were not analyzed, because the cache had what is found in them.
    from_cache: int = 0

    def config(self, folder: Path) -> Config:
        """Return the settings for a folder, from the nearest file above it that holds some.

        Without such a file, the current folder is the project root. Raises UsageError for a faulty file.
        """
        if folder not in self.configs:
            self.configs[folder] = self._config(Path(os.path.abspath(folder)))
        return self.configs[folder]

    def _config(self, folder: Path) -> Config:
        if folder not in self.configs:
            own = self._given() or own_config(folder)
            if own is not None:
                self.configs[folder] = self._checked(own)
            elif folder.parent != folder:
                self.configs[folder] = self._config(folder.parent)
            else:
                self.configs[folder] = self._checked(Config(root=Path.cwd()))
        return self.configs[folder]

    def _given(self) -> Config | None:
        """Return the settings that the command line gives in place of a project's, if it does."""
        if self.settings is not None:
            return config_of(self.settings, Path.cwd())
        return Config(root=Path.cwd()) if self.isolated else None

    def files(self, paths: Iterable[Path]) -> list[Path]:
        """Return the Python files and notebooks under the given paths, and documents named there. Raises UsageError."""
        return discover(paths, self._excludes, force_exclude=self.force_exclude)

    def selection(self, paths: Sequence[Path], *, compared: bool = False) -> Selection:
        """Return the files under the given paths, and the files around the named ones that may be called.

        If findings are `compared` with a base revision, other files may also depend on everything in a file. Raises
        UsageError.
        """
        from hybridlint.analysis.imports.project_areas import areas_of
        from hybridlint.checking.callers import may_be_called

        named = [path for path in paths if path.is_file() and (compared or may_be_called(path))]
        areas = areas_of(named, lambda folder: self.config(folder).root)
        files = discover(paths, self._excludes, force_exclude=self.force_exclude)
        around = discover(areas, self._excludes, force_exclude=self.force_exclude)
        return Selection(tuple(files), tuple(named), tuple(around))

    def modules(self, paths: Sequence[Path]) -> list[Path]:
        """Return the Python files under the given paths, whose code can be run. Raises UsageError for a document."""
        for path in paths:
            if form_of(path) is not None:
                raise UsageError(f"{path}: {NOT_RUN}")
        return [path for path in self.files(paths) if form_of(path) is None]

    def check(self, paths: Sequence[Path], fixing: Fixing = Fixing()) -> list[Result]:  # noqa: B008 - it is frozen
        """Check files, in order. With ``fixing.fix`` the results carry the fixed text; nothing is written.

        What checks in this process keep is added to ``fixing.known``, for fixing the files again with fewer fixes.
        """
        results: dict[int, Result] = {}
        try:
            for number, result in self._spread(self._jobs(paths, results, fixing)):
                results[number] = result
                self.progress(len(results), len(paths))
                self._remember(paths[number], result)
                if fixing.known is not None and (result.fixed is None or not result.fixed.changed):
                    fixing.known.pop(paths[number], None)
        except (KeyboardInterrupt, SystemExit) as end:
            if not self.ends_early:
                raise
            self.ended = _ended_early(end, [path for number, path in enumerate(paths) if number not in results], paths)
        for store in self.caches.values():
            store.save()
        return [results[number] for number in sorted(results)]

    def tell_if_ended(self) -> None:
        """Raise EndedEarlyError if a signal has ended the check before all files were checked."""
        if self.ended is not None:
            raise self.ended

    def _spread(self, jobs: Iterator[tuple[int, Job]]) -> Iterator[tuple[int, Result]]:
        return spread_jobs(jobs, self.processes) if self.elsewhere is None else self.elsewhere(jobs)

    def check_text(self, path: Path, data: bytes, fixing: Fixing = Fixing()) -> Result:  # noqa: B008 - it is frozen
        """Check bytes as the content of the file `path`, without reading it. `fixing` is as in `check`."""
        return check(self._job(path, data, fixing))

    def _job(self, path: Path, data: bytes, fixing: Fixing) -> Job:
        return Job(
            path,
            data,
            self.config(path.parent),
            fixing.fix,
            fixing.unsafe,
            fixing.keep_eager,
            kept=_kept(fixing.known, path),
        )

    def _checked(self, config: Config) -> Config:
        from hybridlint.project.settings.selection import validate

        try:
            validate(config.selectors)
        except UsageError as error:
            raise UsageError(f"{config.path}: {error}") from error
        if self.inline:
            from hybridlint.project.settings.inline import apply_settings

            config = apply_settings(config, self.inline)
        config.check_recorded()
        if config.operators or os.environ.get(OWN_RULES):
            from hybridlint.project.settings.operators import declared_operators

            # What a declaration lacks is told before any worker starts.
            declared_operators(config)
        # Fail on an unreadable record before any worker starts.
        load_record(config.root, config.recorded)
        return self.override(config)

    def _excludes(self, folder: Path) -> Excludes:
        config = self.config(folder)
        return Excludes(config.root, config.exclude, config.respect_gitignore)

    def _jobs(self, paths: Sequence[Path], results: dict[int, Result], fixing: Fixing) -> Iterator[tuple[int, Job]]:
        """Yield numbered jobs for the files that need a check, and put cached results into `results`."""
        for number, path in enumerate(paths):
            item = self._first_look(path, fixing)
            if isinstance(item, Job):
                yield number, item
            else:
                results[number] = item
                self.from_cache += item.failure is None

    def _first_look(self, path: Path, fixing: Fixing) -> Job | Result:
        try:
            data, identity = read(path) if fixing.fix else (read_regular(path), None)
        except FileNotFoundError:
            return Result(path, failure="no file or folder has this path")
        except OSError as error:
            return Result(path, failure=f"cannot read the file: {error.strerror}")
        config = self.config(path.parent)
        cached = self._cache(config).get(path, data, config) if self.use_cache else None
        # Fixing also tells why it leaves findings alone, which the cache does not keep.
        if cached is None or (fixing.fix and cached):
            return replace(self._job(path, data, fixing), linked=self.use_cache, identity=identity)
        return Result(path, text_of(path, data) if cached else "", cached)

    def _remember(self, path: Path, result: Result) -> None:
        changed = result.fixed is not None and result.fixed.changed
        if self.use_cache and result.failure is None and not changed:
            config = self.config(path.parent)
            self._cache(config).put(path, config, result)

    def _cache(self, config: Config) -> Cache:
        from hybridlint.checking.cache import Cache

        if config.root not in self.caches:
            self.caches[config.root] = Cache.open(self.cache_folder(config))
        return self.caches[config.root]

    @property
    def processes(self) -> int:
        """How many processes may work at once."""
        return processors() if self.jobs is None else self.jobs

    def cache_folder(self, config: Config) -> Path:
        """Return the folder of a project's cache."""
        return folder_of(config.root, self.cache_dir)


def _kept(known: Known | None, path: Path) -> RefixState | None:
    return None if known is None else known.setdefault(path, RefixState())


def _ended_early(end: BaseException, left: Sequence[Path], paths: Sequence[Path]) -> EndedEarlyError:
    """Return the error that says, after the report, which files a signal has left unchecked."""
    checked = f"the check was ended early: {len(paths) - len(left)} of {len(paths)} files were checked"
    return EndedEarlyError(f"{checked}, and not {some_files(left)}" if left else checked, signal_of(end))
