"""Ask the real MXNet 1.9.1 whether the linter's rewrites of the constructs keep what the eager code gives.

    PYTHON_WITH_MXNET -m tests.constructs.check_fixes [--unsafe] [--lookalikes] [NAME ...] -- COMMAND ...

With --lookalikes, those of the fixers (`tests/fixers/lookalikes`). COMMAND runs the linter, as in
``-- python3.11 -m hybridlint``. A rewrite is right where eager(before) = eager(after) and, unless findings are left,
= hybridized(after), gradients included. Prints the wrong ones and a count. Python 3.8.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from .measure import run, same
from .sections import CASES, LOOKALIKES, constructs


def main() -> None:
    """Check the fixes of all constructs, or of the named ones."""
    at = sys.argv.index("--")
    names, command = sys.argv[1:at], sys.argv[at + 1 :]
    unsafe = ["--unsafe-fixes"] if "--unsafe" in names else []
    folder = LOOKALIKES if "--lookalikes" in names else CASES
    names = [n for n in names if not n.startswith("--")]
    before = {c.name: c.module for c in constructs(folder) if not names or c.name in names}
    with tempfile.TemporaryDirectory() as scratch:
        for name, text in before.items():
            Path(scratch, f"{name}.py").write_text(text, encoding="utf-8")
        subprocess.run(
            [*command, "check", "--no-cache", "--fix", *unsafe, scratch], check=False, stdout=subprocess.DEVNULL
        )
        told = [*command, "check", "--no-cache", "--output-format", "json", scratch]
        left = json.loads(subprocess.run(told, check=False, stdout=subprocess.PIPE, text=True).stdout)
        after = {name: Path(scratch, f"{name}.py").read_text(encoding="utf-8") for name in before}
    partly = {Path(f["filename"]).stem for f in left if f["severity"] != "info"}
    changed = [name for name in before if after[name] != before[name]]
    old = run([sys.executable], {name: before[name] for name in changed})
    new = run([sys.executable], {name: after[name] for name in changed})
    wrong = 0
    for name in changed:
        reason = differs(old[name]["runs"], new[name]["runs"], hybrid=name not in partly)
        if reason:
            wrong += 1
            print(f"--- {name}: {reason}\n{after[name][after[name].index('class Net') :]}")
    print(f"changed {len(changed)}, of these with findings left {len(partly & set(changed))}, wrong {wrong}")


def differs(old: dict[str, Any], new: dict[str, Any], *, hybrid: bool) -> str:
    """Say where the rewritten block gives something else than the original did eagerly; "" where nowhere."""
    if not old or not new:
        return "the process ended" if old else ""
    for mode in ("eager", "hybrid") if hybrid else ("eager",):
        for call in (0, 1):
            a, b = old["eager"][call], new[mode][call]
            if mode == "hybrid" and isinstance(b, str) and b == old["hybrid"][call]:
                # What no fix could help: hybridized, the block does not take such arguments.
                return ""
            if not isinstance(a, str) and (isinstance(b, str) or not same(a["out"], b["out"])):
                return f"{mode}, call {call + 1}: {b if isinstance(b, str) else 'another output'}"
    grads = [old["gradients"][0], *new["gradients"]]
    if isinstance(grads[0], str):
        return ""
    for mode, got in (("eager", grads[1]), ("hybrid", grads[2])):
        if (hybrid or mode == "eager") and not same(grads[0], got):
            return f"{mode} gradients: {got if isinstance(got, str) else 'others'}"
    return ""


if __name__ == "__main__":
    main()
