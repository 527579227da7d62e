"""A filter of system calls for Linux: a process permanently keeps only the calls that a proof needs.

The calls are listed in `allowed_system_calls`.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hybridlint.proving.child.sandbox.allowed_system_calls import ArgumentTest, CallAction, CallRule, CallTable, OwnTest
from hybridlint.proving.child.sandbox.numbers import ARCHITECTURES, OTHER_WIDTH, Architecture

_NO_NEW_PRIVILEGES = 38
_SET_FILTER = 1
#: Flags: for all threads, with a descriptor of what is asked, and both together need the third.
_ALL_THREADS, _NEW_LISTENER, _BOTH = 1, 8, 16

_LOAD, _EQUALS, _ABOVE, _AT_LEAST, _JUMP, _MASK, _RETURN = 0x20, 0x15, 0x25, 0x35, 0x05, 0x54, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_ALLOWED, _ERROR, _ASK_LISTENER = 0x7FFF0000, 0x00050000, 0x7FC00000
#: Without a process that is asked, what would be named just happens or fails.
_ALONE = {
    CallAction.ALLOW: _ALLOWED,
    CallAction.PRETEND: _ERROR,
    CallAction.NAME: _ERROR,
    CallAction.ABSENT: _ERROR | errno.ENOSYS,
    CallAction.DENY: _ERROR | errno.EPERM,
    CallAction.REFUSE: _ERROR | errno.EPERM,
    CallAction.COPY: _ERROR | errno.EPERM,
}
_ASKING = {
    **_ALONE,
    **dict.fromkeys((CallAction.NAME, CallAction.REFUSE, CallAction.COPY), _ASK_LISTENER),
}


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]


def this_architecture() -> Architecture | None:
    """Return the architecture of this process, None if no filter is known for it."""
    return ARCHITECTURES.get(platform.machine()) if struct.calcsize("P") == 8 else None


def restrict(libc: Any, table: CallTable, *, copying: bool = False) -> bool:
    """Apply the filter to this process and all its threads; return whether that worked.

    If `copying`, the process may still copy itself; whatever it may not, its copies may not either.
    """
    changed = {CallAction.COPY: _ALLOWED} if copying else {}
    return _apply(libc, table, {**_ALONE, **changed}, _ALL_THREADS) == 0


def restrict_and_listen(libc: Any, table: CallTable) -> int | None:
    """Apply the filter to this process and all its threads, and return a descriptor of what it asks.

    None if the system cannot do that, as when a filter that asks is applied already.
    """
    found = _apply(libc, table, _ASKING, _ALL_THREADS | _NEW_LISTENER | _BOTH)
    return None if found < 0 else found


def _apply(libc: Any, table: CallTable, answers: Mapping[CallAction, int], flags: int) -> int:
    system = this_architecture()
    if system is None:
        return -1
    # A copy of this process is another one: where someone is asked, that decides which number is whose.
    own = () if flags & _NEW_LISTENER else (os.getpid(),)
    code = program(system, table, answers, own)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    given = ctypes.byref(_Program(len(code) // 8, code))
    return int(libc.syscall(system.numbers["seccomp"], _SET_FILTER, flags, given))


def program(system: Architecture, table: CallTable, answers: Mapping[CallAction, int], own: Sequence[int]) -> bytes:
    """Return the instructions of a filter: `answers` are what it returns, `own` the numbers of its process."""
    plain: dict[int, list[int]] = {}
    tested: list[bytes] = []
    for name, number in system.numbers.items():
        found = table.by_name.get(name)
        if found is not None and not found[0].tests:
            plain.setdefault(answers[found[0].action], []).append(number)
        elif found is not None:
            tested += _decide(number, _by_tests(found, answers, own))
    refusal = _step(_RETURN, answers[CallAction.REFUSE])
    code = [
        *[_step(_LOAD, _ARCHITECTURE), _step(_EQUALS, system.audit, 1, 0), refusal],
        _step(_LOAD, _NUMBER),
        *[_step(_AT_LEAST, OTHER_WIDTH, 0, 1), refusal],
        *[step for answer, given in plain.items() for step in _ranges(sorted(given), answer)],
        *tested,
        refusal,
    ]
    return b"".join(code)


def _ranges(numbers: Sequence[int], answer: int) -> Iterator[bytes]:
    first = 0
    for at, number in enumerate(numbers):
        if at + 1 == len(numbers) or numbers[at + 1] != number + 1:
            yield from (_step(_AT_LEAST, numbers[first], 0, 2), _step(_ABOVE, number, 1, 0), _step(_RETURN, answer))
            first = at + 1


def _decide(number: int, then: Sequence[bytes]) -> list[bytes]:
    return [_step(_EQUALS, number, 1, 0), _step(_JUMP, len(then)), *then]


def _by_tests(found: Sequence[CallRule], answers: Mapping[CallAction, int], own: Sequence[int]) -> list[bytes]:
    """Return the code that decides a call by its arguments. Each failed test jumps to the next rule."""
    code: list[bytes] = []
    for rule in found:
        steps = [_step(_RETURN, answers[rule.action])]
        for test in reversed(rule.tests):
            steps = [*_tested(test, own, len(steps)), *steps]
        code += steps
    return [*code, _step(_RETURN, answers[CallAction.REFUSE])]


def _tested(test: ArgumentTest | OwnTest, own: Sequence[int], rest: int) -> list[bytes]:
    """Return a test that goes on with the next `rest` instructions if it holds, and jumps over them otherwise."""
    if isinstance(test, OwnTest):
        loaded, values = [_step(_LOAD, _ARGUMENTS + 8 * test.at)], test.values(own)
    else:
        loaded, values = [_step(_LOAD, _ARGUMENTS + 8 * test.at + 4 * test.high)], test.values
        loaded += [] if test.mask == 0xFFFFFFFF else [_step(_MASK, test.mask)]
    compared = [_step(_EQUALS, value, len(values) - k, 0) for k, value in enumerate(values)]
    return [*loaded, *compared, _step(_JUMP, rest)]


def _step(code: int, value: int, holds: int = 0, fails: int = 0) -> bytes:
    return struct.pack("HBBI", code, holds, fails, value)
