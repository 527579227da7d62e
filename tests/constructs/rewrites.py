"""Ask the real MXNet 1.9.1 what the blocks of rewrites.txt give eagerly, and keep the answers.

    PYTHON_WITH_MXNET -m tests.constructs.rewrites

Kept are two calls, and the gradients of the first, of each block as it was before any fix. Python 3.8.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from .measure import Trial
from .sections import LOOKALIKES, Construct, constructs, read

CASES = Path(__file__).with_name("rewrites.txt")
GOLDENS = Path(__file__).with_name("rewrites.json")


def outcome(mx: Any, construct: Construct, module: str, *, hybrid: bool) -> dict[str, Any]:
    """Run a module with the class of a construct: the outputs of two calls, and the gradients of the first."""
    (mx.npx.set_np if "np" in construct.flags else mx.npx.reset_np)()
    trial = Trial(mx, construct, module)
    calls = [call if isinstance(call, str) else call["out"] for call in trial.forward(hybrid)]
    return {"calls": calls, "gradients": trial.gradients(hybrid)}


def work(modules: dict[str, str]) -> dict[str, Any]:
    """Run modules by the names of their constructs, eagerly and hybridized, on whatever is called mxnet."""
    import mxnet as mx  # type: ignore[import-not-found,import-untyped,unused-ignore]

    by_name = {construct.name: construct for construct in (*read(CASES), *constructs(LOOKALIKES))}
    return {
        name: [outcome(mx, by_name[name], module, hybrid=hybrid) for hybrid in (False, True)]
        for name, module in modules.items()
    }


def main() -> None:
    """Write the answers; with an argument, run the modules that stdin gives on the bundled runtime."""
    if sys.argv[1:]:
        from hybridlint.launch.serve import serve

        serve()
        print(json.dumps(work(json.load(sys.stdin))))
        return
    found = work({construct.name: construct.module for construct in read(CASES)})
    GOLDENS.write_text(json.dumps({name: runs[0] for name, runs in found.items()}, indent=0, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
