"""The audit hook, which stops forbidden actions of the project's code during a proof and notes their lines.

The audit hook sees what goes through Python. Confining C code is up to the system, where possible: see `confinement`.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

from hybridlint.proving.child.sandbox.places import AllowedPaths, ImportOrigin, caller
from hybridlint.proving.child.sandbox.reads import FileReads

#: The end of a sentence about a stopped action.
STOPPED = ", which a proof stops"
ADVICE = "A proof writes no files, opens no connections and starts no programs: take that out of what it runs."
#: Most notes that are kept.
_MOST = 100
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

#: Events that change a file -> for each change: the action, and the positions of the path and of the folder descriptor.
_CHANGES: Mapping[str, tuple[tuple[str, int, int], ...]] = {
    "os.remove": (("delete", 0, 1),),
    "os.rmdir": (("delete", 0, 1),),
    "os.rename": (("rename", 0, 2), ("write", 1, 3)),
    "os.mkdir": (("make the folder", 0, 2),),
    "os.link": (("write", 1, 3),),
    "os.symlink": (("write", 1, 2),),
    "os.truncate": (("write", 0, -1),),
    "os.utime": (("change", 0, 3),),
    "os.chmod": (("change", 0, 2),),
    "os.chown": (("change", 0, 3),),
    "os.chflags": (("change", 0, -1),),
    "os.setxattr": (("change", 0, -1),),
    "os.removexattr": (("change", 0, -1),),
}
#: Actions that apply to the target of a link.
_FOLLOWING = ("write", "change")
#: Events that start a program or process -> the position of its name.
_STARTS: Mapping[str, int] = {
    "os.system": 0,
    "os.exec": 0,
    "os.posix_spawn": 0,
    "os.spawn": 1,
    "os.startfile": 0,
    "os.fork": -1,
    "os.forkpty": -1,
    "pty.spawn": 0,
    "subprocess.Popen": 0,
    "_winapi.CreateProcess": 0,
}
#: Events that use the network -> the position of the address.
_CONNECTS: Mapping[str, int] = {
    "socket.connect": 1,
    "socket.bind": 1,
    "socket.sendto": 1,
    "socket.sendmsg": 1,
    "socket.getaddrinfo": 0,
    "socket.gethostbyname": 0,
    "socket.gethostbyaddr": 0,
    "socket.getnameinfo": 0,
    "syslog.syslog": -1,
}
#: Events that would escape the hook or change the system -> the action.
_OTHERS: Mapping[str, str] = {
    "cpython.PyInterpreterState_New": "start another interpreter",
    "socket.sethostname": "change the name of the machine",
    "winreg.CreateKey": "change the registry",
    "winreg.SetValue": "change the registry",
    "winreg.DeleteKey": "change the registry",
    "winreg.DeleteValue": "change the registry",
    "winreg.LoadKey": "change the registry",
    "winreg.SaveKey": "change the registry",
}


class StoppedError(PermissionError):
    """Raised when the project's code tries something forbidden; to that code it is an ordinary PermissionError."""

    def __init__(self, tried: str) -> None:
        super().__init__(errno.EACCES, f"it tries to {tried}{STOPPED}")

    def __str__(self) -> str:
        """Return the sentence alone, without an error number."""
        return str(self.strerror)


class AuditGuard:
    """The audit hook: files can be written below `scratch` only.

    `held` says that the operating system confines the process too, C code included; `watched` that it asks
    the supervisor of the proof, which names what was refused.
    """

    def __init__(
        self, scratch: str, places: AllowedPaths, reads: FileReads, *, held: bool, watched: bool = False
    ) -> None:
        self.scratch = scratch
        self.held = held
        self.watched = watched
        self.places = places
        self.reads = reads
        #: Stopped actions, each with its line.
        self.notes: list[str] = []
        #: Whether the proof itself copies its process now.
        self.copying = False
        self.handlers = self._handlers()

    def install(self) -> None:
        """Handle every audit event of this process from now on."""
        handlers = self.handlers

        def hook(event: str, values: tuple[Any, ...]) -> None:
            handle = handlers.get(event)
            if handle is not None:
                handle(values)

        sys.addaudithook(hook)
        self._replace_unseen()

    def _replace_unseen(self) -> None:
        """Replace functions that start a process or an interpreter.

        They raise no audit event; in Python 3.12 a hook that refuses an interpreter crashes the process.
        """

        def refuse_program(arguments: Any, *_others: Any) -> Any:
            self._stop(f"start {_program(arguments)}")

        def refuse_interpreter(*_arguments: Any, **_keywords: Any) -> Any:
            self._stop("start another interpreter")

        _replace("_posixsubprocess", "fork_exec", refuse_program)
        for module in ("_interpreters", "_xxsubinterpreters"):
            _replace(module, "create", refuse_interpreter)

    def _handlers(self) -> dict[str, Callable[[tuple[Any, ...]], None]]:
        found: dict[str, Callable[[tuple[Any, ...]], None]] = {
            "open": self._on_open,
            "os.listdir": self._on_list,
            "os.scandir": self._on_list,
            "sqlite3.connect": self._on_database,
            "os.kill": self._on_signal,
            "os.killpg": self._on_signal,
            "socket.__new__": self._on_socket,
            "ctypes.dlopen": self._on_library,
            "ctypes.dlsym": self._on_library,
        }
        found.update((event, self._changing(changes)) for event, changes in _CHANGES.items())
        found.update((event, self._starting(place)) for event, place in _STARTS.items())
        found.update((event, self._connecting(place)) for event, place in _CONNECTS.items())
        found.update((event, self._stopping(tried)) for event, tried in _OTHERS.items())
        return found

    # -- files

    def _on_open(self, values: tuple[Any, ...]) -> None:
        path, _, flags = values
        if not isinstance(flags, int) or not flags & _WRITING:
            self.reads.opened(path)
            return
        place = self._place(path, following=True)
        if not self._is_ours(place) and place != os.devnull:
            self._stop(f"write {place}")

    def _on_list(self, values: tuple[Any, ...]) -> None:
        self.reads.listed(values[0])

    def _changing(self, changes: tuple[tuple[str, int, int], ...]) -> Callable[[tuple[Any, ...]], None]:
        def handle(values: tuple[Any, ...]) -> None:
            for verb, at, below in changes:
                folder = values[below] if 0 <= below < len(values) else -1
                place = self._place(values[at], folder, following=verb in _FOLLOWING)
                if not self._is_ours(place):
                    self._stop(f"{verb} {place}")

        return handle

    def _on_database(self, values: tuple[Any, ...]) -> None:
        name = os.fsdecode(values[0]) if isinstance(values[0], (str, bytes, os.PathLike)) else ""
        if name in ("", ":memory:"):
            return
        path = name[len("file:") :].partition("?")[0] if name.startswith("file:") else name
        place = self._place(path, following=True)
        if self._is_ours(place):
            return
        if self.held and os.path.exists(place):
            # The system allows reading it, but not writing.
            self.reads.opened(place)
            return
        self._stop(f"write {place}")

    def _place(self, path: Any, folder: Any = -1, *, following: bool) -> str:
        """Return the absolute path of a file argument: a path, a path relative to an open folder, or a descriptor."""
        if isinstance(path, int):
            return _of_descriptor(path)
        text = os.fsdecode(path)
        if isinstance(folder, int) and folder >= 0:
            text = os.path.join(_of_descriptor(folder), text)
        if following:
            return os.path.realpath(text)
        above, name = os.path.split(os.path.abspath(text))
        return os.path.join(os.path.realpath(above), name)

    def _is_ours(self, place: str) -> bool:
        return place == self.scratch or place.startswith(self.scratch + os.sep)

    # -- all else

    def _starting(self, at: int) -> Callable[[tuple[Any, ...]], None]:
        def handle(values: tuple[Any, ...]) -> None:
            if at >= 0 or not self.copying:
                self._stop(f"start {_program(values[at]) if at >= 0 else 'another process'}")

        return handle

    def _connecting(self, at: int) -> Callable[[tuple[Any, ...]], None]:
        def handle(values: tuple[Any, ...]) -> None:
            # The host name of an address is requested together with its port.
            address = values[:2] if at == 0 and len(values) > 1 else values[at] if at >= 0 else "another program"
            # Connected sockets are used without an address.
            if address is not None:
                self._stop(f"open a connection to {_address(address)}")

        return handle

    def _on_socket(self, _values: tuple[Any, ...]) -> None:
        """Stop the creation of a socket if the system refuses it anyway; wrapping an open descriptor is allowed."""
        frame = caller()
        adopted = frame is not None and frame.f_code.co_name == "__init__" and frame.f_locals.get("fileno") is not None
        if self.held and not adopted:
            self._stop("open a socket")

    def _stopping(self, tried: str) -> Callable[[tuple[Any, ...]], None]:
        return lambda _values: self._stop(tried)

    def _on_signal(self, values: tuple[Any, ...]) -> None:
        if values[0] != os.getpid():
            self._stop(f"send a signal to the process {values[0]}")

    def _on_library(self, values: tuple[Any, ...]) -> None:
        """Stop the project's own use of ctypes, which the hook cannot see through; installed libraries may use it."""
        origin = self.places.origin(caller())
        if origin is not None and origin.direct and not origin.importing:
            name = values[0] if isinstance(values[0], str) else values[-1]
            self._stop(f"call C functions of {name or 'this process'}")

    def _stop(self, tried: str) -> None:
        origin = self.places.origin(caller())
        # A library may try such things while it is imported; it mostly works without them.
        if origin is not None and not origin.importing:
            self._note(f"it tries to {tried} ({self._shown(origin)})")
        elif origin is None and threading.current_thread() is not threading.main_thread():
            self._note(f"it tries to {tried} (in a thread)")
        raise StoppedError(tried)

    def _note(self, note: str) -> None:
        if len(self.notes) < _MOST:
            self.notes.append(note)

    def _shown(self, origin: ImportOrigin) -> str:
        place = os.path.relpath(os.path.realpath(origin.path), self.places.project)
        return f"{origin.path if place.startswith('..') else place}:{origin.row}"


def _replace(module: str, name: str, function: Callable[..., Any]) -> None:
    """Replace a function in a standard module, if the module exists."""
    try:
        setattr(importlib.import_module(module), name, function)
    except ImportError:
        return


def _of_descriptor(number: int) -> str:
    """Return the path of an open file or folder; the root folder if it is not known."""
    try:
        return os.readlink(f"/proc/self/fd/{number}")
    except OSError:
        pass
    try:
        import fcntl

        return os.fsdecode(fcntl.fcntl(number, fcntl.F_GETPATH, bytes(1024)).rstrip(b"\0"))  # type: ignore[attr-defined,unused-ignore]
    except (ImportError, AttributeError, OSError):
        return os.sep


def _program(value: Any) -> str:
    first = value[0] if isinstance(value, (list, tuple)) and value else value
    try:
        return f"the program `{os.fsdecode(first).split()[0]}`"
    except (TypeError, IndexError):
        return "another program"


def _address(value: Any) -> str:
    if isinstance(value, tuple) and len(value) >= 2:
        return str(value[0]) if value[1] in (None, 0) else f"{value[0]}:{value[1]}"
    return os.fsdecode(value) if isinstance(value, (str, bytes)) else str(value)
