"""Names of a loop that begin as Python numbers: foreach returns the parts of their sums."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.dataflow.scopes import names_in
from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.toolkit.names import block_around
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.statements import delete_statement
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.runtime.facts.records import record
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix


@record(frozen=True, slots=True)
class Sum:
    """A name to which each step of a loop adds the `part` in `whole`, ``total = total + part``, from a number on."""

    name: str
    target: ast.expr
    whole: ast.expr
    part: ast.expr
    first: ast.Constant
    made: ast.stmt

    @property
    def in_step(self) -> str:
        """The name of the part in one step."""
        return f"{self.name}_t"

    def behind(self, frame: CodeContext, functions: str, parts: str) -> list[cst.BaseStatement]:
        """Return the statement behind foreach that adds up the parts of all steps."""
        template = "{name} = {F}.sum({parts}, axis=0)" + (" + {first}" if self.first.value else "")
        return statements(template, name=self.name, F=functions, parts=parts, first=frame.concrete(self.first))

    def removed(self, frame: CodeContext, message: str) -> Fix | None:
        """Return the fix that binds the name to the number no more."""
        return delete_statement(frame, self.made, Applicability.UNSAFE, message=message)


def loop_sum(frame: CodeContext, name: str, loop: ast.For, before: Sequence[ast.stmt]) -> Sum | None:
    """Return a name as a sum over the steps of a loop that does nothing else with it, else None.

    Numbers that are added are no rows. A sum of one element is a state of foreach instead, as its shape is known.
    """
    first = first_number(name, before)
    made = next((s for s in before if isinstance(s, ast.Assign) and s.value is first), None)
    steps = [s for s in loop.body if isinstance(s, ast.Assign) and name in names_in(s).stores]
    if first is None or made is None or len(steps) != 1 or not isinstance(steps[0].value, ast.BinOp):
        return None
    if not isinstance(steps[0].targets[0], ast.Name) or len(steps[0].targets) > 1:
        return None
    whole = steps[0].value
    part = added_operand(name, whole)
    names = names_in(loop)
    alone = len(names.reads.get(name, ())) == len(names.stores.get(name, ())) == 1
    if part is None or not isinstance(whole.op, ast.Add) or not alone:
        return None
    held = frame.seen.value(part)
    if not isinstance(held, Tensor) or held.type.shape == (1,):
        return None
    return Sum(name, steps[0].targets[0], whole, part, first, made)


def handed_in(name: str, before: Sequence[ast.stmt]) -> bool:
    """Whether the loop starts with a value other than a Python number, which cannot be a state of foreach."""
    binding = [s for s in before if not isinstance(s, ast.FunctionDef) and name in names_in(s).stores]
    return all(
        isinstance(s, ast.Assign)
        and not any(map(_is_number, s.value.elts if isinstance(s.value, ast.Tuple | ast.List) else [s.value]))
        for s in binding
    )


def _is_number(node: ast.expr) -> bool:
    """Whether an expression is a number as it is written, perhaps with a sign."""
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def first_number(name: str, before: Sequence[ast.stmt]) -> ast.Constant | None:
    """Return the number bound to a name before the loop; None if other code there binds or reads the name."""
    match [s for s in before if name in names_in(s).stores or name in names_in(s).reads]:
        case [ast.Assign(targets=[ast.Name()], value=ast.Constant(value=int() | float() as value) as first)]:
            return None if isinstance(value, bool) else first
    return None


def numbers_made(frame: CodeContext, functions: str, loop: ast.For, carried: Sequence[str]) -> list[Fix | None] | None:
    """Return the fixes that start a running sum with a one-element tensor in the place of a Python number.

    None unless every step adds one element: a state of foreach keeps its shape from step to step.
    """
    block = block_around(frame, loop) or []
    fixes: list[Fix | None] = []
    for name in carried:
        first = first_number(name, block[: block.index(loop)])
        if first is None:
            continue
        steps = [s for s in loop.body if isinstance(s, ast.Assign) and name in names_in(s).stores]
        parts = [added_operand(name, s.value) for s in steps]
        held = [part and frame.seen.value(part) for part in parts]
        if not all(isinstance(v, Tensor) and v.type.shape == (1,) for v in held):
            return None
        template = "{F}.full((1,), {number})" if first.value else "{F}.zeros((1,))"
        made = expression(template, F=functions, number=frame.concrete(first))
        fixes.append(rewrite(frame, first, made, Applicability.UNSAFE))
    return fixes


def added_operand(name: str, value: ast.expr) -> ast.expr | None:
    """Return the operand that an expression adds to a name or subtracts from it; None for other expressions."""
    match value:
        case ast.BinOp(left=ast.Name(id=left), op=ast.Add() | ast.Sub(), right=part) if left == name:
            return part
        case ast.BinOp(left=part, op=ast.Add(), right=ast.Name(id=right)) if right == name:
            return part
    return None
