"""Fixer of tensors that are assembled item by item: ``y = F.zeros_like(x)``, ``y[:, 0] = a``, ``y[:, 1] = b``."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext, TensorStore
from hybridlint.analysis.model.values import StaticValue, Tensor
from hybridlint.fixers.evidence.aliases import may_be_aliased
from hybridlint.fixers.evidence.dtypes import of_one_dtype
from hybridlint.fixers.indexing.stores import Region, region_of
from hybridlint.fixers.toolkit.names import block_around, dotted_parts
from hybridlint.fixers.toolkit.nodes import assignment
from hybridlint.fixers.toolkit.statements import replace_statements, run_around
from hybridlint.fixers.toolkit.templates import as_statement, expression
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk

#: The fewest stores that are written as one operator.
_FEWEST = 2


def assemble_tensor(event: TensorStore) -> Fix | None:
    """Write a new tensor, of which the next statements store every item of an axis, as ``y = F.stack(a, b, axis=1)``.

    That the axis has no further items is taken from the code alone, unless its size is known. None if an item is
    stored twice, or reads the tensor itself.
    """
    frame, target, functions, value = event.frame, event.target.value, event.frame.functions, event.value
    block = block_around(frame, event.node) if isinstance(event.node, ast.Assign) else None
    if functions is None or block is None or not isinstance(target, ast.Name) or not isinstance(value, Tensor):
        return None
    assert isinstance(event.node, ast.Assign)
    stores = _run(block, event.node, target.id)
    made = block[block.index(stores[0]) - 1] if stores and block.index(stores[0]) else None
    axis = _axis(stores)
    if axis is None or not isinstance(made, ast.Assign) or not _is_new(made, target.id, functions):
        return None
    items = _items(frame, functions, stores)
    shape = value.type.shape
    other = shape is not None and (axis >= len(shape) or _is_other(shape[axis], len(stores)))
    if items is None or other or value.mode != "legacy" or may_be_aliased(frame, target.id):
        return None
    held = [(store.value, frame.seen.value(store.value)) for store in stores]
    sure = shape is not None and shape[axis] == len(stores) and _of_one_rank(frame, stores, len(shape))
    sure = sure and all(of_one_dtype(frame, value, item, (target, node)) for node, item in held)
    new = expression("{F}.stack({items}, axis={axis})", F=functions, items=items, axis=axis)
    return replace_statements(
        frame,
        [made, *stores],
        [as_statement(assignment([target.id], new))],
        Applicability.SAFE if sure else Applicability.UNSAFE,
        message="Stack the items",
    )


def _axis(stores: list[ast.Assign]) -> int | None:
    """Return the axis whose items some statements store once each, in order from 0; else None."""
    regions = [_region(store) for store in stores]
    axis = regions[0].axis if len(regions) >= _FEWEST else None
    whole = all(r.single and r.axis == axis and r.begin == at for at, r in enumerate(regions))
    targets = [target.value for store in stores for target in store.targets if isinstance(target, ast.Subscript)]
    names = {target.id for target in targets if isinstance(target, ast.Name)}
    read = any(_reads(store.value, name) for store in stores for name in names)
    return axis if whole and not read else None


def _is_other(size: object, count: int) -> bool:
    """Whether a size is known and is not this number."""
    return isinstance(size, int) and size != count


def _run(block: list[ast.stmt], node: ast.Assign, name: str) -> list[ast.Assign]:
    """Return the consecutive statements around a store that store items of the same name."""
    return run_around(block, node, lambda other: _stores(other, name)) if _stores(node, name) else []


def _stores(node: ast.stmt, name: str) -> bool:
    match node:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=found), slice=key)]):
            return found == name and region_of(_keys(key)) is not None
        case _:
            return False


def _keys(key: ast.expr) -> list[ast.expr]:
    return list(key.elts) if isinstance(key, ast.Tuple) else [key]


def _region(store: ast.Assign) -> Region:
    target = store.targets[0]
    assert isinstance(target, ast.Subscript)
    found = region_of(_keys(target.slice))
    assert found is not None
    return found


def _is_new(made: ast.Assign, name: str, functions: str) -> bool:
    """Whether a statement binds a name to the result of a function of F, of which nothing is left."""
    bound = [t.id for t in made.targets if isinstance(t, ast.Name)] == [name] and len(made.targets) == 1
    path = dotted_parts(made.value.func) if isinstance(made.value, ast.Call) else None
    return bound and path is not None and path[0] == functions


def _items(frame: CodeContext, functions: str, stores: list[ast.Assign]) -> list[cst.BaseExpression] | None:
    """Return the items to stack, numbers as tensors like the first one; None if no item is a tensor."""
    held = [frame.seen.value(store.value) for store in stores]
    like = next((s.value for s, v in zip(stores, held, strict=True) if isinstance(v, Tensor)), None)
    found: list[cst.BaseExpression] = []
    for store, value in zip(stores, held, strict=True):
        item = frame.concrete(store.value)
        match value:
            case Tensor(optional=False):
                found.append(item)
            case StaticValue() if isinstance(like, ast.Name):
                template = "{F}.ones_like({like}) * {item}"
                found.append(expression(template, F=functions, like=frame.concrete(like), item=item))
            case _:
                return None
    return found if like is not None else None


def _reads(node: ast.expr, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in walk(node))


def _of_one_rank(frame: CodeContext, stores: list[ast.Assign], rank: int) -> bool:
    """Whether each item is known to have one dimension less than the tensor, so that nothing is broadcast."""
    held = [frame.seen.value(store.value) for store in stores]
    return all(isinstance(v, Tensor) and v.type.rank == rank - 1 for v in held)
