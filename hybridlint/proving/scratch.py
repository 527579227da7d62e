"""The child process's folder for temporary files, and its environment variables without private ones."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from hybridlint.system.temporary import clean_folders, prefix, remove_folder

#: The parts of the folder: the child's working directory, the home folder, and temporary files.
WORK, HOME, TEMPORARY = "work", "home", "tmp"
#: The engine of compiled graphs, unless another is asked for. A proof is the reference, so that it does not depend on
#: which packages are installed for speed.
PLAIN = "numpy"
#: Most entries of the current folder that are linked in the child's working directory.
_MOST_SHOWN = 1_000
#: Variables passed on because the interpreter needs them to start and to find the user's packages.
_BEGINNING = re.compile(
    r"""
    PATH | PATHEXT | SYSTEMROOT | SYSTEMDRIVE | WINDIR | COMSPEC | NUMBER_OF_PROCESSORS | PROCESSOR_\w+ | OS
    | HOME | USERPROFILE | APPDATA | LOCALAPPDATA
    """,
    re.VERBOSE,
)
#: Variables passed on because outcomes may depend on them: library paths, locale, and MXNet's settings.
_TELLING = re.compile(
    r"""
    (?:DY)?LD_(?:FALLBACK_)?LIBRARY_PATH | PYTHONHOME | PYTHONUSERBASE | PYTHONNOUSERSITE | PYTHONUTF8
    | LANG | LANGUAGE | LC_\w+ | TZ | MXNET_\w+ | CUDA_VISIBLE_DEVICES | OMP_\w+ | KMP_\w+ | MKL_\w+ | OPENBLAS_\w+
    """,
    re.VERBOSE,
)


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Create the folder of one child process, and remove it with its content at the end.

    The child's working directory has links to the entries of the current folder. So the user's code can read data files
    by their usual names, and the files that it writes disappear with the folder.
    """
    clean_folders(Path(tempfile.gettempdir()))
    name = tempfile.mkdtemp(prefix=prefix())
    try:
        folder = Path(name)
        for part in (WORK, HOME, TEMPORARY):
            (folder / part).mkdir()
        with suppress(OSError):
            _show(os.getcwd(), folder / WORK)
        yield folder
    finally:
        remove_folder(name)


def _show(shown: str, folder: Path) -> None:
    with os.scandir(shown) as entries:
        for count, entry in enumerate(entries):
            if count == _MOST_SHOWN:
                return
            (folder / entry.name).symlink_to(os.path.join(shown, entry.name))


def passed_on(environment: Mapping[str, str], engine: str = PLAIN) -> dict[str, str]:
    """Return the child's environment: one thread for each library, no display, nothing private.

    `engine` runs the compiled graphs of the bundled runtime.
    """
    kept = {name: value for name, value in environment.items() if _BEGINNING.fullmatch(name.upper())}
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM")}
    fixed = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8", "MPLBACKEND": "Agg"}
    return {**kept, **telling(environment), **threads, **fixed, "HYBRIDLINT_ENGINE": engine}


def telling(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables on which the outcome of a proof may depend."""
    kept = {name: value for name, value in environment.items() if _TELLING.fullmatch(name.upper())}
    if "PYTHONPATH" in environment:
        # The child has another working directory, so relative paths are made absolute.
        kept["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, environment["PYTHONPATH"].split(os.pathsep)))
    return kept
