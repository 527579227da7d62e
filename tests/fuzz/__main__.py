"""Tries all properties on random cases for a fixed time, and prints how many held.

    python -m tests.fuzz [--minutes 10] [--only WORD ...] [--seed NUMBER]

A case that fails is made smaller and printed, with what draws it again; the exit status is then 1. Cases that failed
before are tried first: hypothesis keeps them in ``.hypothesis``. Found and repaired ones are tests in
``tests/fuzz/test_found.py``.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
import warnings
from dataclasses import dataclass

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from .properties import Property, properties


@dataclass
class _Count:
    cases: int = 0
    slowest: float = 0.0


def main() -> int:
    """Try what is asked for and print a table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--minutes", type=float, default=10.0, help="how long in all")
    options.add_argument("--only", nargs="+", default=[""], help="words of the names of properties")
    options.add_argument("--seed", type=int, default=None)
    asked = options.parse_args()
    warnings.simplefilter("ignore")
    draw = random.Random(asked.seed)
    chosen = {name: p for name, p in properties().items() if any(word in name for word in asked.only)}
    whole = sum(each.share for each in chosen.values())
    held = [_tried(name, each, asked.minutes * 60 * each.share / whole, draw) for name, each in chosen.items()]
    return 0 if all(held) else 1


def _tried(name: str, each: Property, seconds: float, draw: random.Random) -> bool:
    """Try a property again and again, with other seeds, until its time is over."""
    count, begun = _Count(), time.monotonic()
    good = True
    while good and (count.cases == 0 or time.monotonic() - begun < seconds):
        good = _round(each, draw.randrange(2**32), begun + seconds, count)
    said = "held" if good else "FAILED"
    print(f"{name:40} {count.cases:8} cases  slowest {count.slowest:6.2f} s  {said}", flush=True)
    return good


def _round(each: Property, number: int, end: float, count: _Count) -> bool:
    @seed(number)
    @settings(
        max_examples=100,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.reuse, Phase.generate, Phase.shrink),
        print_blob=True,
    )
    @given(st.tuples(*each.drawn))
    def case(arguments: tuple[object, ...]) -> None:
        if time.monotonic() > end and count.cases:
            return
        count.cases += 1
        begun = time.monotonic()
        each.holds(*arguments)
        count.slowest = max(count.slowest, time.monotonic() - begun)

    try:
        case()
    except Exception:
        traceback.print_exc(file=sys.stdout)
        return False
    return True


if __name__ == "__main__":
    raise SystemExit(main())
