"""A program that a command runs ends with the command, even with one that is killed."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from hybridlint.system.lifeline import KERNEL, run_bound

#: Runs a program that would run for ever, which says that it has begun.
ENDLESS = """
import sys
from hybridlint.system.lifeline import run_bound
run_bound([sys.executable, "-c", "import time; print('begun', flush=True); time.sleep(3600)"])
"""


def test_the_exit_status_is_that_of_the_program() -> None:
    assert run_bound([sys.executable, "-c", "raise SystemExit(3)"]) == 3


@pytest.mark.skipif(not KERNEL, reason="other systems end a program only where the command itself does")
def test_the_program_ends_with_a_command_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE) as command:
        assert command.stdout is not None
        assert command.stdout.readline() == b"begun\n"
        command.send_signal(signal.SIGKILL)
        # The program holds the other end of the pipe until it ends.
        assert command.stdout.read() == b""
