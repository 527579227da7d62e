"""Interpreters of Python on this machine, and environments of them with a numpy and what the tests need."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

Version = tuple[int, int]


def found() -> dict[Version, Path]:
    """Return interpreters by version: this one, those on the PATH, those of pyenv."""
    places = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    places += sorted(Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob("versions/*/bin"))
    candidates = [Path(sys.executable), *(path for place in places for path in sorted(place.glob("python3.*")))]
    interpreters: dict[Version, Path] = {}
    for path in candidates:
        named = re.fullmatch(r"python3\.(\d+)", path.name)
        version = sys.version_info[:2] if path == Path(sys.executable) else (3, int(named[1])) if named else None
        if version is not None and version not in interpreters and _answers(path):
            interpreters[version] = path
    return interpreters


def supported(project: str) -> list[Version]:
    """Return the versions of Python that the text of a pyproject.toml names, in order."""
    return sorted({(int(a), int(b)) for a, b in re.findall(r"Programming Language :: Python :: (\d+)\.(\d+)", project)})


def oldest_numpy(project: str) -> str:
    """Return the oldest numpy that the text of a pyproject.toml allows. Raises ValueError where it says none."""
    bound = re.search(r'"numpy>=([\d.]+)"', project)
    if bound is None:
        raise ValueError("pyproject.toml has no lower bound of numpy: write one as numpy>=2.0")
    return bound[1]


def environment(python: Path, folder: Path, checkout: Path, numpy: str) -> Path:
    """Return the interpreter of an environment in which the checkout and what its tests need are installed.

    `numpy` is a requirement. What is there is brought up to date. Raises CalledProcessError where pip fails.
    """
    inside = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not inside.exists():
        shutil.rmtree(folder, ignore_errors=True)
        _quietly([str(python), "-m", "venv", str(folder)])
    _quietly([str(inside), "-m", "pip", "install", "--quiet", "--upgrade", "pip"])
    upgrade = ["install", "--quiet", "--upgrade", "--upgrade-strategy", "eager"]
    _quietly([str(inside), "-m", "pip", *upgrade, "--editable", f"{checkout}[test]", numpy])
    return inside


def _answers(path: Path) -> bool:
    """Whether an interpreter runs: the shims of pyenv do so for the chosen versions only."""
    done = subprocess.run([path, "-c", "import venv"], capture_output=True, check=False)
    return done.returncode == 0


def _quietly(command: Iterable[str]) -> None:
    subprocess.run([*command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
