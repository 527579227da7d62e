"""The name by which a file is imported."""

from __future__ import annotations

from pathlib import Path


def module_name(path: Path) -> tuple[str, Path]:
    """Return the dotted module name of a file, and the folder from which it is imported."""
    parts = [] if path.name == "__init__.py" else [path.stem]
    folder = path.parent
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts) or path.parent.name, folder
