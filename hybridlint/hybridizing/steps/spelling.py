"""The expression by which a file refers to the namespace ``nd``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import External, Namespace
from hybridlint.fixers.toolkit.templates import expression

if TYPE_CHECKING:
    import libcst as cst

    from hybridlint.analysis.project.program import ProjectFile
from hybridlint.text.edits import ImportEdit

#: The import that is added to a file without a name for ``nd``.
NEEDED = ImportEdit("mxnet", "nd")


def array_functions(module: ProjectFile) -> cst.BaseExpression:
    """Return the expression for ``nd`` in a file, such as ``mx.nd``; plain ``nd`` if the import must be added."""
    return expression("{name}", name=_spelling(module) or "nd")


def lacks_array_functions(module: ProjectFile) -> bool:
    """Whether a file has no name for ``nd``."""
    return _spelling(module) is None


def _spelling(module: ProjectFile) -> str | None:
    bound = {name: module.value(name) for name in module.definitions}
    whole = next((name for name, value in bound.items() if value == Namespace("nd")), None)
    if whole is not None:
        return whole
    library = next((name for name, value in bound.items() if value == External("mxnet")), None)
    return None if library is None else f"{library}.nd"
