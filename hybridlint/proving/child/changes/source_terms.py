"""Expressions of a source as terms: the path to an object, without the object itself.

A term is plain data, which one process can read from a source and another one resolve among its live objects.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Union

    #: A function that numbers the code of a lambda.
    Number = Callable[[ast.AST], int]
    Key = Union[str, int, None]  # noqa: UP007 - the child also runs under Python 3.8

#: The kinds of terms. A name, an attribute and an item represent an object that there is; FRESH is a new container.
NAME, ATTRIBUTE, ITEM, SLICE, CALL, FRESH = ("name", "attribute", "item", "slice", "call", "fresh")
ANY, CODE, TEXT, PLAIN, IMPORT, CLASS = ("any", "code", "text", "plain", "import", "class")
#: What code gets that nobody hands it by a call: an exception that it catches, or what is sent to a generator.
LOOSE = "loose"


#: Functions that read an attribute by its name.
_BY_NAME = ("getattr", "hasattr", "__getattribute__")
#: The keyword of what a star spreads over the arguments of a call.
SPREAD = "*"
#: What the name of a tuple begins with.
IMMUTABLE = "tuple "
#: Functions that read an attribute.
_READING_ATTRIBUTES = {"vars": "__dict__", "type": "__class__"}


class Term(NamedTuple):
    """An expression: its kind, the terms that it consists of, and its name.

    The name of an item is its key if that is a constant. A call consists of what is called, its arguments, and those
    given by the `keywords`, last; a dictionary's `keywords` are the keys of its last parts. The name of code is the
    number of its function, that of a new container the position of its expression, and that of a text the text.
    """

    kind: str
    parts: tuple[Term, ...] = ()
    name: Key = None
    keywords: tuple[str, ...] = ()

    @property
    def owner(self) -> Term:
        """The first part: the owner of an attribute or item, or the callee of a call."""
        return self.parts[0]

    @property
    def arguments(self) -> tuple[Term, ...]:
        """The arguments of a call by position."""
        return self.parts[1 : len(self.parts) - len(self.keywords)]

    @property
    def named(self) -> dict[str, Term]:
        """The arguments of a call, or values of a dictionary, by keyword."""
        return dict(zip(self.keywords, self.parts[len(self.parts) - len(self.keywords) :]))  # noqa: B905


NOTHING = Term(PLAIN)
SOMETHING = Term(LOOSE)


def item_of(term: Term, key: Key = None) -> Term:
    """Return the term for an item of `term`, such as ``x[key]``."""
    return Term(ITEM, (term,), key)


def term_of(node: ast.AST | None, number: Number) -> Term:
    """Return the term for an expression."""
    if isinstance(node, ast.Call):
        return _call(node, number)
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Starred)):
        return _reference(node, number)
    if isinstance(node, (ast.NamedExpr, ast.Await, ast.YieldFrom, ast.FormattedValue)):
        return term_of(node.value, number)
    if isinstance(node, (ast.IfExp, ast.BoolOp)):
        values = [node.body, node.orelse] if isinstance(node, ast.IfExp) else node.values
        return Term(ANY, tuple(term_of(value, number) for value in values))
    if isinstance(node, (ast.Lambda, ast.Yield)):
        return Term(CODE, (), number(node)) if isinstance(node, ast.Lambda) else SOMETHING
    return Term(TEXT, (), text) if isinstance(text := _constant(node), str) else _new(node, number)


def _reference(node: ast.Name | ast.Attribute | ast.Subscript | ast.Starred, number: Number) -> Term:
    if isinstance(node, ast.Name):
        return Term(NAME, (), node.id)
    if isinstance(node, ast.Attribute):
        return Term(ATTRIBUTE, (term_of(node.value, number),), node.attr)
    if isinstance(node, ast.Starred):
        return item_of(term_of(node.value, number))._replace(keywords=(SPREAD,))
    kind = SLICE if _is_slice(node.slice) else ITEM
    return Term(kind, (term_of(node.value, number),), key_of(node.slice))


def _constant(node: ast.AST | None) -> Key:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, (str, int)) and not isinstance(value, bool) else None


def _new(node: ast.AST | None, number: Number) -> Term:
    """Return the term for an expression that makes a new object."""
    place = f"{getattr(node, 'lineno', 0)}:{getattr(node, 'col_offset', 0)}"
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        start = IMMUTABLE if isinstance(node, ast.Tuple) else ""
        return Term(FRESH, tuple(term_of(element, number) for element in node.elts), f"{start}{place}")
    if isinstance(node, ast.Dict):
        return _dictionary(node, place, number)
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
        element = node.value if isinstance(node, ast.DictComp) else node.elt
        return Term(FRESH, (term_of(element, number),), place, ("*",))
    if isinstance(node, ast.BinOp):
        parts = tuple(item_of(term_of(operand, number)) for operand in operands(node))
        return Term(FRESH, parts, place, ("*",) * len(parts))
    return NOTHING


def operands(node: ast.BinOp) -> list[ast.expr]:
    """Return the operands of nested operators; a sum may have a thousand."""
    found: list[ast.expr] = []
    pending: list[ast.expr] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.BinOp):
            pending += [part.right, part.left]
        else:
            found.append(part)
    return found


def _call(node: ast.Call, number: Number) -> Term:
    """Return the term for a call. A read by name, such as ``getattr(x, "name")``, becomes the read itself."""
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    first = node.args[0] if node.args else None
    if name in _READING_ATTRIBUTES and first is not None and len(node.args) == 1:
        return Term(ATTRIBUTE, (term_of(first, number),), _READING_ATTRIBUTES[name])
    if name == "eval" and first is not None and isinstance(key_of(first), str):
        return _evaluated(str(key_of(first)), number)
    if name in _BY_NAME and len(node.args) in (2, 3) and isinstance(key_of(node.args[1]), str):
        return Term(ATTRIBUTE, (term_of(first, number),), key_of(node.args[1]))
    return _made_call(node, number) or _plain_call(node, number)


def _evaluated(text: str, number: Number) -> Term:
    """Return the term for a text that code evaluates."""
    try:
        return term_of(ast.parse(text.strip(), mode="eval").body, number)
    except SyntaxError:
        return NOTHING


def _made_call(node: ast.Call, number: Number) -> Term | None:
    """Return the term for a call of a function of `operator` that is made at once: ``attrgetter("name")(x)``."""
    inner = node.func
    if not (isinstance(inner, ast.Call) and inner.args and node.args):
        return None
    made = getattr(inner.func, "id", getattr(inner.func, "attr", ""))
    kind = ITEM if made == "itemgetter" else ATTRIBUTE
    path = key_of(inner.args[0])
    got = term_of(node.args[0], number)
    for name in str(path).split(".") if made == "attrgetter" else [path]:
        got = Term(kind, (got,), name)
    if made == "methodcaller":
        return Term(CALL, (got, *(term_of(part, number) for part in inner.args[1:])))
    return got if made in ("attrgetter", "itemgetter") else None


def _plain_call(node: ast.Call, number: Number) -> Term:
    named = [keyword for keyword in node.keywords if keyword.arg is not None]
    loose = (term_of(keyword.value, number) for keyword in node.keywords if keyword.arg is None)
    spread = [item_of(term)._replace(keywords=(SPREAD,)) for term in loose]
    parts = [term_of(part, number) for part in (node.func, *node.args)]
    values = [term_of(keyword.value, number) for keyword in named]
    return Term(CALL, (*parts, *spread, *values), None, tuple(str(keyword.arg) for keyword in named))


def _dictionary(node: ast.Dict, place: str, number: Number) -> Term:
    loose: list[Term] = []
    keyed: dict[str, Term] = {}
    for key, value in zip(node.keys, node.values):  # noqa: B905 - the child also runs under Python 3.8
        name = key.value if isinstance(key, ast.Constant) else None
        if isinstance(name, str):
            keyed[name] = term_of(value, number)
        else:
            loose.append(item_of(term_of(value, number)) if key is None else term_of(value, number))
    return Term(FRESH, (*loose, *keyed.values()), place, tuple(keyed))


def key_of(node: ast.AST) -> Key:
    """Return the text or number that a subscript consists of, None for any other subscript."""
    # Before Python 3.9 the constant is wrapped in an Index node.
    node = getattr(node, "value", node) if type(node).__name__ == "Index" else node
    return _constant(node)


def text_of(term: Term) -> str:
    """Return a name with attributes as it is written, "" for any other term."""
    if term.kind == NAME:
        return str(term.name)
    owner = text_of(term.owner) if term.kind == ATTRIBUTE else ""
    return owner and f"{owner}.{term.name}"


def _is_slice(node: ast.AST) -> bool:
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return any(isinstance(part, ast.Slice) or type(part).__name__ == "ExtSlice" for part in parts)


def bindings(target: ast.AST, value: Term) -> Iterator[tuple[ast.expr, Term]]:
    """Yield each name, attribute or item that an assignment of a value to a target binds, with what it gets."""
    if isinstance(target, (ast.Tuple, ast.List)):
        starred = any(isinstance(element, ast.Starred) for element in target.elts)
        for place, element in enumerate(target.elts):
            item = item_of(value, None if starred else place)
            if isinstance(element, ast.Starred):
                yield from bindings(element.value, Term(FRESH, (item,)))
            else:
                yield from bindings(element, item)
    elif isinstance(target, (ast.Name, ast.Attribute, ast.Subscript)):
        yield target, value


def root_of(term: Term) -> str:
    """Return the name that an expression begins with, "" for one that begins with none."""
    while term.kind in (ATTRIBUTE, ITEM, SLICE, CALL):
        term = term.owner
    return str(term.name) if term.kind == NAME else ""
