"""Ask the real MXNet 1.9.1 what the blocks of `cases/` do before and after their repair, and keep the answers.

    PYTHON_WITH_MXNET -m tests.histories.measure [NAME ...]

Kept are the labels of both (``tests.constructs.measure``), and what the block before gives eagerly: two calls, and the
gradients of the first. Python 3.8.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.constructs.measure import Trial, brief, judge
from tests.constructs.sections import Construct

from .pairs import pairs

ANSWERS = Path(__file__).with_name("answers.json")


def main() -> None:
    """Measure all repairs, or the named ones, and write the answers."""
    import mxnet as mx  # type: ignore[import-not-found,import-untyped,unused-ignore]

    wanted = [pair for pair in pairs() if not sys.argv[1:] or pair.name in sys.argv[1:]]
    kept: dict[str, Any] = json.loads(ANSWERS.read_text()) if sys.argv[1:] and ANSWERS.exists() else {}
    for pair in wanted:
        label, calls, gradients = _outcome(mx, pair.before)
        after, _, _ = _outcome(mx, pair.after)
        kept[pair.name] = {"before": label, "after": after, "calls": calls, "gradients": gradients}
        print(pair.name, label, after, sep=" | ", flush=True)
    ANSWERS.write_text(json.dumps(kept, indent=0, sort_keys=True) + "\n")


def _outcome(mx: Any, construct: Construct) -> tuple[dict[str, str], list[Any], Any]:
    """Return the label of a block, and what it gives eagerly."""
    (mx.npx.set_np if "np" in construct.flags else mx.npx.reset_np)()
    trial = Trial(mx, construct, construct.module)
    runs = [trial.forward(hybrid) for hybrid in (False, True)]
    if any(isinstance(call, str) for run in runs for call in run):
        gradients: list[Any] = [_gradients(trial, hybrid=False), None]
    else:
        gradients = [_gradients(trial, hybrid=hybrid) for hybrid in (False, True)]
    calls = [call if isinstance(call, str) else call["out"] for call in runs[0]]
    return judge(construct, runs[0], runs[1], gradients), calls, gradients[0]


def _gradients(trial: Trial, *, hybrid: bool) -> Any:
    try:
        return trial.gradients(hybrid)
    except Exception as error:
        return brief(error)


if __name__ == "__main__":
    main()
