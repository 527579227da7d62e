"""Time hybridlint beside other linters on a folder, or alone on synthetic trees of growing size.

    python benchmarks/lint.py [--rounds N] [--bin FOLDER] [--only TOOL]... FOLDER
    python benchmarks/lint.py --trees 1250 5000 20000

The tools take turns, so that whatever else the machine does meets all of them; the table gives seconds on the clock
and of processor time, and the ratio of the least to Ruff's. Tools are looked for in the folder given, beside this
Python and on the PATH; those that are not installed are named. A tool whose first run takes more than half a minute is
not run again.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memory import peak_of
from tree import write_tree

HYBRIDLINT = (sys.executable, "-m", "hybridlint", "check", "--exit-zero")
OTHERS = {
    "ruff": ("check", "--select", "ALL", "--no-cache", "--exit-zero"),
    "torchfix": ("--select", "ALL"),
    "fixit": ("lint",),
    "pylint": ("--exit-zero", "--recursive=y", "--jobs=0"),
}
LONG = 30.0
#: An installed tool has its modules compiled. With this variable set, each run would compile them, which takes 0.4 s.
_INSTALLED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
#: No code that can be hybridized: what a hook meets most often.
UNRELATED = "def add(left: int, right: int) -> int:\n    return left + right\n"


@dataclass(slots=True)
class Contender:
    """A command with the seconds that its runs took, on the clock and of the processors with all child processes."""

    name: str
    command: Sequence[str]
    seconds: list[float] = field(default_factory=list)
    worked: list[float] = field(default_factory=list)

    def run(self, folder: Path) -> None:
        """Run once more in a folder, unless that takes too long. Raises RuntimeError where the tool itself fails."""
        if self.seconds and self.seconds[0] > LONG:
            return
        start, before = time.perf_counter(), _processor_time()
        done = subprocess.run(self.command, cwd=folder, env=_INSTALLED, capture_output=True, check=False)
        self.seconds.append(time.perf_counter() - start)
        self.worked.append(_processor_time() - before)
        if done.returncode < 0 or b"Traceback" in done.stderr:
            raise RuntimeError(f"{self.name} failed: {done.stderr.decode(errors='replace')[-500:]}")


def _processor_time() -> float:
    """Return the seconds of processor time of all child processes that have ended; 0 on Windows, which keeps none."""
    times = os.times()
    return times.children_user + times.children_system


def contenders(target: Path, unrelated: Path, places: str, only: Sequence[str]) -> list[Contender]:
    """Return what can be run, after saying what cannot."""
    found = [
        Contender("hybridlint cold", (*HYBRIDLINT, "--no-cache", str(target))),
        Contender("hybridlint warm", (*HYBRIDLINT, str(target))),
        Contender("hybridlint hook", (*HYBRIDLINT, "--no-cache", str(unrelated))),
    ]
    for name, options in OTHERS.items():
        program = shutil.which(name, path=places)
        if only and name not in only:
            continue
        if program is None:
            print(f"{name} is not installed")
        else:
            found.append(Contender(name, (program, *options, str(target))))
    return found


def compare(target: Path, places: str, rounds: int, only: Sequence[str]) -> None:
    """Print a line for each tool."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        unrelated = folder / "unrelated.py"
        unrelated.write_text(UNRELATED, encoding="utf-8")
        tools = contenders(target, unrelated, places, only)
        # The first run of each fills caches: of the files, of compiled modules, and hybridlint's own.
        for tool in tools:
            tool.run(folder)
        for tool in tools:
            tool.seconds = [s for s in tool.seconds if s > LONG]
            tool.worked = tool.worked[: len(tool.seconds)]
        for _ in range(rounds):
            for tool in tools:
                tool.run(folder)
    ruff = next((tool for tool in tools if tool.name == "ruff"), None)
    print(f"{'seconds':18}{'runs':>6}{'min':>10}{'median':>10}{'to ruff':>10}{'processor':>12}{'to ruff':>10}")
    for tool in tools:
        least, worked = min(tool.seconds), min(tool.worked)
        ratio = "" if ruff is None else f"{least / min(ruff.seconds):.2f}"
        share = "" if ruff is None or not min(ruff.worked) else f"{worked / min(ruff.worked):.2f}"
        middle = statistics.median(tool.seconds)
        print(f"{tool.name:18}{len(tool.seconds):6}{least:10.3f}{middle:10.3f}{ratio:>10}{worked:12.3f}{share:>10}")


def scale(sizes: Sequence[int]) -> None:
    """Print a line for each size of a synthetic tree: seconds, and the most memory that all processes held together."""
    print(f"{'files':>8}{'cold s':>10}{'ms a file':>11}{'peak MB':>9}{'warm s':>10}{'peak MB':>9}")
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            write_tree(Path(name, "tree"), size)
            cold, most = peak_of((*HYBRIDLINT, "--statistics", "tree"), Path(name))
            warm, most_warm = peak_of((*HYBRIDLINT, "--statistics", "tree"), Path(name))
        print(f"{size:8}{cold:10.2f}{1e3 * cold / size:11.3f}{most:9.0f}{warm:10.2f}{most_warm:9.0f}", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare on a folder, or measure how time and memory grow."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("folder", nargs="?", type=Path, help="what is checked")
    what.add_argument("--trees", nargs="+", type=int, metavar="FILES", help="sizes of synthetic trees")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bin", type=Path, help="a folder with the other tools")
    parser.add_argument("--only", action="append", choices=OTHERS, help="one of the others to run; may be given again")
    options = parser.parse_args(arguments)
    if options.trees:
        scale(options.trees)
        return
    places = [str(options.bin.resolve())] if options.bin else []
    places += [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
    compare(options.folder.resolve(), os.pathsep.join(places), options.rounds, options.only or ())


if __name__ == "__main__":
    main()
