"""Time common calls of the library, eagerly and in first calls, on the bundled runtime and beside it on the real MXNet.

    python benchmarks/speed.py [--mxnet PYTHON_WITH_MXNET] [--rounds N] [--threads N] [--clock CLOCK] [CASE ...]

A CASE is the beginning of a name in api_calls/, such as `detect/`. Engines take turns as in compiled.py. The table has
the microseconds of a call, the least and the median of all slices, and how many times MXNet's least time the runtime
takes; cases above the bound are marked. First calls are those of a user, who has set nothing: large graphs have native
code later.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence

from api_calls import CASES
from compiled import Engine, interleaved

_WORKER = "speed_worker.py"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one line for each case, and at last those above the bound, the worst first."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mxnet", metavar="PYTHON", help="an interpreter that has the real MXNet")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--clock", choices=("wall", "processor"), default="wall", help="the latter on a busy machine")
    parser.add_argument("--bound", type=float, default=3.0)
    parser.add_argument("cases", nargs="*", metavar="CASE", help="the beginning of names; all without it")
    options = parser.parse_args(arguments)
    usual = {"HYBRIDLINT_NATIVE_AFTER": ""}
    engines = {"hybridlint": Engine(sys.executable, "hybridlint.runtime", _WORKER, options.threads, **usual)}
    if options.mxnet:
        engines["mxnet"] = Engine(options.mxnet, "mxnet", _WORKER, options.threads)
    print(f"{'µs a call':36}" + "".join(f"{name + ' min':>16}{'median':>10}" for name in engines) + f"{'ratio':>8}")
    ratios: dict[str, float] = {}
    for name in CASES:
        if name.startswith(tuple(options.cases or [""])):
            rows = list(interleaved(engines, name, options.clock, options.rounds).values())
            ratios[name] = min(rows[0]) / min(rows[-1])
            cells = "".join(f"{min(row) * 1e6:16.1f}{statistics.median(row) * 1e6:10.1f}" for row in rows)
            mark = " *" if ratios[name] > options.bound else ""
            print(f"{name:36}{cells}{ratios[name]:8.2f}{mark}", flush=True)
    for engine in engines.values():
        engine.close()
    worst = sorted((name for name in ratios if ratios[name] > options.bound), key=ratios.__getitem__, reverse=True)
    print(f"{len(worst)} of {len(ratios)} above {options.bound:g}: {', '.join(worst)}")


if __name__ == "__main__":
    main()
