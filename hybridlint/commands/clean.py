"""``hybridlint clean``: the caches of projects go."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import click

from hybridlint.errors import UsageError
from hybridlint.files.cache_folder import FOLDER
from hybridlint.report.style import show_path


@click.command("clean", short_help="Remove the caches of earlier runs.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, exists=True, file_okay=False))
def command(paths: tuple[Path, ...]) -> int:
    """Remove every folder .hybridlint_cache below PATHS; the default is the current folder. A link is left alone."""
    removed = 0
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
