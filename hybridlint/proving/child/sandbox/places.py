"""The owner of a file or of running code: the project, an installed library, the standard library, or hybridlint."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator
from types import FrameType
from typing import Any, NamedTuple

_LIBRARIES = {"site-packages", "dist-packages"}
_HOOK = "hybridlint.proving.child.sandbox.guard"
_IMPORTING = "<frozen importlib"


class ImportOrigin(NamedTuple):
    """The line of the project's code that caused an audit event.

    `direct` is True if no installed library is between that line and the event; `importing` is True if an import is.
    """

    path: str
    row: int
    direct: bool
    importing: bool


class AllowedPaths:
    """Distinguishes the project's files from installed ones; `project` is the folder of the code being proved."""

    def __init__(self, project: str) -> None:
        self.project = _folder(project)
        self.standard = _folder(os.path.dirname(os.__file__))
        self.installed = tuple(_folder(sysconfig.get_path(name)) for name in ("purelib", "platlib"))
        own = os.path.abspath(os.path.join(__file__, *[os.pardir] * 5))
        self.own = tuple(_folder(os.path.join(own, part)) for part in ("hybridlint", "runtime"))
        self._known: dict[str, str] = {}

    def kind(self, file: str) -> str:
        """Return the owner of a file: "project", "standard", "installed", "own" or "nameless"."""
        if file not in self._known:
            self._known[file] = self._kind(os.path.realpath(file)) if os.path.isabs(file) else self._nameless(file)
        return self._known[file]

    def _kind(self, path: str) -> str:
        if path.startswith(self.own):
            return "own"
        # Each may contain the other: an environment in the project's folder, or the project in an installation.
        around = [folder for folder in (self.project, self.standard) if path.startswith(folder)]
        nearest = max(around, key=len, default="")
        if _LIBRARIES & set(path[len(nearest) :].split(os.sep)):
            return "installed"
        if around:
            return "project" if nearest == self.project else "standard"
        return "installed" if path.startswith(self.installed) else "project"

    @staticmethod
    def _nameless(file: str) -> str:
        # Code compiled from a string belongs to its caller; the interpreter's own modules are frozen.
        return "standard" if file.startswith("<frozen") else "nameless"

    def origin(self, frame: FrameType | None) -> ImportOrigin | None:
        """Return the innermost line of the project in a frame or its callers, None if there is none."""
        direct, importing = True, False
        nameless: ImportOrigin | None = None
        for one in _frames(frame):
            file = one.f_code.co_filename
            if file.startswith(_IMPORTING):
                importing = True
                continue
            kind = self.kind(file)
            if kind == "project":
                return ImportOrigin(file, one.f_lineno, direct, importing)
            if kind == "nameless" and nameless is None:
                nameless = ImportOrigin(file, one.f_lineno, direct, importing)
            direct = direct and kind != "installed"
        return nameless


def _folder(path: str) -> str:
    return os.path.join(os.path.realpath(path), "")


def _frames(frame: Any) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def caller() -> FrameType | None:
    """Return the frame that caused an event: the first one outside the hook."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith(_HOOK):
        frame = frame.f_back
    return frame
