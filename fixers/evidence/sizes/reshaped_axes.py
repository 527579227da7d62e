"""The axes that sizes and codes such as 0, -1 and -3 give a reshaped tensor."""

from __future__ import annotations

import ast

from hybridlint.fixers.evidence.sizes.axis_size import AxisSize, TensorAxes, product
from hybridlint.fixers.evidence.sizes.size_reader import SizeReader
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.toolkit.names import dotted_parts


def axes_of_reshape(reader: SizeReader, node: ast.Call, data: TensorAxes, rest: list[ast.expr]) -> TensorAxes | None:
    """Return the axes of the result of a reshape. Its target consists of sizes and of codes such as 0 and -1."""
    named = {k.arg: k.value for k in node.keywords}
    reverse = named.pop("reverse", None)
    shape = rest or [*named.values()]
    if not named.keys() <= {"shape", "newshape"} or not isinstance(reverse, ast.Constant | None):
        return None
    if len(shape) == 1 and isinstance(shape[0], ast.Tuple | ast.List):
        shape = list(shape[0].elts)
    numpy = (dotted_parts(node.func) or ("",))[1:2] == ("npx",)
    if reverse is None or not reverse.value:
        return _coded(reader, data, shape, numpy=numpy)
    if not data.whole:
        return None
    turned = _coded(reader, TensorAxes(data.sizes[::-1], whole=True), shape[::-1], numpy=numpy)
    return TensorAxes(turned.sizes[::-1], whole=True) if turned.whole else None


def _coded(reader: SizeReader, data: TensorAxes, shape: list[ast.expr], *, numpy: bool) -> TensorAxes:
    """Return the axes of data reshaped to these sizes and codes, up to the first of unknown size."""
    copy, merge, split = (-2, -5, -6) if numpy else (0, -3, -4)
    sizes: list[AxisSize] = []
    place, unknown = 0, None
    nodes = iter(shape)
    for size in nodes:
        number, here = literal(size), data.sizes[place : place + 2]
        if number == -1:
            unknown = len(sizes)
            sizes.append(AxisSize((f"?{size.lineno}:{size.col_offset}[]",)))
        elif number == merge and len(here) == 2:
            sizes.append(here[0] * here[1])
            place += 1
        elif number == split and here:
            parts = _parts(reader, here[0], next(nodes, size), next(nodes, size))
            if parts is None:
                return TensorAxes(tuple(sizes), whole=False)
            sizes += parts
        else:
            known = here[0] if number == copy and here else reader.size(size)
            if known is None:
                return TensorAxes(tuple(sizes), whole=False)
            sizes.append(known)
        place += 1
    if unknown is not None and data.whole:
        sizes[unknown] = product(data.sizes) // product([*sizes[:unknown], *sizes[unknown + 1 :]])
    return TensorAxes(tuple(sizes), whole=True)


def _parts(reader: SizeReader, whole: AxisSize, *parts: ast.expr) -> list[AxisSize] | None:
    """Return the two sizes into which an axis is split, of which one may be -1."""
    known = [None if literal(part) == -1 else reader.size(part) for part in parts]
    match known:
        case [AxisSize() as first, _]:
            return [first, whole // first]
        case [_, AxisSize() as second]:
            return [whole // second, second]
    return None
