"""The blocks of a file that a proof covers, found in its text: hybrid classes, and functions that build networks."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.proving.networks import networks
from hybridlint.runtime.facts.records import record
from hybridlint.text.source import SourceError, SourceFile

#: What may hold definitions of classes. Expressions hold none, and may be nested deeply.
_HOLDING = (ast.stmt, ast.ExceptHandler, ast.match_case)


@record(frozen=True, slots=True)
class Provable:
    """A class that defines hybrid_forward, or (if `network`) a function that builds a network.

    `row` is its first row, `function` the name of the function that the class is defined in, None if there is none.
    """

    row: int
    function: str | None = None
    network: bool = False


def count_blocks(source: SourceFile) -> int:
    """Return how many blocks of a file will be proved, 0 for a file that does not parse."""
    try:
        return len(provable(source))
    except SourceError:
        return 0


def block_rows(source: SourceFile) -> dict[str, int]:
    """Return the blocks of a file that a proof will run, each with its row; none for unparsable files."""
    try:
        return {name: block.row for name, block in provable(source).items()}
    except SourceError:
        return {}


def named_blocks(source: SourceFile) -> list[str]:
    """Return the names by which blocks of a file can be proved. Raises SourceError.

    They include those of classes of which only the import shows whether they inherit hybrid_forward.
    """
    return list(dict.fromkeys([*provable(source), *heirs(source)]))


def hybrid_classes(source: SourceFile) -> dict[str, Provable]:
    """Return the classes of a file that define hybrid_forward, by qualified name. Raises SourceError."""
    return dict(_walk(source.tree, "", None))


def provable(source: SourceFile) -> dict[str, Provable]:
    """Return the classes, then the network functions, of a file that a proof covers, each in source order."""
    built = networks(source)
    # A class that a function defines and returns is proved as the network that the function builds.
    within = {f"{name}.<locals>.{cls}" for name, network in built.items() for cls in network.classes}
    found = {name: c for name, c in hybrid_classes(source).items() if name not in within}
    return {**found, **{name: Provable(network.row, network=True) for name, network in built.items()}}


def heirs(source: SourceFile) -> Iterator[str]:
    """Yield the top-level classes that may inherit hybrid_forward."""
    return (node.name for node in source.tree.body if isinstance(node, ast.ClassDef) and node.bases)


def _walk(node: ast.AST, prefix: str, function: str | None) -> Iterator[tuple[str, Provable]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            name = f"{prefix}{child.name}"
            if any(isinstance(m, ast.FunctionDef) and m.name == ENTRY for m in child.body):
                yield name, Provable(child.lineno, function)
            yield from _walk(child, f"{name}.", function)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _walk(child, f"{prefix}{child.name}.<locals>.", child.name)
        elif isinstance(child, _HOLDING):
            yield from _walk(child, prefix, function)


def first_row(source: SourceFile, name: str) -> int:
    """Return the first row of a class by its qualified name, 1 if the file has none of that name."""
    last = name.rpartition(".")[2]
    classes = (node for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef))
    return next((node.lineno for node in classes if node.name == last), 1)
