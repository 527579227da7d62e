"""Guards whose eager side alone moves on what the block computes with: a Parameter, or a counter of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hybridlint.analysis.flow.one_run_code import Side
from hybridlint.text.syntax import each, is_own, walk

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation


def moves_on(act: Activation, test: ast.expr, eager: Side, traced: Side) -> bool:
    """Return whether only eager runs change state that the function reads, so that later results differ.

    They set a Parameter that is an argument of the function, perhaps in a method of the block, or move on an attribute
    that the function reads where it does not ask the same `test`.
    """
    if not isinstance(act.node, ast.FunctionDef) or isinstance(eager, ast.expr) or not eager or traced:
        return False
    read = {argument.arg for argument in act.node.args.args}
    if any(name in read for name in _set_parameters(act, eager)):
        return True
    asked = ast.dump(test)
    guarded = (n for n in each(act.node, ast.If) if any(ast.dump(part) == asked for part in walk(n.test)))
    inside = {id(part) for guard in guarded for part in walk(guard)}
    targets = (n.target for statement in eager for n in each(statement, ast.AugAssign))
    counted = {target.attr for target in targets if is_own(target)}
    reads = (n for n in each(act.node, ast.Attribute) if isinstance(n.ctx, ast.Load) and id(n) not in inside)
    return any(n.attr in counted and is_own(n) for n in reads)


def _set_parameters(act: Activation, statements: Sequence[ast.stmt]) -> Iterator[str]:
    """Yield the attributes of the block whose `set_data` statements call, also in the methods that they call."""
    for call in (n for statement in statements for n in each(statement, ast.Call)):
        match call.func:
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id="self"), attr=name), attr="set_data"):
                yield name
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                method = act.owner.method(name) if act.owner is not None else None
                if method is not None and method[0] is not act.node:
                    yield from _set_in(method[0])


def _set_in(method: ast.FunctionDef) -> Iterator[str]:
    """Yield the attributes of the block whose `set_data` a method calls itself."""
    for node in each(method, ast.Attribute):
        match node:
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id="self"), attr=name), attr="set_data"):
                yield name
