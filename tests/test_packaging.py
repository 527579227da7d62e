"""What is installed is what is in the repository."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PARTS = {"hybridlint": "hybridlint", "hybridlint.fixers": "fixers", "hybridlint.rules": "rules"} | {
    "hybridlint.runtime": "runtime"
}
#: What is installed besides modules: the mark of a typed package, names of mxnet, the schema that editors read.
DATA = {"hybridlint/py.typed", "hybridlint/launch/mxnet_names.json", "hybridlint/hybridlint.schema.json"}

pytestmark = pytest.mark.skipif(not (ROOT / "pyproject.toml").is_file(), reason="runs in a checkout only")


def _packages() -> dict[str, Path]:
    """Return every folder of ours that holds Python, by the name of its package."""
    found: dict[str, Path] = {}
    for package, part in PARTS.items():
        for file in sorted((ROOT / part).rglob("*.py")):
            folder = file.parent.relative_to(ROOT / part)
            if not any((ROOT / part / parent).is_symlink() for parent in [folder, *folder.parents][:-1]):
                found[".".join([package, *folder.parts])] = file.parent
    return found


def test_every_package_has_an_init() -> None:
    assert [name for name, folder in _packages().items() if not (folder / "__init__.py").is_file()] == []


def test_the_wheel_holds_every_module(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", *PARTS.values()):
        _copy(ROOT / name, source / name)
    left_behind = source / "build" / "lib" / "hybridlint" / "rules" / "deleted_since.py"
    left_behind.parent.mkdir(parents=True)
    left_behind.touch()
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "--wheel-dir", str(tmp_path), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode and "No matching distribution" in done.stderr + done.stdout:
        pytest.skip("the build backend cannot be downloaded here")
    assert done.returncode == 0, done.stderr
    [wheel] = tmp_path.glob("*.whl")
    packed = zipfile.ZipFile(wheel)
    names = {name for name in packed.namelist() if ".dist-info/" not in name}
    assert names == {*_modules(), *DATA}
    [metadata] = [name for name in packed.namelist() if name.endswith(".dist-info/METADATA")]
    links = re.findall(r"\]\(([^)\s]*)\)", packed.read(metadata).decode())
    assert [link for link in links if not link.startswith("https://")] == [], "an index shows these beside no files"


def _modules() -> set[str]:
    return {f"{name.replace('.', '/')}/{file.name}" for name, at in _packages().items() for file in at.glob("*.py")}


def _copy(source: Path, target: Path) -> None:
    import shutil

    if source.is_dir():
        shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target)
