"""Values that a function suggests for names, such as numbers that it compares them with, and fields that it reads."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from hybridlint.proving.brief.dotted_names import dotted_name, key_of
from hybridlint.proving.brief.list_items import items_of
from hybridlint.proving.child.brief.code import HELD, KEYS, LENGTH, TEXTS_HELD, FunctionFacts, PassedNames, Suggestion
from hybridlint.proving.child.build.values import guesses

_LISTS = ("[4, 4]", "(1, 1)", "[1, 1, 1, 1]")
_ARRAY = "nd.ones((4, 4))"
_ARRAY_ATTRIBUTES = {"shape", "size", "dtype", "asnumpy", "context", "ctx", "ndim"}
#: Functions that make an array of numbers.
_MAKING_ARRAYS = ("array", "asarray")
_ITERATING = ("len", "enumerate", "zip", "list", "tuple", "sum", "max", "min")


def argument_facts(function: ast.AST) -> FunctionFacts:
    """Return the values that a function suggests for its arguments, and what it reads of them and passes on."""
    nodes = list(ast.walk(function))
    reader = _Reader(function)
    suggestions = [found for node in nodes for found in reader.suggested(node) if found.name]
    fields = dict[str, dict[str, None]]()
    called: dict[str, None] = {}
    for node in nodes:
        for name, kind in _read(node):
            fields.setdefault(name, {}).setdefault(kind)
        if isinstance(node, ast.Call):
            called.setdefault(dotted_name(node.func))
    return FunctionFacts(
        suggestions=tuple(dict.fromkeys(suggestions)),
        dictionaries=dict(_dictionaries(nodes)),
        read={name: tuple(kinds) for name, kinds in fields.items()},
        called=tuple(filter(None, called)),
        passed=tuple(passed for node in nodes if isinstance(node, ast.Call) for passed in _passed(node)),
        abstract=any(isinstance(node, ast.Raise) and _raised(node) == "NotImplementedError" for node in nodes),
        outputs=tuple({_count(node.value): None for node in nodes if isinstance(node, ast.Return)}),
    )


def _read(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the dotted name that a node reads, and how."""
    if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Load):
        name = dotted_name(node)
        if "." in name:
            yield name, "attribute" if isinstance(node, ast.Attribute) else "key"
    elif isinstance(node, ast.Call):
        owner, _, method = dotted_name(node.func).rpartition(".")
        first = node.args[0] if node.args else None
        if method == "get" and owner and isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield f"{owner}.{first.value}", "key"


class _Reader:
    """Reads the suggestions in the nodes of one function."""

    def __init__(self, function: ast.AST) -> None:
        self.function = function
        #: Dictionaries that the function itself defines as literals.
        self.tables = {
            target.id: node.value
            for node in ast.walk(function)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)
            for target in node.targets
            if isinstance(target, ast.Name)
        }

    def suggested(self, node: ast.AST) -> Iterator[Suggestion]:
        """Yield the values that a node suggests for the names in it."""
        if isinstance(node, ast.Compare):
            yield from self._compared(node)
            yield from _of_length(node)
        elif isinstance(node, ast.Subscript):
            yield from self._keys_of(dotted_name(node.slice), node.value, KEYS)
            if key_of(node) is None:
                yield from (Suggestion(dotted_name(node.value), text) for text in _LISTS)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in _ITERATING:
                yield from (Suggestion(dotted_name(argument), text) for argument in node.args for text in _LISTS)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in _MAKING_ARRAYS and node.args:
            yield Suggestion(dotted_name(node.args[0]), _LISTS[0])
        elif isinstance(node, ast.For | ast.comprehension):
            yield from (Suggestion(name, text) for name, text in items_of(node, self.function))
            yield from (Suggestion(name, text) for name, text in _iterated(node))
        elif isinstance(node, ast.Attribute) and node.attr in _ARRAY_ATTRIBUTES:
            yield Suggestion(dotted_name(node.value), _ARRAY)

    def _compared(self, node: ast.Compare) -> Iterator[Suggestion]:
        """Yield the values on the right of an equality or membership test; for `!=` and `not in` only strings."""
        name, operator, other = dotted_name(node.left), node.ops[0], node.comparators[0]
        if not isinstance(operator, ast.Eq | ast.In | ast.NotEq | ast.NotIn):
            return
        # A comparison such as `n != 0` mostly turns a feature on and says little about the value of `n`.
        use = TEXTS_HELD if isinstance(operator, ast.NotEq) else HELD
        keys = list(self._keys_of(name, other, use))
        yield from keys
        for item in other.elts if isinstance(other, ast.Tuple | ast.List | ast.Set) else [other]:
            value = item.value if isinstance(item, ast.Constant) else None
            if isinstance(value, str) or (isinstance(value, int) and use == HELD):
                yield Suggestion(name, repr(value))
            elif not keys and _constant(item):
                yield Suggestion(name, "", _constant(item), use)

    def _keys_of(self, name: str, node: ast.AST, use: str) -> Iterator[Suggestion]:
        """Yield the keys of a dictionary literal, or of a dictionary in a variable of the module or function."""
        written = self.tables.get(node.id) if isinstance(node, ast.Name) else node
        if isinstance(written, ast.Dict):
            keys = (key.value for key in written.keys if isinstance(key, ast.Constant))
            yield from (Suggestion(name, repr(key)) for key in keys if use != TEXTS_HELD or isinstance(key, str))
        elif _constant(node):
            yield Suggestion(name, "", _constant(node), use)


def _constant(node: ast.AST) -> str:
    """Return the name of a global, or of an attribute of one, "" for other expressions."""
    if isinstance(node, ast.Name):
        return node.id
    plain = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id != "self"
    return f"{node.value.id}.{node.attr}" if plain else ""  # type: ignore[attr-defined]


def _of_length(node: ast.Compare) -> Iterator[Suggestion]:
    """Yield a list of as many numbers as its length is compared with: ``len(weights) == len(NAMES)``."""
    own, other = _measured(node.left), node.comparators[0]
    of = _measured(other)
    constant = _constant(other if of is None else of)
    name = "" if own is None else dotted_name(own)
    if name and constant:
        yield Suggestion(
            name, next((text for text in guesses.by_name(name) if text[:1].isdigit()), "4"), constant, LENGTH
        )


def _passed(node: ast.Call) -> Iterator[PassedNames]:
    positional = tuple(map(dotted_name, node.args))
    named = {keyword.arg: dotted_name(keyword.value) for keyword in node.keywords if keyword.arg}
    if _constant(node.func) and any((*positional, *named.values())):
        yield PassedNames(_constant(node.func), positional, named)


def _measured(node: ast.expr) -> ast.expr | None:
    """Return the subject of ``len(...)``, None for other expressions."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len" and len(node.args) == 1:
        return node.args[0]
    return None


def _dictionaries(nodes: list[ast.AST]) -> Iterator[tuple[str, str]]:
    """Yield (name, dictionary expression): the string keys that the code reads from that name, with guessed values."""
    keys: dict[str, dict[str, str]] = {}
    for node in nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            key = key_of(node)
            if key is not None and dotted_name(node.value):
                keys.setdefault(dotted_name(node.value), {})[key] = guesses.by_name(key)[0]
    for name, known in keys.items():
        yield name, f"{{{', '.join(f'{key!r}: {value}' for key, value in known.items())}}}"


def _iterated(node: Any) -> Iterator[tuple[str, str]]:
    """Yield (name, expression) for the name that a loop iterates over; the expressions are lists that fit the loop."""
    source, target = node.iter, node.target
    if isinstance(source, ast.Call) and getattr(source.func, "id", "") == "enumerate" and source.args:
        source = source.args[0]
        target = target.elts[-1] if isinstance(target, ast.Tuple) else target
    if isinstance(target, ast.Tuple) and dotted_name(source):
        item = f"({', '.join(['1', *['4'] * (len(target.elts) - 1)])})"
        yield dotted_name(source), f"[{item}, {item}]"
    if isinstance(target, ast.Name) and _chooses(node, target.id):
        yield dotted_name(source), "[0, 1]"
    yield from ((dotted_name(source), text) for text in _LISTS)


def _chooses(loop: ast.AST, name: str) -> bool:
    """Whether the loop uses `name` as a subscript."""
    keys = (node.slice for node in ast.walk(loop) if isinstance(node, ast.Subscript))
    return any(isinstance(key, ast.Name) and key.id == name for key in keys)


def _raised(node: ast.Raise) -> str:
    error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    return getattr(error, "id", "")


def _count(value: ast.expr | None) -> int:
    """Return the number of outputs in the expression of a return statement, 0 if unknown."""
    if isinstance(value, ast.Tuple | ast.List):
        return 0 if any(isinstance(part, ast.Starred) for part in value.elts) else len(value.elts)
    called = getattr(value.func, "id", "") if isinstance(value, ast.Call) else ""
    return 0 if value is None or called in ("tuple", "list") else 1
