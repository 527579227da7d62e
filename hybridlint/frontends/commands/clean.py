"""``hybridlint clean``: the caches of projects go."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import click

from hybridlint.core.errors import UsageError
from hybridlint.frontends.commands import options
from hybridlint.project.files.cache_folder import FOLDER, is_cache
from hybridlint.report.style import show_path


@click.command("clean", short_help="Remove the caches of earlier runs.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, exists=True, file_okay=False))
@options.cache_dir
def command(paths: tuple[Path, ...], cache_dir: Path | None) -> int:
    """Remove every folder .hybridlint_cache below PATHS; the default is the current folder. A link is left alone.

    With --cache-dir the caches in that folder are removed too, and nothing else in it.
    """
    removed = 0
    if cache_dir is not None and cache_dir.is_dir():
        removed = sum(_remove(folder) for folder in sorted(cache_dir.iterdir()) if is_cache(folder))
    for top in paths or (Path(),):
        for folder, inner, _ in os.walk(top):
            if FOLDER in inner:
                inner.remove(FOLDER)
                removed += _remove(Path(folder, FOLDER))
    click.echo(f"Removed {removed} cache{'' if removed == 1 else 's'}.")
    return 0


def _remove(folder: Path) -> int:
    if folder.is_symlink():
        return 0
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise UsageError(f"{show_path(folder)}: cannot remove the cache: {error.strerror}") from error
    return 1
