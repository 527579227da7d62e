"""Objects of MXNet that the interpreter tracks only by their kind, without their contents."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.values import External, LibraryInstance
from hybridlint.runtime.facts.records import record


@record(frozen=True, slots=True)
class ParameterDictRef(External):
    """The parameters of a block, ``self.params``."""


@record(frozen=True, slots=True)
class HookHandle(External):
    """The handle that attaching a hook returns; `node` is the call that attached it."""

    node: ast.AST


@record(frozen=True, slots=True)
class GradientFunction(LibraryInstance):
    """An instance of an ``autograd.Function``: `results` is the number of arrays that it returns in a tuple.

    "" represents a single array, "?" for an unknown number.
    """

    results: str = ""
