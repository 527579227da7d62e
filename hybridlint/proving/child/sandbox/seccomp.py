"""A filter of system calls: on Linux a process permanently gives up connections, programs and other processes."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Iterable
from typing import NamedTuple

_NO_NEW_PRIVILEGES = 38
_SET_FILTER, _ALL_THREADS = 1, 1


class _System(NamedTuple):
    """An architecture: its number in a filter (`audit`), and its numbers of system calls.

    The calls in `refused` fail; of these, those in `copies` copy the process. Those in `of_others` act on the process
    in their first argument, and are allowed if that is this process. Those in `unseen` change metadata of a file; they
    cannot be limited to a folder, so they do nothing and report success.
    """

    audit: int
    seccomp: int
    clone: int
    ioctl: int
    refused: str
    of_others: str
    unseen: str
    copies: str = ""


#: Numbers that all architectures share: signals through descriptors, io_uring, mounting.
_SHARED = "424 425 426 427 428 429 430 431 432 433 438 442 443 467"
_SYSTEMS = {
    "x86_64": _System(
        0xC000003E,
        317,
        56,
        16,
        # socket connect bind listen, fork vfork execve execveat, objects that outlive a process, other processes, the
        # system
        "41 42 49 50 57 58 59 322 29 64 68 240 241 101 200 310 311 155 161 163 164 165 166 167 168 169 170 171 172 173 "
        "175 176 179 103 159 227 246 248 249 250 272 298 304 305 308 313 320 321 323",
        # kill rt_sigqueueinfo tgkill rt_tgsigqueueinfo
        "62 129 234 297",
        # chmod chown utime setxattr removexattr, in all variants
        "90 91 92 93 94 132 188 189 190 197 198 199 235 260 261 268 280 452 463 466 469",
        # fork vfork
        "57 58",
    ),
    "aarch64": _System(
        0xC00000B7,
        277,
        220,
        29,
        "198 203 200 201 221 281 194 190 186 180 181 117 130 270 271 41 51 89 170 40 39 224 225 142 161 162 "
        "105 106 60 116 171 112 104 217 218 219 97 241 265 266 268 273 294 280 282",
        "129 138 131 240",
        "5 6 7 14 15 16 52 53 54 55 88 452 463 466 469",
    ),
}
_CLONE3 = 435
#: The flag for a thread of this process; without it `clone` creates a process.
_THREAD = 0x10000
#: Device commands that type into a terminal, and that make a file immutable.
_COMMANDS = (0x5412, 0x541C, 0x40086602, 0x401C5820)
#: On x86_64, calls of the other width have numbers from here on.
_OTHER_WIDTH = 0x40000000

_LOAD, _EQUALS, _AT_LEAST, _HAS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24
_ALLOWED, _ERROR = 0x7FFF0000, 0x00050000


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]


def restrict(libc: ctypes.CDLL, *, copying: bool = False) -> bool:
    """Apply the filter to this process and all its threads; return whether that worked.

    If `copying`, the process may still copy itself; whatever it may not, its copies may not either.
    """
    system = _SYSTEMS.get(platform.machine())
    if system is None or struct.calcsize("P") != 8:
        return False
    code = b"".join(_instructions(system, os.getpid(), copying=copying))
    program = _Program(len(code) // 8, code)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    return bool(libc.syscall(system.seccomp, _SET_FILTER, _ALL_THREADS, ctypes.byref(program)) == 0)


def _instructions(system: _System, process: int, *, copying: bool) -> list[bytes]:
    """Return the instructions of the filter: the first comparison that holds decides."""
    refusal, absent, success = (_ERROR | number for number in (errno.EACCES, errno.ENOSYS, 0))
    only_threads = [_step(_LOAD, _FIRST), _step(_HAS, _THREAD, 1, 0), _step(_RETURN, refusal), _allow()]
    copies = _numbers(system.copies)
    refused = [number for number in _numbers(f"{system.refused} {_SHARED}") if not copying or number not in copies]
    code = [
        *[_step(_LOAD, _ARCHITECTURE), _step(_EQUALS, system.audit, 1, 0), _step(_RETURN, refusal)],
        _step(_LOAD, _NUMBER),
        *[_step(_AT_LEAST, _OTHER_WIDTH, 0, 1), _step(_RETURN, refusal)],
        # A filter cannot read the flags of clone3, which are in memory: if it seems absent, `clone` is called.
        *_decide(_CLONE3, [_step(_RETURN, absent)]),
        *_decide(system.clone, [_allow()] if copying else only_threads),
        *_decide(system.ioctl, [_step(_LOAD, _SECOND), *_refuse_any(_COMMANDS, refusal), _allow()]),
    ]
    own = [_step(_LOAD, _FIRST), _step(_EQUALS, process, 1, 0), _step(_RETURN, refusal), _allow()]
    for number in _numbers(system.of_others):
        code += _decide(number, own)
    code += _refuse_any(_numbers(system.unseen), success)
    code += _refuse_any(refused, refusal)
    return [*code, _allow()]


def _decide(number: int, then: list[bytes]) -> list[bytes]:
    return [_step(_EQUALS, number, 0, len(then)), *then]


def _refuse_any(values: Iterable[int], refusal: int) -> list[bytes]:
    return [step for value in values for step in (_step(_EQUALS, value, 0, 1), _step(_RETURN, refusal))]


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


def _step(code: int, value: int, holds: int = 0, fails: int = 0) -> bytes:
    return struct.pack("HBBI", code, holds, fails, value)


def _allow() -> bytes:
    return _step(_RETURN, _ALLOWED)
