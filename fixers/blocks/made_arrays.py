"""How the constructor of a block makes an array of its own, and how it registers that as a constant."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.toolkit.class_hierarchy import constructor_of
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.statements import insert_statements
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.runtime.facts.records import record
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import each, is_own, walk


@record(frozen=True, slots=True)
class ArrayMaking:
    """The only assignment of an attribute, in `__init__`, and the statements behind it that write into the array.

    `target` is the attribute there, which may be one of several: ``self.c, self.d = f()``. `filled` are the places
    where the other statements name it, ``self.c[0] = 1``.
    """

    init: ast.FunctionDef
    made: ast.Assign
    target: ast.Attribute
    filled: tuple[ast.Attribute, ...]

    @property
    def under_name(self) -> bool:
        """Whether the array needs a name before it can be registered."""
        return bool(self.filled) or self.target is not self.made.targets[0]

    @property
    def own(self) -> frozenset[int]:
        """The ids of all nodes of `__init__` that name the attribute."""
        return frozenset(map(id, (self.target, *self.filled)))

    @property
    def complete(self) -> ast.stmt:
        """The statement of the constructor after which the array is complete."""
        inside = set(map(id, self.filled))
        last = [part for part in self.init.body if any(id(n) in inside for n in walk(part))]
        return last[-1] if last else self.made


def making(owner: ast.ClassDef, name: str) -> ArrayMaking | None:
    """Return how `__init__` makes the array of ``self.c``; None if it does not make it, or uses it otherwise."""
    init = constructor_of(owner)
    if init is None:
        return None
    uses = [n for n in each(init, ast.Attribute) if n.attr == name and is_own(n)]
    found = [(n, target) for n in each(init, ast.Assign) for target in _targets(n) if target in uses]
    if len(found) != 1 or len(found[0][0].targets) != 1 or not _is_made(found[0][0].value, init):
        return None
    made, target = found[0]
    assert isinstance(target, ast.Attribute)
    filled = tuple(n for n in uses if n is not target)
    stores = [n for n in each(init, ast.Subscript) if n.value in filled and isinstance(n.ctx, ast.Store)]
    if filled and (len(stores) < len(filled) or made not in init.body):
        return None
    whole = ArrayMaking(init, made, target, filled)
    return None if whole.under_name and _binds(init, name) else whole


def register_array(frame: CodeContext, making: ArrayMaking, name: str, *, message: str) -> list[Fix | None]:
    """Return the fixes that register an array where the code creates it, or once the code has filled it."""
    template, key = "self.params.get_constant({key}, {value})", cst.SimpleString(f'"{name}"')
    if not making.under_name:
        value = frame.concrete(making.made.value)
        return [rewrite(frame, making.made.value, expression(template, key=key, value=value), Applicability.UNSAFE)]
    local = [making.target, *making.filled]
    kept = statements(f"self.{{name}} = {template}", name=name, key=key, value=name)
    return [
        *(rewrite(frame, node, cst.Name(name), Applicability.UNSAFE) for node in local),
        insert_statements(frame, kept, Applicability.UNSAFE, message=message, after=making.complete),
    ]


def _targets(node: ast.Assign) -> list[ast.expr]:
    """Return the targets of an assignment, and those among which it takes a value apart."""
    return [inner for target in node.targets for inner in getattr(target, "elts", [target])]


def _is_made(value: ast.expr, init: ast.FunctionDef) -> bool:
    """Whether an expression is a call, arithmetic with one (``nd.array(means) * 255``), or a name of such a value."""
    match value:
        case ast.BinOp(left=left, right=right):
            return _is_made(left, init) or _is_made(right, init)
        case ast.UnaryOp(operand=operand):
            return _is_made(operand, init)
        case ast.Tuple(elts=parts):
            return all(_is_made(part, init) for part in parts)
        case ast.Name(id=name):
            bound = [n for n in each(init, ast.Assign) for target in n.targets if _names(target, name)]
            return len(bound) == 1 and not isinstance(bound[0].value, ast.Name) and _is_made(bound[0].value, init)
    return isinstance(value, ast.Call)


def _names(target: ast.expr, name: str) -> bool:
    return isinstance(target, ast.Name) and target.id == name


def _binds(init: ast.FunctionDef, name: str) -> bool:
    """Whether the constructor itself uses the name of the attribute for a local name."""
    return any(n.id == name for n in each(init, ast.Name)) or any(n.arg == name for n in each(init, ast.arg))
