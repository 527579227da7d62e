"""Where a proof runs: a folder of its own, and an environment without what is the user's alone."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

#: The parts of the folder: where the child begins, the user's home, and temporary files.
WORK, HOME, TEMPORARY = "work", "home", "tmp"
#: Entries of the current folder that are shown in the child's at most.
_MOST_SHOWN = 1_000
#: Variables that are passed on: by which the interpreter begins, and finds the user's own packages.
_BEGINNING = re.compile(
    r"""
    PATH | PATHEXT | SYSTEMROOT | SYSTEMDRIVE | WINDIR | COMSPEC | NUMBER_OF_PROCESSORS | PROCESSOR_\w+ | OS
    | HOME | USERPROFILE | APPDATA | LOCALAPPDATA
    """,
    re.VERBOSE,
)
#: Variables that are passed on and tell in what a proof runs: where libraries lie, languages, and MXNet's settings.
_TELLING = re.compile(
    r"""
    (?:DY)?LD_(?:FALLBACK_)?LIBRARY_PATH | PYTHONHOME | PYTHONUSERBASE | PYTHONNOUSERSITE | PYTHONUTF8
    | LANG | LANGUAGE | LC_\w+ | TZ | MXNET_\w+ | CUDA_VISIBLE_DEVICES | OMP_\w+ | KMP_\w+ | MKL_\w+ | OPENBLAS_\w+
    """,
    re.VERBOSE,
)


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Make the folder of one child process, and remove it with all that was left in it.

    In the current folder of the child stand links to what is in ours: data files are read by the names that they have
    there, and what is written under new names goes with the folder.
    """
    with tempfile.TemporaryDirectory(prefix="hybridlint-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        for part in (WORK, HOME, TEMPORARY):
            (folder / part).mkdir()
        with suppress(OSError):
            _show(os.getcwd(), folder / WORK)
        yield folder


def _show(shown: str, folder: Path) -> None:
    with os.scandir(shown) as entries:
        for count, entry in enumerate(entries):
            if count == _MOST_SHOWN:
                return
            (folder / entry.name).symlink_to(os.path.join(shown, entry.name))


def passed_on(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of the child: one thread for each library of linear algebra, no windows, no secrets."""
    kept = {name: value for name, value in environment.items() if _BEGINNING.fullmatch(name.upper())}
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM")}
    fixed = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8", "MPLBACKEND": "Agg"}
    return {**kept, **telling(environment), **threads, **fixed}


def telling(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables on which an outcome may depend."""
    kept = {name: value for name, value in environment.items() if _TELLING.fullmatch(name.upper())}
    if "PYTHONPATH" in environment:
        # The child begins in another folder.
        kept["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, environment["PYTHONPATH"].split(os.pathsep)))
    return kept
