"""Candidate values for constructor arguments, found in the source of a class.

A value read from a settings object has a dotted name: ``config.hidden`` for both ``config.hidden`` and
``self.config["hidden"]``.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from hybridlint.proving.child.build.values import guesses
from hybridlint.proving.child.build.values.fields import Fields, dotted_name, key_of
from hybridlint.proving.child.build.values.items import items_of

#: How many nested calls an argument is followed through.
DEPTH = 2
#: Most values that are tried for one argument.
MOST = 4
_LISTS = ("[4, 4]", "(1, 1)", "[1, 1, 1, 1]")
_ARRAY = "nd.ones((4, 4))"
_ARRAY_ATTRIBUTES = {"shape", "size", "dtype", "asnumpy", "context", "ctx", "ndim"}
#: Functions that make an array of numbers.
_MAKING_ARRAYS = ("array", "asarray")
#: The most items of a list that the code asks for.
_LONGEST = 64
_ITERATING = ("len", "enumerate", "zip", "list", "tuple", "sum", "max", "min")


class Suggestions:
    """Hints about arguments, from the source of a class or of a function that builds a block.

    `values` maps an argument's name (dotted for a field of a settings object) to candidate expressions. `fields` are
    the fields that the code reads from settings objects.
    """

    def __init__(self, cls: Any, *, keys: bool = False) -> None:
        self.values: dict[str, tuple[str, ...]] = {}
        self.fields = Fields()
        for function in _functions(cls):
            reader = _Reader(function, DEPTH, keys)
            self.fields.update(reader.fields)
            for name, values in reader.values.items():
                self.values[name] = tuple(dict.fromkeys([*self.values.get(name, ()), *values]))[:MOST]


def choices(cls: Any, *, keys: bool = False) -> dict[str, tuple[str, ...]]:
    """Return candidate expressions by argument name, suggested by comparisons, lookups and loops in the class's code.

    With `keys` True a dictionary with the keys that the code reads from the argument is a candidate too. It is less
    likely to work, because the values under these keys are guesses as well.
    """
    return Suggestions(cls, keys=keys).values


def _functions(cls: Any) -> list[Any]:
    if inspect.isfunction(cls):
        return [cls]
    bases = [base for base in getattr(cls, "__mro__", ()) if not base.__module__.startswith(("mxnet.", "builtins"))]
    return [value for base in bases for value in vars(base).values() if inspect.isfunction(value)]


class _Reader:
    """Hints from the source of one function, and of functions it passes its arguments to, `depth` nested calls deep.

    `values` and `fields` are those of `Suggestions`.
    """

    def __init__(self, function: Any, depth: int, keys: bool) -> None:
        self.values: dict[str, tuple[str, ...]] = {}
        self.fields = Fields()
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        except (OSError, TypeError, SyntaxError, ValueError):
            return
        self.tree = tree
        self.scope: Mapping[str, Any] = getattr(function, "__globals__", {})
        self.depth, self.keys = depth, keys
        #: Dictionaries that the function itself defines as literals.
        self.tables = {
            target.id: node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        self.fields.read(tree)
        found: dict[str, dict[str, None]] = {name: {text: None} for name, text in _dictionaries(tree) if keys}
        for node in ast.walk(tree):
            for name, value in self._suggested(node):
                found.setdefault(name, {}).setdefault(value)
            if depth and isinstance(node, ast.Call):
                for name, values in self._passed_on(node):
                    found.setdefault(name, {}).update(dict.fromkeys(values))
        self.values = {name: tuple(values)[:MOST] for name, values in found.items() if name}

    def _suggested(self, node: ast.AST) -> Iterator[tuple[str, str]]:
        if isinstance(node, ast.Compare):
            yield from ((dotted_name(node.left), text) for text in self._compared(node))
            yield from self._of_length(node)
        elif isinstance(node, ast.Subscript):
            yield from ((dotted_name(_key(node)), text) for text in self._keys_of(node.value))
            if key_of(node) is None:
                yield from ((dotted_name(node.value), text) for text in _LISTS)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in _ITERATING:
                yield from ((dotted_name(argument), text) for argument in node.args for text in _LISTS)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in _MAKING_ARRAYS and node.args:
            yield dotted_name(node.args[0]), _LISTS[0]
        elif isinstance(node, (ast.For, ast.comprehension)):
            yield from items_of(node, self.tree)
            yield from _iterated(node)
        elif isinstance(node, ast.Attribute) and node.attr in _ARRAY_ATTRIBUTES:
            yield dotted_name(node.value), _ARRAY

    def _compared(self, node: ast.Compare) -> Iterator[str]:
        """Yield the literals on the right of an equality or membership test; for `!=` and `not in` only strings."""
        operator, other = node.ops[0], node.comparators[0]
        if not isinstance(operator, (ast.Eq, ast.In, ast.NotEq, ast.NotIn)):
            return
        texts = list(self._literals(other))
        # A comparison such as `n != 0` mostly turns a feature on and says little about the value of `n`.
        yield from (text for text in texts if not isinstance(operator, ast.NotEq) or text[:1] in "\"'")

    def _of_length(self, node: ast.Compare) -> Iterator[tuple[str, str]]:
        """Yield a list of as many numbers as its length is compared with: ``len(weights) == len(NAMES)``."""
        own, other = _measured(node.left), node.comparators[0]
        of = _measured(other)
        known = self._constant(other if of is None else of)
        length = len(known) if of is not None and isinstance(known, (list, tuple, dict, str)) else known
        name = "" if own is None else dotted_name(own)
        if name and type(length) is int and 1 < length <= _LONGEST:
            number = next((text for text in guesses.by_name(name) if text[:1].isdigit()), "4")
            yield name, f"[{', '.join([number] * length)}]"

    def _literals(self, node: ast.AST) -> Iterator[str]:
        table = list(self._keys_of(node))
        if table:
            yield from table
            return
        for item in node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]:
            value = item.value if isinstance(item, ast.Constant) else self._constant(item)
            for part in value if isinstance(value, (list, tuple)) else [value]:
                if isinstance(part, (str, int)):
                    yield repr(part)

    def _keys_of(self, node: ast.AST) -> Iterator[str]:
        """Yield the keys of a dictionary literal, or of a dictionary in a variable of the module or function."""
        written = self.tables.get(node.id) if isinstance(node, ast.Name) else node
        if isinstance(written, ast.Dict):
            yield from (repr(key.value) for key in written.keys if isinstance(key, ast.Constant))
            return
        table = self._constant(node)
        if isinstance(table, dict):
            yield from (repr(key) for key in table if isinstance(key, (str, int)))

    def _constant(self, node: ast.AST) -> Any:
        """Return the value of a module variable or an attribute of an imported module; None for other expressions."""
        if isinstance(node, ast.Name):
            return self.scope.get(node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = self.scope.get(node.value.id)
            return vars(owner).get(node.attr) if isinstance(owner, ModuleType) else None
        return None

    def _passed_on(self, node: ast.Call) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield (name, candidate expressions) for names that a call passes on, by the called function's source."""
        function = self._constant(node.func)
        first = isinstance(function, type)
        if isinstance(function, type):
            function = vars(function).get("__init__")
        names = [*map(dotted_name, node.args), *(dotted_name(keyword.value) for keyword in node.keywords)]
        if not inspect.isfunction(function) or not any(names):
            return
        read = _Reader(function, self.depth - 1, self.keys)
        places = list(inspect.signature(function).parameters)[first:]
        for k, name in enumerate(names):
            place = places[k : k + 1] if k < len(node.args) else [node.keywords[k - len(node.args)].arg]
            if name and place and place[0]:
                self.fields.passed_on(name, read.fields, place[0])
                for full_name, values in read.values.items():
                    if full_name == place[0] or full_name.startswith(f"{place[0]}."):
                        yield name + full_name[len(place[0]) :], values


def _measured(node: ast.expr) -> ast.expr | None:
    """Return the subject of ``len(...)``, None for other expressions."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len" and len(node.args) == 1:
        return node.args[0]
    return None


def _dictionaries(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield (name, dictionary expression): the string keys that the code reads from that name, with guessed values."""
    keys: dict[str, dict[str, str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            key = key_of(node)
            if key is not None and dotted_name(node.value):
                keys.setdefault(dotted_name(node.value), {})[key] = guesses.by_name(key)[0]
    for name, known in keys.items():
        yield name, f"{{{', '.join(f'{key!r}: {value}' for key, value in known.items())}}}"


def _key(node: ast.Subscript) -> ast.AST:
    # Before Python 3.9 a subscript's key is wrapped in an Index node.
    return getattr(node.slice, "value", node.slice) if type(node.slice).__name__ == "Index" else node.slice


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
    return any(isinstance(key := getattr(k, "value", k), ast.Name) and key.id == name for k in keys)
