"""Constructor calls found in the source of a package, with those arguments that can be written as expressions."""

from __future__ import annotations

import ast
import inspect
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from types import ModuleType
from typing import Any

from hybridlint.proving.child.build.effects import Effects
from hybridlint.proving.child.build.values import source_index
from hybridlint.proving.child.build.values.source_index import ScopedCall

#: Limits: characters and files of a package that are read, and distinct calls of one class.
_MOST_BYTES, _MOST_FILES, _MOST_CALLS = 20_000_000, 3_000, 6
#: How many names are followed, one to the next.
_DEEPEST = 3
#: Parts of expressions that cannot be evaluated elsewhere.
_UNWRITABLE = (ast.Await, ast.Yield, ast.comprehension, *source_index.FUNCTIONS)
_MAKERS = frozenset(("dict", "float", "int", "len", "list", "max", "min", "range", "set", "str", "sum", "tuple"))
#: Libraries whose functions make arrays, and what stands for their modules in every module of a proof.
_LIBRARIES = ("mxnet", "hybridlint", "numpy")
_KNOWN = {
    "mxnet": "mx",
    "mxnet.nd": "nd",
    "mxnet.ndarray": "nd",
    "mxnet.gluon": "gluon",
    "mxnet.gluon.nn": "nn",
    "mxnet.np": "mx.np",
    "numpy": "np",
}


class ConstructorCalls:
    """The calls in the package of a file, or in its folder if it is in no package. Files are read on first use."""

    def __init__(self, path: str, module: str, namespace: Mapping[str, Any]) -> None:
        self.path = path
        self.depth = module.count(".") + (os.path.basename(path) == "__init__.py")
        self.namespace = namespace
        self.module = module
        self._trees: dict[int, ast.Module] = {}
        self._known: dict[str, list[dict[str, str]]] = {}

    def of(self, cls: Any) -> list[dict[str, str]]:
        """Return, for each call of a class, expressions by argument name; calls with the most arguments come first."""
        name = cls.__name__
        if name not in self._known:
            calls = [found for found in self._calls(cls, name) if found]
            distinct = {str(sorted(found.items())): found for found in calls}
            self._known[name] = sorted(distinct.values(), key=lambda found: -len(found))[:_MOST_CALLS]
        return self._known[name]

    def _calls(self, cls: Any, name: str) -> Iterator[dict[str, str]]:
        try:
            places = list(inspect.signature(cls).parameters)
        except (TypeError, ValueError):
            return
        for text, tree in self.naming(name):
            for call, scopes in _calls_in(tree, name):
                yield self._arguments(call, CallScopes(text, tree, scopes, self.namespace), places)

    def naming(self, name: str) -> Iterator[tuple[str, ast.Module]]:
        """Yield text and tree of each file that calls a class of this name, the class's own file first."""
        pattern = re.compile(rf"(?<!class )(?<![\w]){re.escape(name)}\(")
        for k, (_, text) in enumerate(self.texts):
            if f"{name}(" not in text or not pattern.search(text):
                continue
            tree = self._tree(k)
            # Another file that has a class of this name calls its own one.
            if not k or not any(isinstance(node, ast.ClassDef) and node.name == name for node in tree.body):
                yield text, tree

    def _tree(self, number: int) -> ast.Module:
        """Return the tree of a file by its number, an empty one if it is no Python."""
        if number not in self._trees:
            try:
                self._trees[number] = ast.parse(self.texts[number][1])
            except (SyntaxError, ValueError):
                self._trees[number] = ast.Module([], [])
        return self._trees[number]

    def arguments_of(self, cls: Any, call: ast.Call, scopes: CallScopes) -> dict[str, str] | None:
        """Return expressions for all arguments of one call of a class by name, None if one is not known."""
        try:
            places = list(inspect.signature(cls).parameters)
        except (TypeError, ValueError):
            return None
        found = self._arguments(call, scopes, places)
        spread = any(isinstance(node, ast.Starred) for node in call.args)
        return None if spread or len(found) < len(call.args) + len(call.keywords) else found

    @classmethod
    def _arguments(cls, call: ast.Call, scopes: CallScopes, places: list[str]) -> dict[str, str]:
        spread = [pair for keyword in call.keywords if keyword.arg is None for pair in scopes.items(keyword.value)]
        given = {**dict(spread), **cls.given(call, places)}
        found = {name: scopes.expression(node) for name, node in given.items()}
        return {name: text for name, text in found.items() if text is not None}

    @staticmethod
    def given(call: ast.Call, places: Sequence[str]) -> dict[str, ast.expr]:
        """Return the arguments of a call by name; those given by position have the names `places`."""
        starred = any(isinstance(node, ast.Starred) for node in call.args)
        by_place = {} if starred else {places[k]: node for k, node in enumerate(call.args) if k < len(places)}
        return {**by_place, **{keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}}

    def mentioning(self, names: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield name and source of each other module that mentions one of `names`, shortest source first."""
        pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\b")
        top = self.path
        for _ in range(self.depth + 1):
            top = os.path.dirname(top)
        found = [(path, text) for path, text in self.texts[1:] if pattern.search(text)]
        for path, text in sorted(found, key=lambda pair: len(pair[1])):
            parts = os.path.relpath(path, top)[: -len(".py")].split(os.sep)
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), text

    @cached_property
    def texts(self) -> list[tuple[str, str]]:
        """The paths and texts of the files, that of the class first."""
        return list(_texts(self.path, self.depth))


class CallScopes:
    """The scopes around a call, from the innermost function to the module."""

    def __init__(self, text: str, tree: ast.Module, functions: tuple[Any, ...], namespace: Mapping[str, Any]) -> None:
        self.text = text
        self.scopes = [*reversed(functions), tree]
        self.namespace = namespace

    def expression(self, node: ast.expr, depth: int = 0) -> str | None:
        """Return an expression with local names replaced by their values; None if it cannot be evaluated elsewhere."""
        segment = source_index.segment(self.text, node)
        if segment is None or depth > _DEEPEST or len(segment) > 200:
            return None
        if any(
            isinstance(part, (ast.Await, ast.Yield, ast.comprehension, *source_index.FUNCTIONS))
            for part in ast.walk(node)
        ):
            return None
        if any(isinstance(part, ast.Call) and not self._repeatable(part, depth) for part in ast.walk(node)):
            return None
        names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
        if "\n" in segment and names:
            return None
        for name in sorted(names, key=lambda part: -part.col_offset):
            resolved = self._value(name.id, depth)
            if resolved is None:
                return None
            # Column offsets count UTF-8 bytes.
            start = name.col_offset - node.col_offset
            raw = segment.encode()
            segment = (raw[:start] + resolved.encode() + raw[start + len(name.id.encode()) :]).decode()
        return " ".join(segment.split())

    def items(self, node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
        """Yield the texts among the keys of a dictionary that code around the call writes out, with their values."""
        if isinstance(node, ast.Name):
            held = next((value for scope in self.scopes for bound, value in [_bound(scope, node.id)] if bound), None)
            node = node if held is None else held
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "dict":
            yield from ((keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg)
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values):  # noqa: B905 - the child also runs under Python 3.8
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, value

    def _value(self, name: str, depth: int) -> str | None:
        for scope in self.scopes:
            bound, value = _bound(scope, name)
            if bound and value is None and depth < _DEEPEST and isinstance(scope, ast.FunctionDef):
                return self._passed(scope, name, depth)
            if bound:
                resolved = None if value is None else self.expression(value, depth + 1)
                return resolved if resolved is None or re.fullmatch(r"[\w.'\"]+", resolved) else f"({resolved})"
        if name in self.namespace:
            return name
        return next((known for scope in self.scopes if (known := _imported(scope, name)) is not None), None)

    def _passed(self, function: ast.FunctionDef, name: str, depth: int) -> str | None:
        """Return the value that the first call of a file's function passes for a parameter; None if unknown."""
        names = [argument.arg for argument in function.args.args]
        tree = self.scopes[-1]
        for call, functions in _calls_in(tree, function.name) if name in names else ():
            given = ConstructorCalls.given(call, names)
            scopes = CallScopes(self.text, tree, functions, self.namespace)
            value = scopes.expression(given[name], depth + 1) if name in given else None
            if value is not None:
                return f"({value})"
        return None

    def _repeatable(self, call: ast.Call, depth: int) -> bool:
        """Whether a call only makes an object, and so can be repeated elsewhere.

        That is a call of a class, of a builtin such as `list`, or of a function of mxnet or numpy that makes an array.
        """
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        if name[:1].isupper() or name in _MAKERS:
            return True
        return self._makes_array(call.func, depth) or self._is_harmless(call.func)

    def _is_harmless(self, function: ast.expr) -> bool:
        """Whether an expression names a known function of the file without side effects."""
        name = getattr(function, "id", "")
        if name not in self.namespace or not any(getattr(node, "name", "") == name for node in self.scopes[-1].body):
            return False
        return Effects(self.scopes[-1]).of(name) is None

    def _makes_array(self, function: ast.expr, depth: int) -> bool:
        """Whether a function is one of mxnet or numpy, or the method of what such a call returns."""
        owner = function
        while isinstance(owner, (ast.Attribute, ast.Call, ast.Subscript)):
            owner = owner.func if isinstance(owner, ast.Call) else owner.value
        if not isinstance(owner, ast.Name) or owner is function:
            return False
        library = self._value(owner.id, depth + 1) or ""
        held = self.namespace.get(library.strip("()").split(".")[0])
        named = getattr(held, "__name__", "") if isinstance(held, ModuleType) else ""
        return named.split(".")[0] in _LIBRARIES or self._is_array(library, depth + 1)

    def _is_array(self, expression: str, depth: int) -> bool:
        """Whether an expression begins with a call of mxnet or numpy."""
        try:
            node = ast.parse(expression.strip(), mode="eval").body
        except (SyntaxError, ValueError):
            return False
        return depth <= _DEEPEST and isinstance(node, ast.Call) and self._makes_array(node.func, depth)


def _imported(scope: Any, name: str) -> str | None:
    """Return the module or object that a name imported around a call means in every module of a proof."""
    meanings = map(_KNOWN.get, source_index.imported_names(scope).get(name, ()))
    return next((known for known in meanings if known is not None), None)


def _bound(scope: Any, name: str) -> tuple[bool, ast.expr | None]:
    """Return whether a function or module binds a name, and the expression assigned to it.

    The expression is None if it is not known, or if a module assigns the name more than once.
    """
    given = [] if isinstance(scope, ast.Module) else _default(scope.args, name)
    found = [*given, *source_index.stored_values(scope).get(name, ())]
    values = [value for value in found if value is not None]
    if not values or (isinstance(scope, ast.Module) and len(values) > 1):
        return bool(found), None
    return True, values[0]


def _default(args: ast.arguments, name: str) -> list[ast.expr | None]:
    plain = [*args.posonlyargs, *args.args]
    defaults: list[ast.expr | None] = [*[None] * (len(plain) - len(args.defaults)), *args.defaults]
    arguments, values = [*plain, *args.kwonlyargs], [*defaults, *args.kw_defaults]
    return [values[k] for k, argument in enumerate(arguments) if argument.arg == name]


def _calls_in(tree: ast.AST, name: str) -> Iterator[ScopedCall]:
    for scoped in source_index.scoped_calls(tree):
        if getattr(scoped.call.func, "id", getattr(scoped.call.func, "attr", None)) == name:
            yield scoped


def _texts(path: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield the path and source of the files around a file, beginning with the file itself."""
    left = [_MOST_BYTES]
    for place in [path, *_files(path, depth)]:
        try:
            with open(place, encoding="utf-8", errors="replace") as file:
                text = file.read(left[0])
        except OSError:
            continue
        left[0] -= len(text)
        yield place, text
        if left[0] <= 0:
            return


def _files(path: str, depth: int) -> Iterator[str]:
    folder = os.path.dirname(path)
    for _ in range(max(depth - 1, 0)):
        folder = os.path.dirname(folder)
    count = 0
    for place, below, names in os.walk(folder):
        below[:] = sorted(name for name in below if depth and not name.startswith((".", "__pycache__")))
        for name in sorted(names):
            file = os.path.join(place, name)
            if name.endswith(".py") and file != path:
                count += 1
                if count > _MOST_FILES:
                    return
                yield file
