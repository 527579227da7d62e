"""What a name holds is worked out in `analysis/dataflow` alone: how much code still does it by hand may only fall."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.house import PACKAGE, Reading, modules

MODEL = PACKAGE / "analysis" / "dataflow"

#: Functions outside the model that tell reads from stores by the context of a node. The goal is 25.
MOST_BY_CONTEXT = 115
#: Loops in the fixers over all nodes of a tree. The goal is 120.
MOST_WALKS = 360
#: The complexity of the most complex function of the fixers. The goal is 25.
MOST_COMPLEX = 38


def _paths(*rooms: str) -> list[Path]:
    """Return the modules of some parts of the house, "" for those of `hybridlint` itself."""
    return [path for _, path in modules() if _room(path) in rooms]


def _room(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first if first in {"fixers", "rules", "runtime"} else ""


@Reading
def _by_context(_path: Path, tree: ast.Module, _nodes: Sequence[ast.AST]) -> int:
    """Return how many functions of a module tell reads from stores by the context of a node."""
    return len({function for function, node in _functions_with_nodes(tree) if _asks_for_context(node)})


@Reading
def _most_complex(path: Path, _tree: ast.Module, nodes: Sequence[ast.AST]) -> int:
    """Return the complexity of the most complex function of a module of the fixers, 0 for other modules."""
    functions = (node for node in nodes if isinstance(node, ast.FunctionDef))
    return max(map(_complexity, functions), default=0) if _room(path) == "fixers" else 0


def _functions_with_nodes(tree: ast.AST) -> Iterator[tuple[ast.FunctionDef, ast.AST]]:
    """Yield the nodes within functions, each with the innermost function around it."""
    pending: list[tuple[ast.FunctionDef | None, ast.AST]] = [(None, tree)]
    while pending:
        function, node = pending.pop()
        if function is not None:
            yield function, node
        inner = node if isinstance(node, ast.FunctionDef) else function
        pending += [(inner, child) for child in ast.iter_child_nodes(node)]


def _asks_for_context(node: ast.AST) -> bool:
    """Return whether a node reads ``node.ctx``, or is a pattern or a call with one of the contexts."""
    match node:
        case ast.Attribute(attr="ctx"):
            return True
        case ast.MatchClass(kwd_attrs=names):
            return "ctx" in names
        case ast.keyword(arg="ctx", value=value):
            return "ast." in ast.unparse(value)
        case _:
            return False


def test_reads_are_told_from_stores_in_one_place() -> None:
    paths = [path for path in _paths("", "fixers", "rules") if MODEL not in path.parents]
    assert sum(map(_by_context.of, paths)) <= MOST_BY_CONTEXT


def test_fixers_walk_no_trees_for_what_the_model_knows() -> None:
    assert sum(path.read_text(encoding="utf-8").count("in walk(") for path in _paths("fixers")) <= MOST_WALKS


def _complexity(function: ast.AST) -> int:
    """Return the number of ways through a function: its branches, loops, conditions and comprehensions, and one."""
    number = 1
    for node in ast.walk(function):
        match node:
            case ast.BoolOp(values=values):
                number += len(values) - 1
            case ast.comprehension(ifs=tests):
                number += 1 + len(tests)
            case ast.If() | ast.For() | ast.While() | ast.IfExp() | ast.ExceptHandler() | ast.Assert() | ast.With():
                number += 1
            case ast.match_case():
                number += 1
            case _:
                pass
    return number


def test_functions_of_fixers_are_small() -> None:
    assert max(map(_most_complex.of, _paths("fixers"))) <= MOST_COMPLEX
