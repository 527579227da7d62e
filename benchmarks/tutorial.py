"""Time what the tutorials time: 1,000 passes of three dense layers before and after `hybridize()`.

    python benchmarks/tutorial.py [--mxnet PYTHON_WITH_MXNET] [--rounds N]

Here and on the real MXNet, each in a process of its own with one thread; rounds take turns. The table gives seconds for
1,000 passes on one row of 512 numbers: the least, and the median of all rounds.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from environment import environment

WAYS = ("before", "after")
_WORKER = Path(__file__).with_name("tutorial_worker.py")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a row for each library and way, and how many times as fast `hybridize()` makes it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mxnet", metavar="PYTHON", help="an interpreter that has the real MXNet")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    commands = {"hybridlint": [sys.executable, str(_WORKER), "hybridlint.runtime"]}
    if options.mxnet is None:
        print("mxnet is left out: --mxnet names an interpreter that has it", file=sys.stderr)
    else:
        commands["mxnet"] = [options.mxnet, "-W", "ignore", str(_WORKER), "mxnet"]
    times: dict[str, dict[str, list[float]]] = {name: {way: [] for way in WAYS} for name in commands}
    for _ in range(options.rounds):
        for name, command in commands.items():
            done = subprocess.run(command, env=environment(threads=1), stdout=subprocess.PIPE, text=True, check=True)
            for way, taken in zip(WAYS, done.stdout.split(), strict=True):
                times[name][way].append(float(taken))
    print(f"{'s for 1,000 passes':24}{'before':>20}{'after hybridize()':>20}{'times as fast':>16}")
    for name, taken in times.items():
        cells = "".join(f"{f'{min(row):.3f} [{statistics.median(row):.3f}]':>20}" for row in taken.values())
        print(f"{name:24}{cells}{min(taken['before']) / min(taken['after']):16.1f}")


if __name__ == "__main__":
    main()
