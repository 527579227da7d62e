"""Classes whose blocks are traced again when the mode of autograd changes: their ``forward`` drops the graph then."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING

from hybridlint.text.syntax import walk

if TYPE_CHECKING:
    from hybridlint.analysis.model.values import ProjectClass

#: The methods through which every call of a block passes.
PASSED = ("forward", "__call__")
#: The method of a HybridBlock that drops its graph.
DROP = "_clear_cached_op"
#: The functions that tell the mode.
MODES = frozenset({"is_training", "is_recording"})


def retrace_conditions(info: ProjectClass) -> frozenset[str]:
    """Return the functions that decide whether the blocks of a class are traced again, such as "is_training"."""
    return frozenset().union(*(retraced_by(one.node) for one in info.lineage))


@lru_cache(maxsize=128)
def retraced_by(node: ast.ClassDef) -> frozenset[str]:
    """Return the functions of the mode for which the methods of the class itself drop the graph."""
    methods = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name in PASSED]
    return frozenset(name for method in methods if _drops(method) for name in _asked(method))


def _drops(method: ast.FunctionDef) -> bool:
    return any(isinstance(n, ast.Attribute) and n.attr == DROP for n in walk(method))


def _asked(method: ast.FunctionDef) -> set[str]:
    attributes = {n.attr for n in walk(method) if isinstance(n, ast.Attribute)}
    return (attributes | {n.id for n in walk(method) if isinstance(n, ast.Name)}) & MODES
