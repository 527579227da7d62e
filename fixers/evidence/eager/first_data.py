"""Whether a block keeps a result computed from the data of its first call, and uses it in later calls.

No graph does: one that is traced in the first call computes it anew from the data of each call, and one that is traced
later meets an array.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.evidence.eager.state_reads import reads_state
from hybridlint.fixers.evidence.unconditional_code import always_runs, function_around
from hybridlint.fixers.toolkit.names import values_bound
from hybridlint.runtime.facts import lookup
from hybridlint.text.syntax import holds, walk

_STOPPING = "BlockGrad"


def keeps_first_data(frame: CodeContext, node: ast.AST) -> bool:
    """Return whether a node is under ``if self.loc is None:``, where the block keeps data that each call reads.

    The node may be the condition itself, or in a method that is called there.
    """
    if any(call.source is not frame.source for call in frame.calls):
        return False
    tree = frame.source.tree
    leading = [(function_around(tree, call.node), call.node) for call in reversed(frame.calls)]
    chain = [(frame.function, node), *leading]
    for place, (function, part) in enumerate(chain):
        if not isinstance(function, ast.FunctionDef):
            return False
        guard = next((n for n in walk(function) if isinstance(n, ast.If) and _leads_to(n, part)), None)
        if guard is not None:
            outer = [f for f, _ in chain[place:] if isinstance(f, ast.FunctionDef)]
            inside = [*guard.body, *(f for f, _ in chain[:place] if f is not None)]
            reached = all(isinstance(f, ast.FunctionDef) and always_runs(f, call) for f, call in chain[place + 1 :])
            return reached and always_runs(function, guard) and _keeps(frame, guard, inside, outer)
    return False


def _leads_to(guard: ast.If, node: ast.AST) -> bool:
    return not guard.orelse and _asked(guard.test) is not None and holds(guard, node)


def _asked(test: ast.expr) -> str | None:
    """Return the attribute of self that a condition finds unset: ``self.loc is None``, ``not self.ready``."""
    match test:
        case (
            ast.Compare(
                left=ast.Attribute(value=ast.Name(id="self"), attr=name),
                ops=[ast.Is()],
                comparators=[ast.Constant(value=None)],
            )
            | ast.UnaryOp(op=ast.Not(), operand=ast.Attribute(value=ast.Name(id="self"), attr=name))
        ):
            return name
    return None


def _keeps(frame: CodeContext, guard: ast.If, inside: Sequence[ast.AST], outer: Sequence[ast.FunctionDef]) -> bool:
    stored = [pair for part in inside for node in walk(part) for pair in _stores(node)]
    data = {name for name, value in stored if _has_data(frame, value)}
    asked = _asked(guard.test)
    read = any(reads_state(function, f"self.{name}", but=guard) for name in data for function in outer)
    return read and any(name == asked for name, _ in stored) and _begins_unset(frame, asked)


def _begins_unset(frame: CodeContext, name: str | None) -> bool:
    """Return whether the class of a frame makes an attribute None or False, in its body or in ``__init__``."""
    owners = (n for n in walk(frame.source.tree) if isinstance(n, ast.ClassDef) and n.name == frame.class_name)
    for owner in owners:
        made = [n for n in owner.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
        for node in (*owner.body, *(inner for method in made for inner in walk(method))):
            match node:
                case ast.Assign(targets=[*_, target], value=ast.Constant(value=None | False)):
                    if ast.unparse(target).removeprefix("self.") == name:
                        return True
    return False


def _stores(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the attributes of self that a statement stores, with the values."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            pairs = list(zip(targets, values, strict=False))
        case ast.Assign(targets=targets, value=value):
            pairs = [(target, value) for target in targets]
        case _:
            return
    for target, value in pairs:
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
            yield target.attr, value


def _has_data(frame: CodeContext, node: ast.expr) -> bool:
    """Return whether a tensor depends on the data of inputs, and not on their shapes alone: a gradient reaches them."""
    held = frame.seen.value(node)
    if isinstance(held, Tensor) and held.flows:
        return True
    match node:
        case ast.Call(func=ast.Attribute(attr=name), args=[inner, *_]):
            operator = lookup.function((), name)
            return operator is not None and operator.name == _STOPPING and _has_data(frame, inner)
        case ast.Name():
            return any(_has_data(frame, value) for value in values_bound(frame, node) if value is not node)
    return False
