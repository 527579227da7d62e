"""One run of the checker over many files: settings for each, the cache, and both cores of the machine."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hybridlint.cache import Cache
from hybridlint.checker import Job, Result, check
from hybridlint.config import Config, own_config
from hybridlint.discover import Excludes, discover
from hybridlint.engine import may_be_hybrid
from hybridlint.errors import UsageError

#: Bytes of hybrid code from which more processes pay: starting two takes some 50 ms, these some 250 ms to analyze.
PARALLEL_FROM = 60_000

#: Measured on gluoncv and gluonnlp: hybrid code takes 4 µs a byte, all other text, which is only parsed, 0.17 µs.
LIGHTER = 25


@dataclass(slots=True)
class Session:
    """What one command does to many files. `override` puts what the command line says over a project's settings."""

    override: Callable[[Config], Config] = lambda config: config
    fix: bool = False
    unsafe: bool = False
    use_cache: bool = True
    configs: dict[Path, Config] = field(default_factory=dict)
    caches: dict[Path, Cache] = field(default_factory=dict)

    def config(self, folder: Path) -> Config:
        """Return the settings that hold in a folder: those of the nearest pyproject.toml upward that has our table.

        Without one the current folder is the root of the project. Raises UsageError for a faulty pyproject.toml.
        """
        return self._config(Path(os.path.abspath(folder)))

    def _config(self, folder: Path) -> Config:
        if folder not in self.configs:
            own = own_config(folder)
            if own is not None:
                self.configs[folder] = self._checked(own)
            elif folder.parent != folder:
                self.configs[folder] = self._config(folder.parent)
            else:
                self.configs[folder] = self._checked(Config(root=Path.cwd()))
        return self.configs[folder]

    def files(self, paths: Iterable[Path]) -> list[Path]:
        """Return the files that the paths mean. Raises UsageError."""
        return discover(paths, self._excludes)

    def check(self, paths: Sequence[Path]) -> list[Result]:
        """Check files, in order; with `fix` the results carry the fixed text, and nothing is written."""
        known = dict(enumerate(map(self._first_look, paths)))
        jobs = {i: job for i, job in known.items() if isinstance(job, Job)}
        done = dict(zip(jobs, _work(list(jobs.values())), strict=True))
        for i, job in jobs.items():
            self._remember(job, done[i])
        for store in self.caches.values():
            store.save()
        results = {i: item for i, item in known.items() if isinstance(item, Result)} | done
        return [results[i] for i in range(len(paths))]

    def check_text(self, path: Path, data: bytes) -> Result:
        """Check bytes that come from elsewhere as if they stood in a file."""
        return check(Job(path, data, self.config(path.parent), self.fix, self.unsafe))

    def _checked(self, config: Config) -> Config:
        from hybridlint.selection import validate

        try:
            validate(config.selectors)
        except UsageError as error:
            raise UsageError(f"{config.path}: {error}") from error
        return self.override(config)

    def _excludes(self, folder: Path) -> Excludes:
        config = self.config(folder)
        return Excludes(config.root, config.exclude)

    def _first_look(self, path: Path) -> Job | Result:
        try:
            data = path.read_bytes()
        except OSError as error:
            return Result(path, failure=f"cannot read the file: {error.strerror}")
        config = self.config(path.parent)
        cached = self._cache(config).get(path, data, config) if self.use_cache else None
        if cached is None or (self.fix and any(d.fixable(unsafe=self.unsafe) for d in cached)):
            return Job(path, data, config, self.fix, self.unsafe)
        return Result(path, _decode(path, data) if cached else "", cached)

    def _remember(self, job: Job, result: Result) -> None:
        changed = result.fixed is not None and result.fixed.before != result.fixed.after
        if self.use_cache and result.failure is None and not changed:
            self._cache(job.config).put(job.path, job.data, job.config, result)

    def _cache(self, config: Config) -> Cache:
        if config.root not in self.caches:
            self.caches[config.root] = Cache.open(config.root)
        return self.caches[config.root]


def _decode(path: Path, data: bytes) -> str:
    from hybridlint.source import SourceError, SourceFile

    try:
        return SourceFile.decode(path, data).text
    except SourceError:
        return data.decode("utf-8", errors="replace")


def _work(jobs: list[Job]) -> list[Result]:
    # Syntax trees are many small objects without cycles: searching them for garbage takes a quarter of the time.
    gc.set_threshold(200_000, 20, 20)
    workers = min(os.cpu_count() or 1, len(jobs))
    if workers < 2 or sum(map(_weight, jobs)) < PARALLEL_FROM:
        return [check(job) for job in jobs]
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    context = multiprocessing.get_context("fork" if sys.platform == "linux" else None)
    if context.get_start_method() == "fork":
        _load_once()
    # The heaviest first, so that no worker is left with a long file at the end.
    order = sorted(range(len(jobs)), key=lambda i: -len(jobs[i].data))
    with ProcessPoolExecutor(workers, context) as pool:
        results = dict(zip(order, pool.map(check, [jobs[i] for i in order]), strict=True))
    return [results[i] for i in range(len(jobs))]


def _load_once() -> None:
    """Import here what every forked worker would import for itself."""
    from hybridlint.rule import all_rules
    from hybridlint.runtime import registry

    all_rules()
    registry.load()


def _weight(job: Job) -> int:
    """Return what a job costs: hybrid code counts whole, all other text for the little that parsing it takes."""
    return len(job.data) if may_be_hybrid(job.data.decode("latin-1")) else len(job.data) // LIGHTER
