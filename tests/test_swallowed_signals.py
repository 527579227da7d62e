"""Signals that come where Python swallows exceptions: in callbacks of its own and in finalizers."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals end no process there")

#: Gets a signal in a place whose exceptions Python drops, and works on.
PROGRAM = """
import os, signal, sys, time, weakref
from hybridlint.system.signal_end import end_orderly

class Thing:
    pass

class Final:
    def __del__(self):
        get()

def get(*_):
    os.kill(os.getpid(), signal.{name})
    time.sleep(0.001)

# A shell's background jobs ignore interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)
end_orderly()
try:
    thing = {made}
    del thing
    time.sleep(30)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize("made", ["Thing(); kept = weakref.ref(thing, get)", "Final()"])
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_it_ends_the_process_all_the_same(name: str, made: str) -> None:
    program = PROGRAM.format(name=name, made=made)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=25, check=False)
    assert done.returncode == 128 + signal.Signals[name], done.stderr
    assert done.stderr == ""


def test_other_exceptions_are_told_as_ever() -> None:
    program = PROGRAM.format(name="SIGINT", made="Final()").replace("    get()", "    raise KeyError('name')")
    program = program.replace("time.sleep(30)", "pass")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=25, check=False)
    assert done.returncode == 0
    assert "Exception ignored in" in done.stderr
