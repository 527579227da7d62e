"""The classes and functions of a file that a conversion may change: Blocks, and what builds networks of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridlint.analysis.interpret import new_project
from hybridlint.analysis.model.values import External
from hybridlint.analysis.mxnet.classes import BLOCK, ENTRY, HYBRID_BLOCK
from hybridlint.runtime.facts.abstract.layers import is_hybrid_layer, layer_class
from hybridlint.text import definitions
from hybridlint.text.syntax import walk

if TYPE_CHECKING:
    from hybridlint.analysis.project.program import ClassInfo, ProjectFile
    from hybridlint.text.source import SourceFile

#: The argument of `hybrid_forward` that holds the namespace of operators.
FUNCTIONS = "F"
#: The prefix of a hybrid class's name: HybridSequential is the counterpart of Sequential.
_HYBRID = "Hybrid"


def candidate_names(source: SourceFile) -> list[str]:
    """Return the names of the classes of a file, and of its functions that build a network. Raises SourceError."""
    module = new_project().module(source)
    return [*(name for name, _ in classes(module)), *plain_networks(module)]


def classes(module: ProjectFile) -> Iterator[tuple[str, ClassInfo]]:
    """Yield the classes of a file with their qualified names, in the order of the file."""
    yield from ((name, module.class_info(node)) for name, node in definitions.classes(module.source.tree.body))


def plain_networks(module: ProjectFile) -> dict[str, ast.FunctionDef]:
    """Return the functions of a file that build a container with a hybrid counterpart, such as Sequential, by name."""
    functions = (node for node in module.source.tree.body if isinstance(node, ast.FunctionDef))
    return {node.name: node for node in functions if any(_makes_container(module, part) for part in walk(node))}


def _makes_container(module: ProjectFile, node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
        return False
    match module.expression(node.func):
        case External(name=dotted):
            return hybrid_container(dotted) is not None
        case _:
            return False


def is_plain(info: ClassInfo) -> bool:
    """Whether a class is a block that `hybridize()` does not compile: a plain Block, or one with its own `forward`."""
    if not info.block or ENTRY in info.methods:
        return False
    return not info.hybrid or ("forward" in info.methods and not is_abstract(info.methods["forward"]))


def is_abstract(method: ast.FunctionDef) -> bool:
    """Whether the body of a method is empty, `pass` or `raise`, so that subclasses must define it."""
    body = [n for n in method.body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
    return not body or all(isinstance(n, ast.Pass | ast.Raise) for n in body)


def declares_only(info: ClassInfo) -> bool:
    """Whether a class cannot run by itself: it has an abstract `forward`, or none and no container as its base."""
    found = info.method("forward")
    if found is not None:
        return is_abstract(found[0])
    return not any(name_of(base) not in {BLOCK, HYBRID_BLOCK} for base in info.foreign_bases if is_gluon(base))


def hybrid_name(dotted: str) -> str | None:
    """Return the name of a Gluon class's hybrid counterpart: HybridBlock for Block; None if it has none.

    A class that is hybrid already keeps its name.
    """
    name = name_of(dotted)
    if is_hybrid_layer(name) or name == HYBRID_BLOCK:
        return name
    return _HYBRID + name if is_hybrid_layer(_HYBRID + name) or name == BLOCK else None


def hybrid_container(dotted: str) -> str | None:
    """Return the name of the hybrid counterpart of a Gluon container such as Sequential, None for other classes."""
    made = layer_class(name_of(dotted)) if is_gluon(dotted) else None
    new = hybrid_name(dotted) if made is not None and hasattr(made, "add") else None
    return None if new == name_of(dotted) else new


def names_in(node: ast.AST) -> frozenset[str]:
    """Return the names that a piece of code uses."""
    return frozenset(part.id for part in walk(node) if isinstance(part, ast.Name))


def is_gluon(dotted: str) -> bool:
    """Whether a dotted name is of MXNet's Gluon."""
    return dotted.startswith("mxnet.gluon.")


def name_of(dotted: str) -> str:
    """Return the last part of a dotted name."""
    return dotted.rpartition(".")[2]
