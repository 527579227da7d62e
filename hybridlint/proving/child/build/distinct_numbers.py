"""Guessed constructor arguments in which equal numbers become different, for example inside a list.

Equal numbers hide what the code does with each of them: a range from 4 to 4 draws one value, and layers of equal widths
can be confused.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from hybridlint.proving.child.build.values.bounds import order_bounds


def distinct(
    kwargs: Mapping[str, str], defaults: Mapping[str, str], given: Mapping[str, Collection[str]]
) -> Iterator[dict[str, str]]:
    """Yield the arguments with different numbers, first in all, then in one at a time; none without equal numbers.

    `defaults` are the other arguments of the constructor. `given` maps arguments to the values that real calls pass,
    which stay unchanged.
    """
    apart = {name: text if text in given.get(name, ()) else _apart(text) for name, text in kwargs.items()}
    guessed = {name for name in kwargs if kwargs[name] not in given.get(name, ())}
    ranged = order_bounds(apart, defaults)
    changed = {name: ranged[name] if name in guessed else text for name, text in apart.items()}
    several = [name for name, text in changed.items() if text != kwargs[name]]
    if several:
        yield changed
    if len(several) > 1:
        yield from ({**kwargs, name: changed[name]} for name in several)


def _apart(text: str) -> str:
    """Return an expression with different numbers in its lists, and ends of ranges that differ in its tables."""
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        return text
    found = _Apart()
    changed = ast.unparse(found.visit(tree)) if hasattr(ast, "unparse") else text
    return changed if found.any else text


class _Apart(ast.NodeTransformer):
    def __init__(self) -> None:
        self.any = False

    def visit_List(self, node: ast.List) -> Any:
        return self._spread(node)

    def visit_Tuple(self, node: ast.Tuple) -> Any:
        return self._spread(node)

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        return node

    def visit_Dict(self, node: ast.Dict) -> Any:
        names = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
        self._bound([name if isinstance(name, str) else None for name in names], node.values)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> Any:
        values = [keyword.value for keyword in node.keywords]
        self._bound([keyword.arg for keyword in node.keywords], values)
        for keyword, value in zip(node.keywords, values):  # noqa: B905 - the child also runs under Python 3.8
            keyword.value = value
        return self.generic_visit(node)

    def _spread(self, node: Any) -> Any:
        numbers = [item.value if isinstance(item, ast.Constant) else None for item in node.elts]
        first: Any = numbers[0] if numbers else None
        if len(numbers) < 2 or type(first) not in (int, float) or any(number != first for number in numbers):
            return self.generic_visit(node)
        if first in (0, 1):
            # These mostly mean "none" or "as it is".
            return node
        self.any = True
        count = len(numbers)
        node.elts = [ast.Constant(_one_of(first, place, count)) for place in range(count)]
        return node

    def _bound(self, names: list[str | None], values: list[ast.expr]) -> None:
        """Replace those among `values`, in place, that are the upper ends of ranges by larger numbers."""
        known = {
            name: repr(value.value)
            for name, value in zip(names, values)  # noqa: B905 - the child also runs under Python 3.8
            if name is not None and isinstance(value, ast.Constant) and type(value.value) in (int, float)
        }
        ranged = order_bounds(known)
        for place, name in enumerate(names):
            if name in known and ranged[name] != known[name]:
                self.any = True
                values[place] = ast.Constant(ast.literal_eval(ranged[name]))


def _one_of(number: float, place: int, count: int) -> float:
    """Return one of `count` increasing numbers that start at `number`; a fraction stays below 1."""
    return number * (place + 1) if type(number) is int else number * (place + 1) / count
