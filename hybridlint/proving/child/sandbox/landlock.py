"""Landlock: from Linux 5.13 on a process can permanently give up writing outside the folders that it names.

It confines C code as well, and needs neither administrator rights nor another program.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable

# System call numbers that are the same on all architectures.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION, _PATH_BENEATH = 1, 1
_NO_NEW_PRIVILEGES = 38

_WRITE_FILE, _TRUNCATE, _IOCTL_DEVICE = 1 << 1, 1 << 14, 1 << 15
#: Making devices, sockets and pipes, which nobody may anywhere.
_SPECIAL = 1 << 6 | 1 << 9 | 1 << 10 | 1 << 11
#: The version that confines changes of a file's size.
_CONFINES_SIZES = 3
#: Rights of the first version: writing, removing and creating.
_WRITING = _WRITE_FILE | sum(1 << bit for bit in range(4, 13))
#: Rights added by later versions: linking and renaming across folders, truncating, device commands.
_ADDED = {2: 1 << 13, _CONFINES_SIZES: _TRUNCATE, 5: _IOCTL_DEVICE}
#: TCP, from version 4 on; abstract sockets and signals to outside processes, from version 6 on.
_TCP, _SCOPED = 0b11, 0b11


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("access", ctypes.c_uint64), ("folder", ctypes.c_int32)]


def confines_sizes(libc: ctypes.CDLL) -> bool:
    """Return whether changing the size of a file by its path is confined too."""
    return _version(libc) >= _CONFINES_SIZES


def _version(libc: ctypes.CDLL) -> int:
    return int(libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_ASK_VERSION)))


def restrict(libc: ctypes.CDLL, folders: Iterable[str], files: Iterable[str]) -> bool:
    """Restrict writes of this thread and its children to these folders and files; return whether that worked."""
    version = _version(libc)
    if version < 1:
        return False
    writing = _WRITING + sum(bit for since, bit in _ADDED.items() if version >= since)
    rules = _Ruleset(writing, _TCP if version >= 4 else 0, _SCOPED if version >= 6 else 0)
    size = 8 if version < 4 else 16 if version < 6 else 24
    ruleset = libc.syscall(_CREATE_RULESET, ctypes.byref(rules), ctypes.c_size_t(size), ctypes.c_uint32(0))
    if ruleset < 0:
        return False
    try:
        of_files = writing & (_WRITE_FILE | _TRUNCATE | _IOCTL_DEVICE)
        allowed = [(folder, writing & ~_SPECIAL) for folder in folders] + [(file, of_files) for file in files]
        return all(_allow(libc, ruleset, path, access) for path, access in allowed) and _enter(libc, ruleset)
    finally:
        os.close(ruleset)


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, access: int) -> bool:
    place = os.open(path, getattr(os, "O_PATH", 0) | os.O_CLOEXEC)
    try:
        rule = _Beneath(access, place)
        added = libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(rule), ctypes.c_uint32(0))
        return bool(added == 0)
    finally:
        os.close(place)


def _enter(libc: ctypes.CDLL, ruleset: int) -> bool:
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    return bool(libc.syscall(_RESTRICT_SELF, ruleset, ctypes.c_uint32(0)) == 0)
