"""Calls by which code may write files. A graph keeps the old content of a file that its pass reads."""

from __future__ import annotations

import re

from hybridlint.proving.child.changes.source_functions import FunctionSource
from hybridlint.proving.child.changes.source_terms import ATTRIBUTE, NAME, TEXT, Term

#: Functions of Python that ask for files, and their modules.
OPENING = frozenset(["open", "stat", "lstat", "access", "listdir", "scandir", "readlink"])
OF_SYSTEM = frozenset(["io", "_io", "os", "posix", "nt"])
#: Names of functions and methods that write files, run programs, or take files away.
_WRITING = re.compile(
    r"(?:write|dump|save|unlink|remove|rename|touch|rmtree|truncate|symlink|mkdir|makedirs|copyfile|copy2|tofile|"
    r"system|Popen|check_|run|to_csv|to_json|export|close).*"
)
#: Modes in which a file is only read.
_READING = re.compile(r"r[bt]*")


def writes_files(function: FunctionSource) -> bool:
    """Whether a function may write a file."""
    return any(_writes(call.term) for call in function.calls)


def _writes(call: Term) -> bool:
    if call.owner.kind not in (NAME, ATTRIBUTE):
        return False
    name = str(call.owner.name)
    if name != "open":
        return _WRITING.fullmatch(name) is not None
    place = 0 if call.owner.kind == ATTRIBUTE and call.owner.owner.name not in OF_SYSTEM else 1
    mode = call.named.get("mode") or (call.arguments[place] if len(call.arguments) > place else None)
    return mode is not None and not (mode.kind == TEXT and _READING.fullmatch(str(mode.name)))
