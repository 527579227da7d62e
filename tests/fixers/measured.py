"""Ask the real MXNet 1.9.1 what the look-alikes of the fixers give eagerly before any fix, and keep the answers.

    PYTHON_WITH_MXNET -m tests.fixers.measured [NAME ...]

Kept are two calls, and the gradients of the first. `MXNET -m tests.constructs.check_fixes --lookalikes` asks what the
fixed blocks give. Python 3.8.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.constructs.measure import run
from tests.constructs.sections import LOOKALIKES, constructs

ANSWERS = Path(__file__).with_name("answers.json")


def main() -> None:
    """Measure all look-alikes, or the named ones, and write the answers."""
    known = {c.name: c.module for c in constructs(LOOKALIKES)}
    wanted = {name: module for name, module in known.items() if not sys.argv[1:] or name in sys.argv[1:]}
    kept: dict[str, Any] = json.loads(ANSWERS.read_text()) if ANSWERS.exists() and sys.argv[1:] else {}
    for name, answer in run([sys.executable], wanted).items():
        runs = answer["runs"]
        if not runs:
            raise SystemExit(f"{name}: the process ended")
        kept[name] = {"calls": [_output(call) for call in runs["eager"]], "gradients": runs["gradients"][0]}
    ANSWERS.write_text(json.dumps({name: kept[name] for name in sorted(known)}, indent=0) + "\n")


def _output(call: Any) -> Any:
    return call if isinstance(call, str) else call["out"]


if __name__ == "__main__":
    main()
