"""Jupyter notebooks: their cells of Python are one program; outputs and metadata stay as they are.

The format: https://nbformat.readthedocs.io/en/latest/format_description.html
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hybridlint.project.documents.program import hide_magics, mark, parts, show_magics
from hybridlint.text.source import SourceError

SUFFIXES: Sequence[str] = (".ipynb",)
HAS_CELLS = True

#: How programs that write notebooks indent them, Jupyter first.
_INDENTS: tuple[int | str | None, ...] = (1, 2, 4, None, "\t")


def program(data: bytes) -> str:
    """Return the cells of Python, each behind its mark. Raises SourceError if this is no notebook of version 4."""
    lines: list[str] = []
    for number, cell in _cells(_read(data)):
        lines += [mark(number), *hide_magics(_source(cell).split("\n"))]
    return "\n".join(lines)


def whole(data: bytes, text: str) -> bytes:
    """Return the notebook with the cells of a program. Raises ValueError if its own bytes could not be kept."""
    notebook = _read(data)
    write = _writer(notebook, data)
    cells = dict(_cells(notebook))
    found = {part.number: "\n".join(show_magics(part.lines)) for part in parts(text)}
    if list(found) != list(cells):
        raise ValueError("the cells of the program are not those of the notebook")
    for number, source in found.items():
        if source != _source(cells[number]):
            listed = isinstance(cells[number]["source"], list)
            cells[number]["source"] = source.splitlines(keepends=True) if listed else source
    return write(notebook)


def _read(data: bytes) -> Any:
    try:
        notebook = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise SourceError(f"this is no notebook: {error}") from error
    if not isinstance(notebook, dict) or notebook.get("nbformat") != 4 or not isinstance(notebook.get("cells"), list):
        raise SourceError("this is no notebook of format 4: open and save it with Jupyter, which brings it up to date")
    return notebook


def _cells(notebook: Any) -> Iterator[tuple[int, Any]]:
    """Yield the cells of Python code with their numbers, which count all cells from 1."""
    if _language(notebook) != "python":
        return
    for number, cell in enumerate(notebook["cells"], 1):
        if isinstance(cell, dict) and cell.get("cell_type") == "code" and isinstance(cell.get("source"), str | list):
            yield number, cell


def _language(notebook: Any) -> str:
    metadata = notebook.get("metadata")
    for table, key in (("language_info", "name"), ("kernelspec", "language")):
        value = metadata.get(table) if isinstance(metadata, dict) else None
        if isinstance(value, dict) and isinstance(value.get(key), str):
            return str(value[key]).lower()
    return "python"


def _source(cell: Any) -> str:
    source = cell["source"]
    return source if isinstance(source, str) else "".join(line for line in source if isinstance(line, str))


def _writer(notebook: Any, data: bytes) -> Callable[[Any], bytes]:
    """Return a function that writes a notebook as the bytes of this one were written. Raises ValueError."""
    end = b"\n" if data.endswith(b"\n") else b""
    for indent in _INDENTS:
        for ascii_only in (False, True):
            for separators in ((",", ": "), (",", ":")) if indent is not None else ((", ", ": "), (",", ":")):

                def write(
                    content: Any,
                    indent: int | str | None = indent,
                    ascii_only: bool = ascii_only,
                    separators: tuple[str, str] = separators,
                ) -> bytes:
                    text = json.dumps(content, indent=indent, ensure_ascii=ascii_only, separators=separators)
                    return text.encode("utf-8", errors="surrogatepass") + end

                if write(notebook) == data:
                    return write
    raise ValueError("the notebook is not written as any known program writes it")
