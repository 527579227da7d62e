"""The expression by which a file refers to the namespace ``nd``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import External, Namespace
from hybridlint.fixers.toolkit.templates import expression

if TYPE_CHECKING:
    import libcst as cst

    from hybridlint.analysis.project.program import Module
from hybridlint.text.edits import Import

#: The import that is added to a file without a name for ``nd``.
NEEDED = Import("mxnet", "nd")


def array_functions(module: Module) -> cst.BaseExpression:
    """Return the expression for ``nd`` in a file, such as ``mx.nd``; plain ``nd`` if the import must be added."""
    return expression("{name}", name=_spelling(module) or "nd")


def lacks_array_functions(module: Module) -> bool:
    """Whether a file has no name for ``nd``."""
    return _spelling(module) is None


def _spelling(module: Module) -> str | None:
    bound = {name: module.value(name) for name in module.definitions}
    whole = next((name for name, value in bound.items() if value == Namespace("nd")), None)
    if whole is not None:
        return whole
    library = next((name for name, value in bound.items() if value == External("mxnet")), None)
    return None if library is None else f"{library}.nd"
