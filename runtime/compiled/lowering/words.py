"""What kernels do, in words."""

from __future__ import annotations

from hybridlint.runtime.compiled.lowering.kernels import Tree
from hybridlint.runtime.compiled.lowering.values import ArrayValue, Map, Sizes


def in_words(sizes: Sizes, between: str = " x ") -> str:
    """Return sizes in words."""
    return between.join(map(str, sizes)) or "1"


def functions_of(tree: Tree, product: ArrayValue | None = None) -> str:
    """Return the names of the functions in a tree, as a list behind a colon."""
    found = functions_in(tree, product)
    return f": {', '.join(found)}" if found else ""


def functions_in(tree: Tree, product: ArrayValue | None = None) -> list[str]:
    """Return the names of the functions in a tree, each once, in the order in which they are computed."""
    found: dict[str, None] = {}
    seen: set[ArrayValue] = {*tree.leaves, *([] if product is None else [product])}

    def visit(value: ArrayValue) -> None:
        if value in seen:
            return
        seen.add(value)
        for source in value.sources:
            visit(source)
        if isinstance(value, Map):
            found.setdefault(value.function)

    visit(tree.root)
    return list(found)
