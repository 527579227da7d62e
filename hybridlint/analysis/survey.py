"""What a module consists of, found in one walk: classes, functions, calls, and which class calls which name."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator


class Survey:
    """The parts of a syntax tree, in breadth-first order as `ast.walk` gives them."""

    def __init__(self, tree: ast.Module) -> None:
        self.classes: list[ast.ClassDef] = []
        self.functions: dict[str, ast.FunctionDef] = {}
        self.calls: list[ast.Call] = []
        self._users: dict[str, dict[ast.ClassDef, None]] = {}
        todo: deque[tuple[ast.AST, tuple[ast.ClassDef, ...]]] = deque([(tree, ())])
        while todo:
            node, inside = todo.popleft()
            if isinstance(node, ast.ClassDef):
                self.classes.append(node)
                inside = (*inside, node)
            elif isinstance(node, ast.FunctionDef):
                self.functions.setdefault(node.name, node)
            elif isinstance(node, ast.Call):
                self._call(node, inside)
            todo.extend((child, inside) for child in _children(node))

    def users(self, name: str) -> Iterator[ast.ClassDef]:
        """Yield the classes whose bodies call a function or class by its bare name, in the order of the file."""
        users = self._users.get(name, {})
        return (node for node in self.classes if node in users)

    def _call(self, node: ast.Call, inside: tuple[ast.ClassDef, ...]) -> None:
        self.calls.append(node)
        if isinstance(node.func, ast.Name):
            self._users.setdefault(node.func.id, {}).update(dict.fromkeys(inside))


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes below a node; leaves such as contexts and operators, which hold nothing, are left out."""
    for value in vars(node).values():
        if type(value) is list:
            yield from (item for item in value if isinstance(item, ast.AST))
        elif isinstance(value, ast.stmt | ast.expr | ast.arguments | ast.keyword):
            yield value
