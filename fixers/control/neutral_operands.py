"""Updates under a condition on data: ``if n > 0: x = x / n`` divides by n, or else by 1, which changes nothing."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import Branch, CodeContext
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.control.branches import conditional, is_graph, is_tested, values_chosen
from hybridlint.fixers.evidence.aliases import decides_alias
from hybridlint.fixers.evidence.harmless_code import is_harmless
from hybridlint.fixers.evidence.tensors import is_one_number
from hybridlint.fixers.toolkit.names import block_around, bound_value
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.statements import replace_statements
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import record
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix

_MESSAGE = "Compute with a number that changes nothing where the condition does not hold"
#: The number that changes nothing, by the symbol of the operator and the side of the operand.
_NEUTRAL = {("+", 0): 0, ("+", 1): 0, ("-", 1): 0, ("*", 0): 1, ("*", 1): 1, ("/", 1): 1}
_SYMBOLS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


@record(frozen=True, slots=True)
class _Update:
    """An expression that computes with a kept tensor and one operand, whose neutral number has no effect."""

    symbol: str
    sides: tuple[ast.expr, ast.expr]
    place: int
    neutral: int
    #: Whether it is computed where the condition holds.
    chosen: bool

    @property
    def operand(self) -> ast.expr:
        """The operand that the condition may leave out."""
        return self.sides[self.place]

    @property
    def kept(self) -> ast.expr:
        """The tensor that stays where the condition does not hold."""
        return self.sides[1 - self.place]


def neutral_operand(event: Branch) -> Fix | None:
    """Write ``x / n if n > 0 else x`` as ``x / F.where(n > 0, n, F.ones_like(n))``, for a number `n` of the graph.

    Only the side that is taken divides by `n`, so that the gradient is finite where `n` is 0.
    """
    frame, functions = event.frame, event.frame.functions
    if functions is None or frame.mode != "legacy" or not is_tested(event) or not is_graph(event.condition):
        return None
    if event.kind == "ternary":
        node = conditional(event)
        if node is None or node.test is not event.condition:
            return None
        new = _written(frame, functions, node.test, node.body, node.orelse)
        return None if new is None else rewrite(frame, node, *new, message=_MESSAGE)
    branch = event.node if isinstance(event.node, ast.If) else frame.statement
    if event.kind != "if" or not isinstance(branch, ast.If) or branch.test is not event.condition:
        return None
    return None if decides_alias(frame) else _statement(frame, functions, branch)


def _statement(frame: CodeContext, functions: str, branch: ast.If) -> Fix | None:
    if len(branch.body) != 1 or len(branch.orelse) > 1:
        return None
    replaced: list[ast.stmt] = [branch]
    other = branch.orelse[0] if branch.orelse else None
    if other is None and isinstance(branch.body[0], ast.Return):
        block = block_around(frame, branch) or []
        replaced += block[block.index(branch) + 1 :][:1]
        other = replaced[1] if len(replaced) > 1 else None
    pair = values_chosen(branch.body[0], other)
    new = None if pair is None else _written(frame, functions, branch.test, *pair)
    if new is None:
        return None
    match branch.body[0]:
        case ast.Assign(targets=[ast.Name(id=name)]):
            made = statements("{name} = {new}", name=name, new=new[0])
        case _:
            made = statements("return {new}", new=new[0])
    return replace_statements(frame, replaced, made, new[1], message=_MESSAGE)


def _written(
    frame: CodeContext, functions: str, test: ast.expr, chosen: ast.expr, other: ast.expr
) -> tuple[cst.BaseExpression, Applicability] | None:
    """Return the update of a condition with a neutral operand where it does not hold; None if it is no such update.

    It is safe if no gradient passes through the operand, as through a count. That of a sum is 0 where it has no effect.
    """
    update = _update(chosen, other, chosen=True) or _update(other, chosen, chosen=False)
    if update is None or not all(is_one_number(frame, part) for part in (test, update.operand)):
        return None
    held = frame.seen.value(update.operand)
    counted = isinstance(held, Tensor) and held.flows is False
    if not isinstance(frame.seen.value(update.kept), Tensor) or not (counted or _is_sum(frame, update.operand)):
        return None
    name, like = lookup.broadcasting(update.symbol), lookup.like("ones" if update.neutral else "zeros")
    if name is None or like is None or not is_harmless(frame, (update.operand,)):
        return None
    operand = frame.concrete(update.operand)
    neutral = expression("{F}.{name}({y})", F=functions, name=like, y=operand)
    chosen_first = [operand, neutral] if update.chosen else [neutral, operand]
    new = expression("{F}.where({test}, {sides})", F=functions, test=frame.concrete(test), sides=chosen_first)
    sides = [new if side is update.operand else frame.concrete(side) for side in update.sides]
    return expression("{F}.{name}({sides})", F=functions, name=name, sides=sides), safe_if(counted)


def _is_sum(frame: CodeContext, node: ast.expr) -> bool:
    """Whether an expression, or what a name is bound to, is a sum or a mean: its gradient is finite everywhere."""
    match bound_value(frame, node):
        case ast.Call(func=ast.Attribute(attr=name)):
            operator = lookup.of_tensors(name)
        case _:
            return False
    return operator is not None and (operator is lookup.of_tensors("sum") or operator is lookup.of_tensors("mean"))


def _update(whole: ast.expr, kept: ast.expr, *, chosen: bool) -> _Update | None:
    """Return an expression as an update of another one."""
    match whole:
        case ast.BinOp(left=left, op=op, right=right):
            symbol = _SYMBOLS.get(type(op))
        case ast.Call(func=ast.Attribute(attr=name), args=[left, right], keywords=[]):
            symbol = lookup.symbol_of(name)
        case _:
            return None
    text, sides = ast.dump(_loaded(kept)), (left, right)
    for place in range(2):
        neutral = _NEUTRAL.get((symbol or "", place))
        if symbol and neutral is not None and ast.dump(_loaded(sides[1 - place])) == text:
            return _Update(symbol, sides, place, neutral, chosen)
    return None


def _loaded(node: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(node), mode="eval").body
