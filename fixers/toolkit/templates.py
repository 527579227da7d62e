"""Templates: Python code with places in braces, which libcst nodes fill.

Those of `libcst.helpers` parse the template and copy every part each time, which takes milliseconds, and insert parts
without parentheses. Here a template is parsed once, and parts are not copied, so that their origin in the file stays
known. Each part gets the parentheses that its place needs.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from hybridlint.fixers.toolkit.parentheses import fit_parentheses
from hybridlint.runtime.facts.records import record
from hybridlint.text import cst

if TYPE_CHECKING:
    Single: TypeAlias = cst.CSTNode | str | int | float | None
    #: A part: a libcst node, a dotted name, a number, None, or a sequence of these.
    Part: TypeAlias = Single | Sequence[Single]

_PLACE = re.compile(r"\{(\w+)\}")
_PREFIX = "__hybridlint_place_"
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


def expression(template: str, **parts: Part) -> cst.BaseExpression:
    """Return the expression of a template such as ``"{F}.take({data}, {key}, axis=0)"``.

    Several parts in a row represent as many arguments or elements: ``"{F}.concat({rows}, dim=0)"``.
    """
    return expression_in(_PLACE.sub(rf"{_PREFIX}\1", template), parts)


def statement(template: str, **parts: Part) -> cst.BaseSmallStatement:
    """Return the small statement of a template such as ``"{name} = {value}"``."""
    tree = _statement(_PLACE.sub(rf"{_PREFIX}\1", template))
    filled = _Filling(parts, tree.hot).fill(tree.root)
    assert isinstance(filled, cst.BaseSmallStatement)
    return filled


def statements(template: str, **parts: Part) -> list[cst.BaseStatement]:
    """Return the statements of a template of several lines, simple and compound ones.

    A place on a line of its own, such as ``{body}`` below ``if {F} is {module}:``, takes one statement or several.
    Several names in a row represent as many parameters of a function.
    """
    text = textwrap.dedent(template).strip("\n")
    tree = _statements(_PLACE.sub(rf"{_PREFIX}\1", text))
    whole = _Filling(parts, tree.hot).fill(tree.root)
    assert isinstance(whole, cst.Module)
    return list(whole.body)


def fill_template(block: Sequence[cst.BaseStatement], parts: Mapping[str, Part]) -> list[cst.BaseStatement]:
    """Return statements in which each name made by `place` is replaced by the part of that name."""
    tree = _template(cst.Module(block))  # type: ignore[arg-type]
    whole = _Filling(parts, tree.hot).fill(tree.root)
    assert isinstance(whole, cst.Module)
    return list(whole.body)


def as_statement(part: Single) -> cst.BaseStatement:
    """Return a part as a statement on a line of its own."""
    node = node_of(part)
    if isinstance(node, cst.BaseStatement):
        return node
    small = node if isinstance(node, cst.BaseSmallStatement) else cst.Expr(node)  # type: ignore[arg-type]
    return cst.SimpleStatementLine([small])


def place(name: str) -> str:
    """Return the Python name that represents a place in the text given to `expression_in`."""
    return f"{_PREFIX}{name}"


def expression_in(text: str, parts: Mapping[str, Part]) -> cst.BaseExpression:
    """Return the expression of a text in which each name made by `place` is replaced by its part."""
    tree = _expression(text)
    filled = _Filling(parts, tree.hot).fill(tree.root)
    assert isinstance(filled, cst.BaseExpression)
    return filled


def node_of(part: Single) -> cst.CSTNode:
    """Return the libcst node of a part. Raises ValueError for a text that is not a dotted name."""
    if isinstance(part, cst.CSTNode):
        return part
    if isinstance(part, str):
        return _name(part)
    if part is None or isinstance(part, bool):
        return cst.Name(str(part))
    if isinstance(part, int | float):
        number = cst.Integer(str(abs(part))) if isinstance(part, int) else cst.Float(repr(abs(part)))
        return number if part >= 0 else cst.UnaryOperation(cst.Minus(), number)
    raise ValueError(f"{part!r} is no part of a template; give a concrete node, a dotted name or a number")


@lru_cache(maxsize=256)
def _name(dotted: str) -> cst.BaseExpression:
    if not _DOTTED.fullmatch(dotted):
        raise ValueError(f"`{dotted}` is no dotted name; parts of a template are concrete nodes, names and numbers")
    first, *others = dotted.split(".")
    node: cst.BaseExpression = cst.Name(first)
    for other in others:
        node = cst.Attribute(node, cst.Name(other))
    return node


@record(frozen=True, slots=True)
class _Template:
    """A parsed template, with the ids of its nodes that contain a place."""

    root: cst.CSTNode
    hot: frozenset[int]


@lru_cache(maxsize=512)
def _expression(text: str) -> _Template:
    whole = cst.parse_expression(f"({text}\n)")
    return _template(whole.with_changes(lpar=whole.lpar[1:], rpar=whole.rpar[:-1]))


@lru_cache(maxsize=256)
def _statement(text: str) -> _Template:
    line = cst.parse_statement(text)
    assert isinstance(line, cst.SimpleStatementLine)
    return _template(line.body[0])


@lru_cache(maxsize=128)
def _statements(text: str) -> _Template:
    # Only a block records which empty lines are not indented.
    whole = cst.parse_module(f"if block:\n{textwrap.indent(text, '    ')}\n").body[0]
    assert isinstance(whole, cst.If)
    return _template(cst.Module(whole.body.body))  # type: ignore[arg-type]


def _template(root: cst.CSTNode) -> _Template:
    hot: set[int] = set()
    _find(root, hot)
    return _Template(root, frozenset(hot))


def _find(node: cst.CSTNode, hot: set[int]) -> bool:
    found = [_find(child, hot) for child in node.children]
    if any(found) or _named(node) is not None:
        hot.add(id(node))
        return True
    return False


def _named(node: cst.CSTNode) -> str | None:
    """Return the name of the place that a node represents; None for other nodes."""
    if isinstance(node, cst.Name) and node.value.startswith(_PREFIX):
        return node.value.removeprefix(_PREFIX)
    return None


@record(frozen=True, slots=True)
class _Filling:
    """One filling of a template with parts."""

    parts: Mapping[str, Part]
    hot: frozenset[int]

    def fill(self, node: cst.CSTNode) -> cst.CSTNode:
        name = _named(node)
        if name is not None:
            part = self.parts[name]
            if isinstance(part, Sequence) and not isinstance(part, str):
                raise ValueError(f"`{name}` is several parts, which stand only where arguments or elements do")
            return node_of(part)
        changes: dict[str, object] = {}
        for field in fields(node):
            value = getattr(node, field.name)
            if isinstance(value, cst.CSTNode) and id(value) in self.hot:
                filled = self.fill(value)
                changes[field.name] = (
                    fit_parentheses(filled, node, field.name) if isinstance(filled, cst.BaseExpression) else filled
                )
            elif isinstance(value, Sequence) and any(id(item) in self.hot for item in value):
                changes[field.name] = list(self._items(value))
        return node.with_changes(**changes)

    def _items(self, items: Sequence[cst.CSTNode]) -> Iterable[cst.CSTNode]:
        """Yield the items of a sequence with their places filled.

        If several parts fill one item, all items get new commas between them.
        """
        spread = any(self._row(item) is not None for item in items)
        for item in items:
            row = self._row(item)
            if row is not None:
                yield from _with_lines_above(item, [_item(part, type(item)) for part in row])
                continue
            filled = self.fill(item) if id(item) in self.hot else item
            yield filled.with_changes(comma=cst.MaybeSentinel.DEFAULT) if spread and hasattr(item, "comma") else filled

    def _row(self, item: cst.CSTNode) -> Sequence[Single] | None:
        """Return the parts that replace an item, or the statements that replace a line; None without a placeholder."""
        match item:
            case cst.SimpleStatementLine(body=[cst.Expr(value=held)]) | cst.Param(name=held):
                name = _named(held)
            case _:
                name = _named(getattr(item, "value", item))
        part = None if name is None else self.parts[name]
        if isinstance(part, Sequence) and not isinstance(part, str):
            return part
        return [part] if isinstance(item, cst.SimpleStatementLine) and name is not None else None


def _with_lines_above(item: cst.CSTNode, row: list[cst.CSTNode]) -> list[cst.CSTNode]:
    """Return the statements that replace a line of the template, with the empty lines above that line."""
    if row and isinstance(item, cst.SimpleStatementLine) and item.leading_lines:
        row[0] = row[0].with_changes(leading_lines=[*item.leading_lines, *row[0].leading_lines])  # type: ignore[attr-defined]
    return row


def _item(part: Single, kind: type[cst.CSTNode]) -> cst.CSTNode:
    """Return a part as an argument, an element, a parameter or a statement."""
    if isinstance(part, cst.Arg | cst.BaseElement | cst.Param):
        return part
    if kind is cst.SimpleStatementLine:
        return as_statement(part)
    node = node_of(part)
    if kind is cst.Param:
        assert isinstance(node, cst.Name)
        return cst.Param(node)
    item = kind(value=node)  # type: ignore[call-arg]
    assert isinstance(node, cst.BaseExpression)
    return item.with_changes(value=fit_parentheses(node, item, "value"))
