"""Subscripts that Symbols of numpy mode refuse, with ones that they take."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.model.events import Subscript
from hybridlint.analysis.model.values import Tensor, Value
from hybridlint.fixers.keys import flat_keys, is_ellipsis, is_none, listed_rows, literal
from hybridlint.fixers.subscripts import kept_parts, proves_tensor
from hybridlint.fixers.text import argument, operand, replace, safe_if
from hybridlint.text.edits import Fix


def numpy_subscript(event: Subscript) -> Fix | None:
    """Write a subscript that a Symbol in numpy mode refuses with ones that it takes."""
    functions, node = event.frame.functions, event.node
    if functions is None or not isinstance(node, ast.Subscript) or not isinstance(event.value, Tensor):
        return None
    keys, values = flat_keys(event.keys, event.key_values)
    base = operand(event.frame, node.value)
    content = _numpy_content(event, functions, base, keys, values)
    if content is None:
        return None
    return replace(event.frame, node, content, safe_if(proves_tensor(event.value, keys)), kept=kept_parts(node))


def _numpy_content(
    event: Subscript, functions: str, base: str, keys: Sequence[ast.expr], values: Sequence[Value]
) -> str | None:
    assert isinstance(event.value, Tensor)
    np = f"{functions}.np"
    if not keys:
        return f"{base}[:]"
    single = _single(event, np, base, keys[0], values[0]) if len(keys) == 1 else None
    if single is not None:
        return single
    if any(is_none(key) for key in keys) and all(is_none(key) or _is_whole(key) for key in keys):
        text = base
        for place, key in enumerate(keys):
            text = f"{np}.expand_dims({text}, {place})" if is_none(key) else text
        return text
    if len(keys) == 2 and is_ellipsis(keys[0]) and event.value.type.rank is None and literal(keys[1]) is not None:
        last = literal(keys[1])
        return f"{np}.moveaxis({base}, -1, 0)[{last}]" if last is not None and last >= 0 else None
    return _without_dots(event, base, keys)


def _without_dots(event: Subscript, base: str, keys: Sequence[ast.expr]) -> str | None:
    """Write out the Ellipsis of a tensor whose rank is known."""
    assert isinstance(event.value, Tensor)
    rank = event.value.type.rank
    if rank is None or sum(is_ellipsis(key) for key in keys) != 1 or any(is_none(key) for key in keys):
        return None
    missing = [":"] * (rank - len(keys) + 1)
    parts = [p for key in keys for p in (missing if is_ellipsis(key) else [event.frame.source.code(key)])]
    return f"{base}[{', '.join(parts)}]"


def _single(event: Subscript, np: str, base: str, key: ast.expr, value: Value) -> str | None:
    """Rewrite the only key of a subscript: an integer, a boolean, a tensor, a list of integers."""
    number = None if isinstance(key, ast.Constant) and isinstance(key.value, bool) else literal(key)
    if number is not None:
        end = "" if number == -1 else str(number + 1)
        return f"{np}.squeeze({base}[{number}:{end}], axis=0)"
    if isinstance(key, ast.Constant) and key.value is True:
        return f"{np}.expand_dims({base}, 0)"
    if isinstance(value, Tensor) and value.type.dtype not in {None, "bool"}:
        return f"{np}.take({base}, {argument(event.frame, key)}, axis=0, mode='wrap')"
    rows = listed_rows(key)
    if rows is not None and isinstance(key, ast.List):
        return f"{np}.stack([{', '.join(f'{base}[{row}:][0]' if row < 0 else f'{base}[{row}]' for row in rows)}])"
    return None


def _is_whole(node: ast.expr) -> bool:
    return isinstance(node, ast.Slice) and node.lower is node.upper is node.step is None
