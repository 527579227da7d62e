"""Devices: an eager run keeps the one that the code names, a graph has all its constants where its inputs are."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from hybridlint.analysis.events import Frame
from hybridlint.edits import Edit
from hybridlint.fixers.imports import ndarray_module
from hybridlint.fixers.names import dotted


@dataclass(frozen=True, slots=True)
class Choice:
    """What is written in place of an expression: `text`, and the edits that import what it names."""

    text: str
    imports: tuple[Edit, ...]


def eagerly(frame: Frame, content: str, otherwise: str) -> Choice | None:
    """Return an expression that is `content` in eager runs, and something else at the trace."""
    found = ndarray_module(frame)
    if found is None or frame.functions is None:
        return None
    module, imports = found
    return Choice(f"{content} if {frame.functions} is {module} else {otherwise}", imports)


def context_of(frame: Frame, node: ast.expr) -> Choice | None:
    """Return the context that a creation function is given in eager runs alone."""
    return eagerly(frame, frame.source.code(node), "None")


def is_default(node: ast.expr) -> bool:
    """Whether an expression is the device on which arrays are made where nobody names one."""
    match node:
        case ast.Call(func=function, args=[], keywords=[]):
            return (dotted(function) or ("",))[-1] == "cpu"
    return False
