"""Calls of constructors in the source of a package, with those arguments that can be written as expressions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from hybridlint.analysis.imports.statements import imports
from hybridlint.proving.brief import source_index
from hybridlint.proving.brief.effects import Effects, top_statements
from hybridlint.proving.brief.project_texts import ProjectText
from hybridlint.proving.brief.source_index import ScopedCall
from hybridlint.proving.child.brief.construction import CallSite

#: Most calls of one name that a brief has.
_MOST_CALLS = 100
#: How many names are followed, one to the next.
_DEEPEST = 3
#: Parts of expressions that cannot be evaluated elsewhere.
_UNWRITABLE = (ast.Await, ast.Yield, ast.comprehension, *source_index.FUNCTIONS)
_MAKERS = frozenset(("dict", "float", "int", "len", "list", "max", "min", "range", "set", "str", "sum", "tuple"))
#: Libraries whose functions make arrays, and the names of their modules in every module of a proof.
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
#: The names that expressions of a proof may use besides those of the module, with the modules that they mean.
_GIVEN = {"mx": "mxnet", "nd": "mxnet.nd", "gluon": "mxnet.gluon", "nn": "mxnet.gluon.nn", "np": "numpy"}


def global_names(tree: ast.Module) -> dict[str, str]:
    """Return the names that a module binds at its top, with the dotted names of what it imports, "" for the rest."""
    found = {**_GIVEN, "SimpleNamespace": ""}
    for node in top_statements(tree.body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found[node.name] = ""
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found.update((name.id, "") for target in targets for name in ast.walk(target) if isinstance(name, ast.Name))
        else:
            found.update((name, statement.dotted) for name, statement in imports(iter([node])))
    return found


def naming(texts: list[ProjectText], name: str) -> Iterator[ProjectText]:
    """Yield each file that calls a class of this name, the class's own file first."""
    pattern = re.compile(rf"(?<!class )(?<![\w]){re.escape(name)}\(")
    for place, text in enumerate(texts):
        # Another file that has a class of this name calls its own one.
        if name in text.words and pattern.search(text.text) and not (place and name in text.classes):
            yield text


def calls_of(texts: list[ProjectText], name: str, namespace: Mapping[str, str]) -> tuple[CallSite, ...]:
    """Return the distinct calls of a name; `namespace` has the global names of the first file."""
    found: dict[str, CallSite] = {}
    for text in naming(texts, name):
        for call, functions in _calls_in(text.tree, name):
            site = call_site(text, call, CallScopes(text.text, text.tree, functions, namespace))
            found.setdefault(str(site._replace(origin="")), site)
    return tuple(found.values())[:_MOST_CALLS]


def call_site(text: ProjectText, call: ast.Call, scopes: CallScopes) -> CallSite:
    """Return a call with its arguments as expressions."""
    spread = [pair for keyword in call.keywords if keyword.arg is None for pair in scopes.items(keyword.value)]
    return CallSite(
        origin=text.origin(call),
        positional=tuple(scopes.expression(node) for node in call.args if not isinstance(node, ast.Starred)),
        named={keyword.arg: scopes.expression(keyword.value) for keyword in call.keywords if keyword.arg},
        spread={name: scopes.expression(node) for name, node in spread},
        written=len(call.args) + len(call.keywords),
        starred=any(isinstance(node, ast.Starred) for node in call.args),
    )


class CallScopes:
    """The scopes around a call, from the innermost function to the module."""

    def __init__(self, text: str, tree: ast.Module, functions: tuple[Any, ...], namespace: Mapping[str, str]) -> None:
        self.text = text
        self.scopes = [*reversed(functions), tree]
        self.namespace = namespace

    def expression(self, node: ast.expr, depth: int = 0) -> str | None:
        """Return an expression with local names replaced by their values; None if it cannot be evaluated elsewhere."""
        segment = source_index.segment(self.text, node)
        if segment is None or depth > _DEEPEST or len(segment) > 200:
            return None
        if any(isinstance(part, _UNWRITABLE) for part in ast.walk(node)):
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
            for key, value in zip(node.keys, node.values, strict=True):
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
            given = {keyword.arg: keyword.value for keyword in call.keywords}
            if not any(isinstance(node, ast.Starred) for node in call.args):
                given = {**dict(zip(names, call.args, strict=False)), **given}
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
        return _effects(self.scopes[-1]).of(name) is None

    def _makes_array(self, function: ast.expr, depth: int) -> bool:
        """Whether a function is one of mxnet or numpy, or the method of what such a call returns."""
        owner = function
        while isinstance(owner, (ast.Attribute, ast.Call, ast.Subscript)):
            owner = owner.func if isinstance(owner, ast.Call) else owner.value
        if not isinstance(owner, ast.Name) or owner is function:
            return False
        library = self._value(owner.id, depth + 1) or ""
        module = self.namespace.get(library.strip("()").split(".")[0], "")
        # Modules have small letters.
        named = module.islower() and module.split(".")[0] in _LIBRARIES
        return named or self._is_array(library, depth + 1)

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


@lru_cache(maxsize=64)
def _effects(tree: ast.Module) -> Effects:
    return Effects(tree)
