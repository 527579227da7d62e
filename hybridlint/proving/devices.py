"""The devices that a proof can run blocks on besides main memory."""

from __future__ import annotations

import sys
from functools import cache

from hybridlint.core.errors import UsageError

DEVICES = ("cpu", "gpu")
#: Prints what is missing to use a GPU. A process of its own is asked: one that has started a driver cannot be copied.
_ASKING = "from hybridlint.runtime.platforms.devices import devices; print(devices().missing() or '')"


def require(device: str, engine: str) -> None:
    """Raise UsageError, in a sentence that says what to do, if proofs cannot run on a device."""
    if device == "cpu":
        return
    if engine != "bundled":
        raise UsageError(f"--device {device} is for the bundled runtime: leave out --engine {engine}")
    lacking = missing_gpu()
    if lacking is not None:
        raise UsageError(f"--device {device} cannot be used: {lacking}")


@cache
def missing_gpu() -> str | None:
    """Return the missing requirement of a GPU: CuPy, a driver or the device; None if all exist."""
    import subprocess

    asked = subprocess.run([sys.executable, "-c", _ASKING], capture_output=True, text=True, check=False)
    if asked.returncode:
        return (asked.stderr.strip().splitlines() or [f"asking for it ended with {asked.returncode}"])[-1]
    return asked.stdout.strip() or None
