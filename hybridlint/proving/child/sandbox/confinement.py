"""The sandbox of a proof: the child may write in its own folder only, start no programs, and open no connections.

On Linux, Landlock prevents writes elsewhere, and a filter of system calls prevents connections, programs and processes,
for C code too. On all systems an audit hook prevents what goes through Python.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

from hybridlint.proving.child.sandbox.guard import Guard
from hybridlint.proving.child.sandbox.places import Places
from hybridlint.proving.child.sandbox.reads import Reads

#: Variables that name folders where programs write.
_HOMES = ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
_MORE_HOMES = ("XDG_STATE_HOME", "XDG_RUNTIME_DIR", "MXNET_HOME")
_TEMPORARY = ("TMPDIR", "TEMP", "TMP")
_DIES_WITH_PARENT, _KILL = 1, 9


def enter(task: Mapping[str, Any]) -> Guard:
    """Permanently confine this process to writing in the folder `scratch` of its task, and return the audit hook."""
    scratch = os.path.realpath(task["scratch"])
    for name in (*_HOMES, *_MORE_HOMES):
        os.environ[name] = os.path.join(scratch, "home")
    for name in _TEMPORARY:
        os.environ[name] = os.path.join(scratch, "tmp")
    tempfile.tempdir = None
    sys.dont_write_bytecode = True
    reads = Reads(scratch, os.getcwd(), task["shown"])
    guard = Guard(scratch, Places(task["project"]), reads, held=_held_by_the_system(scratch))
    guard.install()
    return guard


def _held_by_the_system(scratch: str) -> bool:
    """Ask the system to confine this process; return whether it does so completely."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        import ctypes

        from hybridlint.proving.child.sandbox import landlock, seccomp

        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall.restype = ctypes.c_long
    except (ImportError, OSError, AttributeError):
        return False
    libc.prctl(_DIES_WITH_PARENT, _KILL, 0, 0, 0)
    files = landlock.restrict(libc, [scratch], [os.devnull])
    return seccomp.restrict(libc) and files
