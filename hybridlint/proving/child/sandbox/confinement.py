"""The sandbox of a proof: the child may write in its own folder only, start no programs, and open no connections.

On Linux, Landlock prevents writes elsewhere, and a filter of system calls prevents connections, programs and processes,
for C code too. On all systems an audit hook prevents what goes through Python.
"""

from __future__ import annotations

import glob
import os
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from hybridlint.proving.child.sandbox.guard import Guard
from hybridlint.proving.child.sandbox.places import Places
from hybridlint.proving.child.sandbox.reads import Reads

#: Variables that name folders where programs write.
_HOMES = ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
_MORE_HOMES = ("XDG_STATE_HOME", "XDG_RUNTIME_DIR", "MXNET_HOME")
_TEMPORARY = ("TMPDIR", "TEMP", "TMP")
#: The files of a driver and of its GPUs, and that of memory which both processors see.
_COMPUTING = re.compile(r"/dev/nvidia(ctl|-uvm|[0-9]+)")


def enter(task: Mapping[str, Any], *, blocks_follow: bool = False) -> Guard:
    """Permanently confine this process to writing in the folder `scratch` of its task, and return the audit hook.

    If `blocks_follow`, the system lets it copy itself, until `confine_block` takes that from each copy too.
    """
    scratch = os.path.realpath(task["scratch"])
    for name in (*_HOMES, *_MORE_HOMES):
        os.environ[name] = os.path.join(scratch, "home")
    for name in _TEMPORARY:
        os.environ[name] = os.path.join(scratch, "tmp")
    tempfile.tempdir = None
    sys.dont_write_bytecode = True
    reads = Reads(scratch, os.getcwd(), task["shown"])
    files = _gpu_files() if task.get("device") == "gpu" else ()
    held = _held_by_the_system(scratch, files=files, copying=blocks_follow)
    guard = Guard(scratch, Places(task["project"]), reads, held=held)
    guard.install()
    return guard


def confine_block(guard: Guard) -> None:
    """Take from this process, a copy of one that was confined, the right to copy itself in turn."""
    libc = _libc()
    if guard.held and libc is not None:
        from hybridlint.proving.child.sandbox import seccomp

        seccomp.restrict(libc)


def _gpu_files() -> list[str]:
    """Return the files through which programs compute on NVIDIA's GPUs, for proofs that ask for one.

    Those for screens (`nvidia-modeset`) and for looking into other programs (`nvidia-uvm-tools`) are not among them.
    """
    return sorted(file for file in glob.glob("/dev/nvidia*") if _COMPUTING.fullmatch(file))


def _held_by_the_system(scratch: str, *, files: Sequence[str] = (), copying: bool = False) -> bool:
    """Ask the system to confine this process, but for some files; return whether it does so completely."""
    libc = _libc()
    if libc is None:
        return False
    from hybridlint.proving.child.sandbox import landlock, seccomp

    confined = landlock.restrict(libc, [scratch], [os.devnull, *files])
    return seccomp.restrict(libc, copying=copying) and confined


def _libc() -> Any:
    """Return the C library with what confines a process, None if this system has none."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        import ctypes

        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall.restype = ctypes.c_long
    except (ImportError, OSError, AttributeError):
        return None
    return libc
