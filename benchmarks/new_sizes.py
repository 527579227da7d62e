"""Time first calls with new sizes, many sizes, and deep networks, beside the real MXNet.

    python benchmarks/new_sizes.py [--mxnet PYTHON_WITH_MXNET] [--rounds N] [CASE ...]

Each measurement is a process of its own with one thread, engines in turns: seconds of the processor, the median of
first calls with twelve new sizes, or the whole for ``many-N`` and ``depth-N``, the least of all rounds. The cache of
object code is an empty folder. `jit` is the engine that is taken where llvmlite is installed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from environment import environment

ROOT = Path(__file__).resolve().parents[1]
CASES = ("mlp", "convolutions", "lstm", "lstm-train", "many-1000", "depth-1000", "depth-2000")
#: The unit of a figure, and its factor.
UNITS = {"seconds": ("ms", 1e3), "gradient": ("ms", 1e3), "megabytes": ("MB", 1.0)}


def measured(interpreter: str, module: str, case: str, engine: str) -> dict[str, float]:
    """Return the figures of one process by name: a median where there are several. Raises CalledProcessError."""
    with tempfile.TemporaryDirectory() as cache:
        own = {"XDG_CACHE_HOME": cache, "HYBRIDLINT_NATIVE_AFTER": "", "HYBRIDLINT_ENGINE": engine}
        command = [interpreter, "-W", "ignore", str(ROOT / "benchmarks" / "sizes_worker.py"), module, case]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment(1, **own))
    found: dict[str, Any] = json.loads(done.stdout)
    return {name: statistics.median(value) if isinstance(value, list) else value for name, value in found.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one line for each case and figure, with ratios to MXNet's."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mxnet", metavar="PYTHON", help="an interpreter that has the real MXNet")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    options = parser.parse_args(arguments)
    contenders = {name: (sys.executable, "hybridlint.runtime", name) for name in ("jit", "numpy")}
    if options.mxnet:
        contenders["mxnet"] = (options.mxnet, "mxnet", "")
    print(f"{'':28}" + "".join(f"{name:>12}" for name in contenders) + (f"{'ratios':>14}" if options.mxnet else ""))
    for case in options.cases or CASES:
        rounds = [
            {name: measured(python, module, case, engine) for name, (python, module, engine) in contenders.items()}
            for _ in range(options.rounds)
        ]
        for figure in rounds[0]["numpy"]:
            print(
                _line(case, figure, {name: min(row[name][figure] for row in rounds) for name in contenders}), flush=True
            )


def _line(case: str, figure: str, least: dict[str, float]) -> str:
    unit, factor = UNITS[figure]
    title = f"{case} {'' if figure == 'seconds' else figure} {unit}"
    line = f"{title:28}" + "".join(f"{value * factor:12.2f}" for value in least.values())
    own = [value for name, value in least.items() if name != "mxnet"]
    return line + ("".join(f"{value / max(least['mxnet'], 1e-9):7.1f}" for value in own) if "mxnet" in least else "")


if __name__ == "__main__":
    main()
