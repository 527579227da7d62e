"""Builds what is released, checks it, and tries it in bare environments.

    python -m tests.supply [--here] [--keep FOLDER]

What is committed is built. Needed are the packages build, twine and check-wheel-contents. The wheel is installed on
each Python of the machine (`--here`: on this one) with the newest and with the oldest versions of what it depends on,
where it proves the example of the README. `--keep` copies the files there. The exit status is 1 if something fails.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from tests.everywhere import interpreters

ROOT = Path(__file__).resolve().parents[2]
#: The oldest numpy with wheels for a Python that is newer than the oldest numpy.
_NUMPY_OF = {(3, 13): "2.1.0"}


def main() -> int:
    """Build, check and try; print what held."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--here", action="store_true", help="on this Python alone")
    options.add_argument("--keep", type=Path, help="where to copy the sdist and the wheel")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        built = _built(place)
        good = [_checked(built), *_tried(built, place, here=given.here)]
        if given.keep is not None and all(good):
            given.keep.mkdir(parents=True, exist_ok=True)
            for path in built:
                shutil.copy(path, given.keep)
    return 0 if all(good) else 1


def _built(place: Path) -> list[Path]:
    """Build the sdist, and the wheel from it; a wheel of the checkout itself must hold the same files."""
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(place / "clone")], check=True)
    for options, out in (((), "dist"), (("--wheel",), "direct")):
        _quietly([sys.executable, "-m", "build", *options, "--outdir", str(place / out), str(place / "clone")])
    [wheel], [direct] = (place / "dist").glob("*.whl"), (place / "direct").glob("*.whl")
    lists = [sorted(zipfile.ZipFile(path).namelist()) for path in (wheel, direct)]
    if lists[0] != lists[1]:
        raise SystemExit(f"the sdist lacks files: {sorted(set(lists[1]) ^ set(lists[0]))[:5]}")
    return sorted((place / "dist").iterdir())


def _checked(built: Sequence[Path]) -> bool:
    tools = Path(sys.executable).parent
    wheel = next(path for path in built if path.suffix == ".whl")
    done = [
        subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *map(str, built)], check=False),
        subprocess.run([str(tools / "check-wheel-contents"), str(wheel)], check=False),
    ]
    return not any(each.returncode for each in done)


def _tried(built: Sequence[Path], place: Path, *, here: bool) -> list[bool]:
    wheel = next(path for path in built if path.suffix == ".whl")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    there = interpreters.found()
    versions = [sys.version_info[:2]] if here else [v for v in interpreters.supported(project) if v in there]
    return [
        _smoke(there[version], version, wheel, place, oldest=oldest) for version in versions for oldest in (True, False)
    ]


def lowest(project: str, version: tuple[int, int]) -> list[str]:
    """Return the oldest versions that the text of a pyproject.toml allows, as pins."""
    listed = re.search(r"(?ms)^dependencies = \[(.*?)^\]", project)
    assert listed is not None
    found = re.findall(r'^\s+"(\w+)>=([\d.]+)', listed[1], re.MULTILINE)
    return [f"{name}=={_NUMPY_OF.get(version, least) if name == 'numpy' else least}" for name, least in found]


def _smoke(python: Path, version: tuple[int, int], wheel: Path, place: Path, *, oldest: bool) -> bool:
    environment = place / "{}.{}-{}".format(*version, "oldest" if oldest else "newest")
    pins = place / f"{environment.name}.txt"
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    pins.write_text("\n".join(lowest(project, version) if oldest else []), encoding="utf-8")
    _quietly([str(python), "-m", "venv", str(environment)])
    tools = environment / "bin"
    _quietly([str(tools / "pip"), "install", "--quiet", "--constraint", str(pins), str(wheel)])
    example = ROOT / "examples" / "attention_pooling.py"
    command = [str(tools / "hybridlint"), "check", "--no-cache", "--exit-zero", "--diff", "--verify", str(example)]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    # The difference is on stdout, what was proved of it on stderr.
    good = done.returncode == 0 and "2 proved, 0 refuted, 0 not run" in done.stderr
    print(f"{environment.name:12} {'holds' if good else 'FAILS'}", flush=True)
    if not good:
        print(done.stdout, done.stderr)
    return good


def _quietly(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")


if __name__ == "__main__":
    raise SystemExit(main())
