"""How a file spells the namespace of functions on arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import External, Namespace
from hybridlint.fixers.toolkit.templates import expression

if TYPE_CHECKING:
    import libcst as cst

    from hybridlint.analysis.project.program import Module
from hybridlint.text.edits import Import

#: The import that a file gets where it has no name for it.
NEEDED = Import("mxnet", "nd")


def array_functions(module: Module) -> cst.BaseExpression:
    """Return the namespace ``nd`` as the file calls it, or as it will once it has imported it."""
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
