"""Fixers of the signature of hybrid_forward."""

from __future__ import annotations

import ast

from hybridlint.fixers.toolkit.signature_edits import head_of, rewrite_head, with_parameter
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.source import SourceFile
from hybridlint.text.syntax import walk


def with_functions(source: SourceFile, method: ast.FunctionDef) -> Fix | None:
    """Write ``def hybrid_forward(self, x)`` as ``def hybrid_forward(self, F, x)``.

    It is unsafe, because whoever calls the method itself has left `F` out too. None if the method uses that name.
    """
    if any(isinstance(node, ast.Name) and node.id == "F" for node in walk(method)):
        return None
    new = with_parameter(head_of(source, method), "F", at=1)
    return rewrite_head(source, method, new, Applicability.UNSAFE, message="Add the argument `F`")
