"""The output of ``--verbose``: the settings of the files, the cache hits, and the time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from hybridlint.project.settings.config import Config
from hybridlint.report.style import show_path


def verbose_lines(configs: Sequence[Config], from_cache: int, processes: int, seconds: float) -> Iterator[str]:
    """Yield lines about a run over files with these settings."""
    for path, number in Counter(config.path for config in configs).items():
        source = "defaults" if path is None else show_path(path)
        yield f"settings: {source}, for {_files(number)}\n"
    yield f"cache: {_files(from_cache)} of {len(configs)} {'was' if from_cache == 1 else 'were'} not analyzed again\n"
    yield f"time: {seconds:.2f} s, with at most {processes} process{'' if processes == 1 else 'es'}\n"


def _files(number: int) -> str:
    return f"{number} file{'' if number == 1 else 's'}"
