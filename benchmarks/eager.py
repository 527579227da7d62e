"""Time single operators, eagerly and on tiny arrays, on the bundled runtime and beside it on the real MXNet.

    python benchmarks/eager.py [--mxnet PYTHON_WITH_MXNET] [--rounds N]

What is measured is the overhead of a call. Engines take turns as in compiled.py; the table gives microseconds a call.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence

from compiled import Engine, interleaved
from operators import BATCH, EXPRESSIONS


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one line for each operator."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mxnet", metavar="PYTHON", help="an interpreter that has the real MXNet")
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args(arguments)
    engines = {"hybridlint": Engine(sys.executable, "hybridlint.runtime")}
    if options.mxnet:
        engines["mxnet"] = Engine(options.mxnet, "mxnet")
    print(f"{'µs a call':20}" + "".join(f"{name + ' min':>16}{'median':>10}" for name in engines), flush=True)
    for name in EXPRESSIONS:
        rows = interleaved(engines, "operators", name, options.rounds).values()
        cells = [(min(row) * 1e6 / BATCH, statistics.median(row) * 1e6 / BATCH) for row in rows]
        print(f"{name:20}" + "".join(f"{least:16.2f}{middle:10.2f}" for least, middle in cells), flush=True)
    for engine in engines.values():
        engine.close()


if __name__ == "__main__":
    main()
