"""What a name holds is worked out in `analysis/dataflow` alone: how much code still does it by hand may only fall."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import hybridlint

HOUSE = Path(hybridlint.__file__).parents[1]
MODEL = HOUSE / "hybridlint" / "analysis" / "dataflow"

#: Functions outside the model that tell reads from stores by the context of a node. The goal is 25.
MOST_BY_CONTEXT = 115
#: Loops in the fixers over all nodes of a tree. The goal is 120.
MOST_WALKS = 360
#: The complexity of the most complex function of the fixers. The goal is 25.
MOST_COMPLEX = 38


@cache
def _trees(*parts: str) -> dict[Path, ast.Module]:
    """Return the files of some folders of the house; its links lead to folders of the house."""
    linked = {HOUSE / "hybridlint" / part for part in ("fixers", "rules", "runtime")}
    files = (path for part in parts for path in sorted((HOUSE / part).rglob("*.py")))
    own = (path for path in files if not linked.intersection(path.parents))
    return {path: ast.parse(path.read_bytes()) for path in own}


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
    trees = _trees("hybridlint", "fixers", "rules")
    found = {
        function
        for path, tree in trees.items()
        if MODEL not in path.parents
        for function, node in _functions_with_nodes(tree)
        if _asks_for_context(node)
    }
    assert len(found) <= MOST_BY_CONTEXT


def test_fixers_walk_no_trees_for_what_the_model_knows() -> None:
    assert sum(path.read_text(encoding="utf-8").count("in walk(") for path in _trees("fixers")) <= MOST_WALKS


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
    functions = (n for tree in _trees("fixers").values() for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))
    assert max(map(_complexity, functions)) <= MOST_COMPLEX
