"""Run models of gluoncv's zoo on every engine, and name those that give something else than they do eagerly.

    PYTHON -m tests.projects.zoo_engines_judge [--engines ENGINE,ENGINE] [--seconds N] [NAME ...]

The interpreter needs what `judge` names, but no MXNet, and the engines that are compared. Each model runs in a process
of its own. Without names, all models that the runtime is known to run. Prints a line for each model, with the largest
distance of outputs, of gradients and of training steps on each engine; exits with 1 if one is far.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from . import answers
from .answers import NEAR, Verdict
from .beside import HERE, asked

_MODULE = "tests.projects.zoo_engines"

#: The name under which it says how far an eager run is whose parameters are moved by one rounding.
MOVED = "moved"

#: Of what the network itself makes of a rounding, engines may be so many times away, as they round at each operator.
_TIMES = 20

_Found = Mapping[str, Mapping[str, float | str]]


def far(found: _Found) -> list[str]:
    """Return the engines that give something else, each with the way and how far it is, or what it raised."""
    wrong = []
    for way, told in found.items():
        moved = told[MOVED]
        near = NEAR if isinstance(moved, str) else max(NEAR, _TIMES * moved)
        # What is no number is near nothing.
        wrong += [
            f"{way}, {name}: {apart}" for name, apart in told.items() if isinstance(apart, str) or not apart <= near
        ]
    return wrong


def summary(found: _Found) -> str:
    """Return the largest distance of each way on each engine, as a line."""
    return "; ".join(
        f"{way} {' '.join(f'{engine} {apart:.0e}' for engine, apart in told.items() if not isinstance(apart, str))}"
        for way, told in found.items()
    )


def main(given: Sequence[str]) -> int:
    """Judge models one by one. Return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--engines", default="", help="those that are compared, with commas between them; else all")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args(given)
    known = {name for name, model in answers.load().items() if answers.verdict(model) is Verdict.SAME}
    differing = 0
    for name in options.names or sorted(known):
        wrong, said = _judged(name, [engine for engine in options.engines.split(",") if engine])
        differing += bool(wrong)
        print(name, f"DIFFERS {wrong}" if wrong else "same", said, flush=True)
    return int(bool(differing))


def _judged(name: str, engines: Sequence[str]) -> tuple[list[str], str]:
    try:
        found: dict[str, Any] = asked(HERE, _MODULE, name, *engines)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        return [f"no answer: {type(error).__name__}"], ""
    return far(found), summary(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
