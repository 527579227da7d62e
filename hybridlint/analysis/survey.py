"""What a module consists of, found in one walk: classes, functions, calls, and which class calls which name."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator


def _branches(kind: type[ast.AST]) -> Iterator[type[ast.AST]]:
    """Yield the kinds of nodes that can hold a class, a function or a call."""
    for child in kind.__subclasses__():
        if child._fields:
            yield child
        yield from _branches(child)


#: Names and constants are half of a tree and hold nothing.
_BRANCHES = frozenset(_branches(ast.AST)) - {ast.Name, ast.Constant}


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
            for value in vars(node).values():
                if type(value) is list:
                    todo.extend((item, inside) for item in value if type(item) in _BRANCHES)
                elif type(value) in _BRANCHES:
                    todo.append((value, inside))

    def users(self, name: str) -> Iterator[ast.ClassDef]:
        """Yield the classes whose bodies call a function or class by its bare name, in the order of the file."""
        users = self._users.get(name, {})
        return (node for node in self.classes if node in users)

    def _call(self, node: ast.Call, inside: tuple[ast.ClassDef, ...]) -> None:
        self.calls.append(node)
        if isinstance(node.func, ast.Name):
            self._users.setdefault(node.func.id, {}).update(dict.fromkeys(inside))
