"""Documents by the names of their files, and the program of each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from hybridlint.project.documents import markdown, notebook, restructured
from hybridlint.text.source import SourceError, SourceFile

NOT_RUN = "what stands in a document is not run: move the classes into a module, and give that file"


class Form(Protocol):
    """What a kind of document defines."""

    SUFFIXES: Sequence[str]
    #: Whether places are told as rows of a cell, not of the document.
    HAS_CELLS: bool

    def program(self, data: bytes) -> str:
        """Return the program. Raises SourceError if the bytes are no such document."""

    def whole(self, data: bytes, text: str) -> bytes:
        """Return the document with the code of a program in place of its own. Raises ValueError if that cannot be."""


_FORMS: tuple[Form, ...] = (notebook, markdown.FORM, restructured.FORM)


def form_of(path: Path) -> Form | None:
    """Return the form of a file that is a document, by its name; None for Python."""
    return next((form for form in _FORMS if path.suffix in form.SUFFIXES), None)


def read_source(path: Path, data: bytes) -> SourceFile:
    """Return the program of a document, or the text of a Python file. Raises SourceError."""
    form = form_of(path)
    if form is None:
        return SourceFile.decode(path, data)
    program = form.program(data)
    return SourceFile(path, program, faithful=_faithful(form, data, program))


def text_of(path: Path, data: bytes) -> str:
    """Return the text that positions in a file refer to: its program, or the raw text of an unreadable file."""
    try:
        return read_source(path, data).text
    except SourceError:
        return data.decode("utf-8", errors="replace")


def _faithful(form: Form, data: bytes, program: str) -> bool:
    try:
        return form.whole(data, program) == data
    except ValueError:
        return False
