"""Rewriting of reads of removed names into calls of `lookup`. Line numbers stay the same."""

from __future__ import annotations

import ast
import re
from functools import cache

from hybridlint.launch.legacy.names import MODULES, attribute_names, former_names

_LOOKUP = "hybridlint.launch.legacy.lookup"
_ATTRIBUTE, _IMPORTED, _MODULE = (f"__hybridlint_{name}__" for name in ("attribute", "imported", "module"))
_BOUND = {"attribute": _ATTRIBUTE, "imported_object": _IMPORTED, "module": _MODULE}


_AFTER_DOT = re.compile(rb"\.([A-Za-z_]\w*)")


@cache
def _names() -> frozenset[bytes]:
    return frozenset(name.encode() for name in attribute_names())


@cache
def _imports() -> re.Pattern[bytes]:
    modules = "|".join(sorted(MODULES))
    homes = "|".join(sorted(former_names()))
    return re.compile(rf"\b(?:import|from)\b[^\n]*\b(?:{modules})\b|\bfrom\s+(?:{homes})\s+import\b".encode())


def may_need(source: bytes) -> bool:
    """Whether a source may read a removed name. Fast, because it is called for every imported file."""
    return not _names().isdisjoint(_AFTER_DOT.findall(source)) or _imports().search(source) is not None


def rewrite(tree: ast.Module) -> ast.Module:
    """Return the tree with reads of removed names rewritten; the tree itself if there are none."""
    rewriter = _Rewriter()
    tree = rewriter.visit(tree)
    if not rewriter.used:
        return tree
    place = next((k for k, node in enumerate(tree.body) if not _stays_first(node, k)), len(tree.body))
    names = [ast.alias(name=name, asname=bound) for name, bound in _BOUND.items() if bound in rewriter.used]
    tree.body.insert(place, ast.ImportFrom(module=_LOOKUP, names=names, level=0))
    return ast.fix_missing_locations(tree)


def _stays_first(node: ast.stmt, place: int) -> bool:
    """Whether a statement must stay at the top of the file: a docstring or a ``__future__`` import."""
    if isinstance(node, ast.ImportFrom):
        return node.module == "__future__"
    return place == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


class _Rewriter(ast.NodeTransformer):
    """Rewrites reads of removed names, and records which lookup functions are used."""

    def __init__(self) -> None:
        self.used: set[str] = set()

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Rewrite attributes in load context."""
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or node.attr not in attribute_names():
            return node
        return ast.copy_location(self._ask(_ATTRIBUTE, node.value, ast.Constant(node.attr)), node)

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
        """Rewrite imports of removed modules."""
        statements: list[ast.stmt] = []
        for alias in node.names:
            top = alias.name.partition(".")[0]
            if top not in MODULES:
                statements.append(ast.copy_location(ast.Import(names=[alias]), node))
                continue
            question = self._ask(_MODULE, ast.Constant(alias.name))
            if alias.asname:
                question.keywords.append(ast.keyword(arg="top", value=ast.Constant(False)))
            statements.append(_bind(alias.asname or top, question, node))
        return statements

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.stmt]:
        """Rewrite imports of removed names, and imports from removed modules."""
        module = node.module or ""
        removed_names = former_names().get(module, {})
        whole = module.partition(".")[0] in MODULES
        if node.level or not (removed_names or whole):
            return [node]
        statements: list[ast.stmt] = []
        for alias in node.names:
            if alias.name != "*" and (whole or alias.name in removed_names):
                question = self._ask(_IMPORTED, ast.Constant(module), ast.Constant(alias.name))
                statements.append(_bind(alias.asname or alias.name, question, node))
            else:
                one = ast.ImportFrom(module=module, names=[alias], level=0)
                statements.append(ast.copy_location(one, node))
        return statements

    def _ask(self, question: str, *arguments: ast.expr) -> ast.Call:
        self.used.add(question)
        return ast.Call(func=ast.Name(id=question, ctx=ast.Load()), args=list(arguments), keywords=[])


def _bind(name: str, value: ast.expr, like: ast.stmt) -> ast.stmt:
    return ast.copy_location(ast.Assign(targets=[ast.Name(id=name, ctx=ast.Store())], value=value), like)
