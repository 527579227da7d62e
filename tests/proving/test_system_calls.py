"""A process of a proof may make the system calls of one table; the system itself refuses every other number."""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import hybridlint
from hybridlint.proving.child.sandbox import seccomp
from hybridlint.proving.child.sandbox.allowed_system_calls import ON_GPU, TABLE, TRUNCATING, CallAction, call_table
from hybridlint.proving.child.sandbox.numbers import ARCHITECTURES, OTHER_WIDTH, Architecture

#: Higher than any number that is in use.
MOST_CALLS = 600
OWN = 4242
#: What the filters under test return, by action: error numbers that no system call gives.
MARKS = {action: 0x00050000 | 3000 + k for k, action in enumerate(CallAction)}
MARKS[CallAction.ALLOW] = 0x7FFF0000
BESIDE_PACKAGE = str(Path(hybridlint.__file__).parents[1])


def run_filter(code: bytes, system: Architecture, number: int, arguments: Sequence[int]) -> int:
    """Return what a filter returns for a call, as the system runs it."""
    data = struct.pack("<iIQ6Q", number, system.audit, 0, *arguments)
    at, held = 0, 0
    while True:
        operation, holds, fails, value = struct.unpack_from("HBBI", code, 8 * at)
        at += 1
        if operation == 0x20:
            held = int(struct.unpack_from("<I", data, value)[0])
        elif operation == 0x54:
            held &= value
        elif operation == 0x05:
            at += value
        elif operation == 0x06:
            return int(value)
        else:
            at += holds if {0x15: held == value, 0x25: held > value, 0x35: held >= value}[operation] else fails


@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize("arguments", [[0] * 6, [OWN] * 6, [2**64 - 1] * 6, [1, 5, 0, 0, 0, 0], [0x3D0F00] * 6])
def test_the_filter_is_the_table(machine: str, arguments: list[int]) -> None:
    system, table = ARCHITECTURES[machine], call_table()
    code = seccomp.program(system, table, MARKS, [OWN])
    names = {number: name for name, number in system.numbers.items()}
    for number in range(MOST_CALLS):
        expected = table.decide(names[number], arguments, [OWN]) if number in names else CallAction.REFUSE
        assert run_filter(code, system, number, arguments) == MARKS[expected], (number, names.get(number))
        assert run_filter(code, system, number + OTHER_WIDTH, arguments) == MARKS[CallAction.REFUSE]


#: Calls with arguments -> what happens to them. 7 stands for another process.
DECIDED: list[tuple[str, list[int], CallAction]] = [
    ("kill", [OWN, 9], CallAction.ALLOW),
    *[("kill", [other, 9], CallAction.REFUSE) for other in (0, 7, 2**32 - 1, 2**64 - OWN)],
    ("tgkill", [7, OWN, 9], CallAction.REFUSE),
    ("prlimit64", [0, 7], CallAction.ALLOW),
    ("prlimit64", [7, 7], CallAction.REFUSE),
    ("sched_setaffinity", [7], CallAction.REFUSE),
    ("sched_setaffinity", [0], CallAction.ALLOW),
    ("setpriority", [0, 0], CallAction.ALLOW),
    ("setpriority", [1, 0], CallAction.REFUSE),
    ("setpriority", [2, 0], CallAction.REFUSE),
    ("clone", [0x3D0F00], CallAction.ALLOW),
    ("clone", [0x1200011], CallAction.COPY),
    *[("clone", [flags], CallAction.REFUSE) for flags in (0x11 | 0x8000, 0x10000011, 0x3D0F00 | 0x20000000, 0x4111)],
    ("openat", [0, 0, 0o100], CallAction.ALLOW),
    ("openat", [0, 0, 0o1000], CallAction.REFUSE),
    ("openat", [0, 0, 0o1101], CallAction.ALLOW),
    ("socket", [1, 1], CallAction.DENY),
    *[("socket", [family, 1], CallAction.REFUSE) for family in (2, 10, 16, 17, 38, 40)],
    ("socketpair", [1, 1 | 0o2000000], CallAction.ALLOW),
    ("socketpair", [1, 2], CallAction.REFUSE),
    ("sendto", [3, 0, 0, 0, 1 << 40], CallAction.REFUSE),
    ("fcntl", [3, 2], CallAction.ALLOW),
    ("fcntl", [3, 6], CallAction.PRETEND),
    *[("fcntl", [3, command], CallAction.REFUSE) for command in (8, 10, 1024, 1026)],
    ("ioctl", [0, 0x5413], CallAction.ALLOW),
    *[("ioctl", [0, command], CallAction.REFUSE) for command in (0x5412, 0x541C, 0x8901, 0x40086602)],
    ("prctl", [1, 9], CallAction.ALLOW),
    *[("prctl", [option, 0], CallAction.REFUSE) for option in (1, 4, 22, 24, 28, 35, 36)],
    ("personality", [0xFFFFFFFF], CallAction.ALLOW),
    ("personality", [0x40000], CallAction.REFUSE),
    ("seccomp", [1, 1], CallAction.ALLOW),
    ("seccomp", [1, 9], CallAction.REFUSE),
    ("mknodat", [0], CallAction.REFUSE),
    ("flock", [3, 2], CallAction.NAME),
    ("truncate", [0], CallAction.ALLOW),
]


@pytest.mark.parametrize(("name", "arguments", "expected"), DECIDED)
def test_arguments_decide(name: str, arguments: list[int], expected: CallAction) -> None:
    given = [value & (2**64 - 1) for value in [*arguments, *[0] * (6 - len(arguments))]]
    assert call_table().decide(name, given, [OWN]) is expected
    for system in ARCHITECTURES.values():
        code = seccomp.program(system, call_table(), MARKS, [OWN])
        assert run_filter(code, system, system.numbers[name], given) == MARKS[expected]


def test_without_an_own_number_whoever_is_asked_decides() -> None:
    system = ARCHITECTURES["x86_64"]
    code = seccomp.program(system, call_table(), MARKS, [])
    for name, allowed in (("kill", ()), ("prlimit64", (0,))):
        found = {n for n in (0, 7, OWN) if run_filter(code, system, system.numbers[name], [n] * 6) == 0x7FFF0000}
        assert found == set(allowed)


def test_each_rule_names_known_calls_and_has_a_reason() -> None:
    known = {name for system in ARCHITECTURES.values() for name in system.numbers}
    for rule in (*TABLE, *ON_GPU, *TRUNCATING):
        assert set(rule.names.split()) <= known
        assert rule.reason.endswith(".")


#: Tries every number with harmless arguments, each in a process of its own, and prints those that were not refused.
TRYING = """
import ctypes, errno, os, signal, struct, sys
from hybridlint.proving.child.sandbox import seccomp
from hybridlint.proving.child.sandbox.allowed_system_calls import CallAction, call_table

MARK = 3999
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
seccomp._ALONE.update(dict.fromkeys((CallAction.REFUSE, CallAction.COPY, CallAction.DENY), 0x00050000 | MARK))
assert seccomp.restrict(libc, call_table(), copying=True)
for number in (*range(int(sys.argv[1])), *range(0x40000000, 0x40000000 + int(sys.argv[1]))):
    process = os.fork()
    if not process:
        signal.alarm(1)
        found = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(-1)] * 6)
        os._exit(17 if found == -1 and ctypes.get_errno() == MARK else 0)
    if os.waitpid(process, 0)[1] != 17 << 8:
        print(number)
"""


@pytest.mark.skipif(seccomp.this_architecture() is None or os.name != "posix", reason="no filter for this machine")
def test_the_system_refuses_every_number_that_the_table_does_not_allow() -> None:
    system, table = seccomp.this_architecture(), call_table()
    assert system is not None
    environment = {**os.environ, "PYTHONPATH": BESIDE_PACKAGE}
    program = [sys.executable, "-c", TRYING, str(MOST_CALLS)]
    done = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=120, check=True)
    passed = {int(word) for word in done.stdout.split()}
    refused = {CallAction.REFUSE, CallAction.DENY}
    allowed = {n for name, n in system.numbers.items() if table.decide(name, [2**64 - 1] * 6, []) not in refused}
    # A copy may be made here, which is another process that ends in the same way.
    assert passed - {system.numbers.get(name) for name in ("fork", "clone")} == allowed - {system.numbers.get("fork")}


def test_the_numbers_are_those_of_this_system() -> None:
    """Python's own calls tell: `getpid` is known by two ways."""
    system = seccomp.this_architecture()
    if system is None:
        pytest.skip("no filter for this machine")
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.syscall(ctypes.c_long(system.numbers["getpid"])) == os.getpid()
    assert libc.syscall(ctypes.c_long(system.numbers["kill"]), os.getpid(), 0) == 0
    assert libc.syscall(ctypes.c_long(system.numbers["openat2"]), 0, None, None, 0) == -1
    assert ctypes.get_errno() in {errno.EINVAL, errno.EFAULT, errno.ENOSYS}
