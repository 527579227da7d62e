"""The sandbox of a proof: the child writes only in its own folder, and starts no programs or connections.

On Linux, Landlock prevents writes elsewhere, a filter refuses all system calls but those that a proof needs, and root's
capabilities are dropped, for C code too. On all systems an audit hook prevents what goes through Python.
"""

from __future__ import annotations

import array
import glob
import os
import re
import socket
import sys
import tempfile
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

from hybridlint.proving.child.sandbox.guard import AuditGuard
from hybridlint.proving.child.sandbox.places import AllowedPaths
from hybridlint.proving.child.sandbox.reads import FileReads

#: Variables that name folders where programs write.
_HOMES = ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
_MORE_HOMES = ("XDG_STATE_HOME", "XDG_RUNTIME_DIR", "MXNET_HOME")
_TEMPORARY = ("TMPDIR", "TEMP", "TMP")
#: The files of a driver and of its GPUs, and that of memory which both processors see.
_COMPUTING = re.compile(r"/dev/nvidia(ctl|-uvm|[0-9]+)")


class Hold(Enum):
    """How the system confines a process."""

    NONE = "not completely"
    ALONE = "by its own filter"
    #: Another process gets to know what is refused, and decides what the process may do to itself.
    WATCHED = "by a filter that asks another process"


def enter(task: Mapping[str, Any], *, witness: socket.socket | None = None, blocks_follow: bool = False) -> AuditGuard:
    """Permanently confine this process to writing in the folder `scratch` of its task, and return the audit hook.

    If `blocks_follow`, the system lets it copy itself, until `confine_block` takes that from each copy too. Where the
    system can ask, the process at the other end of `witness` allows each copy, and names refused calls.
    """
    scratch = use_folders(task)
    sys.dont_write_bytecode = True
    reads = FileReads(scratch, os.getcwd(), task["shown"])
    hold = _held_by_the_system(scratch, files=_files_of(task), copying=blocks_follow, witness=witness)
    guard = AuditGuard(
        scratch, AllowedPaths(task["project"]), reads, held=hold is not Hold.NONE, watched=hold is Hold.WATCHED
    )
    guard.install()
    return guard


def enter_quietly(task: Mapping[str, Any]) -> None:
    """Permanently confine this process, which runs no code of the project, if the system allows it."""
    _held_by_the_system(use_folders(task), files=_files_of(task))


def _files_of(task: Mapping[str, Any]) -> Sequence[str]:
    """Return the files outside of its folder that a task writes."""
    return _gpu_files() if task.get("device") == "gpu" else ()


def use_folders(task: Mapping[str, Any]) -> str:
    """Have this process write its files into the folder `scratch` of its task, and return that."""
    scratch: str = os.path.realpath(task["scratch"])
    for name in (*_HOMES, *_MORE_HOMES):
        os.environ[name] = os.path.join(scratch, "home")
    for name in _TEMPORARY:
        os.environ[name] = os.path.join(scratch, "tmp")
    tempfile.tempdir = None
    return scratch


def confine_block(guard: AuditGuard) -> None:
    """Take from this process, a copy of one that was confined, the right to copy itself in turn.

    Nothing is to be done where another process decides that.
    """
    libc = _libc()
    if guard.held and not guard.watched and libc is not None:
        from hybridlint.proving.child.sandbox import allowed_system_calls, landlock, seccomp

        seccomp.restrict(libc, allowed_system_calls.call_table(on_gpu=True, truncating=landlock.confines_sizes(libc)))


def _gpu_files() -> list[str]:
    """Return the files through which programs compute on NVIDIA's GPUs, for proofs that ask for one.

    Those for screens (`nvidia-modeset`) and for looking into other programs (`nvidia-uvm-tools`) are not among them.
    """
    return sorted(file for file in glob.glob("/dev/nvidia*") if _COMPUTING.fullmatch(file))


def _held_by_the_system(
    scratch: str, *, files: Sequence[str] = (), copying: bool = False, witness: socket.socket | None = None
) -> Hold:
    """Ask the system to confine this process, except some files of a GPU, and return how it does so.

    A descriptor of the calls that it refuses is sent to `witness`, where the system has such.
    """
    libc = _libc()
    if libc is None:
        return Hold.NONE
    from hybridlint.proving.child.sandbox import allowed_system_calls, landlock, privileges, seccomp

    confined = landlock.restrict(libc, [scratch], [os.devnull, *files])
    confined = privileges.drop_capabilities(libc) and confined
    table = allowed_system_calls.call_table(on_gpu=bool(files), truncating=confined and landlock.confines_sizes(libc))
    listener = None if witness is None else seccomp.restrict_and_listen(libc, table)
    if witness is None or listener is None:
        return Hold.ALONE if seccomp.restrict(libc, table, copying=copying) and confined else Hold.NONE
    rights = array.array("i", [listener])
    witness.sendmsg([b"listener"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
    os.close(listener)
    return Hold.WATCHED if confined else Hold.NONE


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
