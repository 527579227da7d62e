"""Settings of a block: attributes and globals that ``hybrid_forward`` reads and that other code changes.

They are found in the source; nothing runs. A compiled graph keeps the value that a setting had when it was traced.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from hybridlint.proving.child.classes import ENTRY

if TYPE_CHECKING:
    from typing import Union

    Definition = Union[ast.FunctionDef, ast.AsyncFunctionDef]  # noqa: UP007 - the child also runs under Python 3.8

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS = (ast.For, ast.While)
#: Methods that change the object that they are called on.
_MUTATING = frozenset(
    ["add", "append", "clear", "extend", "insert", "pop", "register_child", "remove", "setdefault", "update"]
)
#: Methods that make the next call trace the block again.
_TRACED_ANEW = frozenset(["_clear_cached_op", "cast", "hybridize"])


class Setting(NamedTuple):
    """An attribute of the block, a global, or an attribute or item of a global, whose value changes.

    `name` is the attribute or string key, "" for a global itself. `of` is the global's name, "" for an attribute of the
    block. `key` is True for an item. `step` is the method that makes the change, if it can be called without arguments.
    """

    name: str
    of: str = ""
    key: bool = False
    step: str = ""

    def __str__(self) -> str:
        if not self.of:
            return f"self.{self.name}"
        if not self.name:
            return self.of
        return f"{self.of}[{self.name!r}]" if self.key else f"{self.of}.{self.name}"


class Settings:
    """Finds the settings of the classes of one module in its syntax tree."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
        self._functions = {node.name: node for node in tree.body if isinstance(node, _DEFINITIONS)}
        self._globals = {name for node in tree.body for name in _bound(node)}
        blocks = {name for name in self._classes if ENTRY in self._methods(name)}
        #: Globals that hold an instance of a class of the module that is not a block.
        self._objects = {
            name
            for node in tree.body
            if isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Name)
            and node.value.func.id in self._classes.keys() - blocks
            for name in _bound(node)
        }

    def of(self, name: str, api: Collection[str]) -> list[Setting]:
        """Return the settings of the class `name`; `api` names methods of MXNet itself, whose changes do not count."""
        if name not in self._classes:
            return []
        methods = self._methods(name)
        forward = self._reached([ENTRY], methods)
        read = {place for function in forward for place in self._read(function)}
        building = self._reached(["__init__"], methods)
        found: dict[Setting, None] = {}
        for method, function in methods.items():
            built = function in building and (method.startswith("_") or method == "__init__")
            if function not in forward and not built and method not in api and not _dunder(method):
                found.update(dict.fromkeys(_stepped(self._written(function, own=True), method, function)))
        for function in self._others(methods.values()):
            if function not in forward:
                found.update(dict.fromkeys(self._written(function, own=False)))
        found.update(dict.fromkeys(self._scripted()))
        return [setting for setting in found if setting._replace(step="") in read]

    def _methods(self, name: str) -> dict[str, Definition]:
        """Return the methods of a class, including those inherited from other classes of the module."""
        node = self._classes[name]
        bases = [base.id for base in node.bases if isinstance(base, ast.Name) and base.id != name]
        found: dict[str, Definition] = {}
        for base in reversed([base for base in bases if base in self._classes]):
            found.update(self._methods(base))
        for child in node.body:
            if isinstance(child, _DEFINITIONS):
                # A property and its setter have the same name.
                found[f"{child.name} =" if _is_setter(child) else child.name] = child
        return found

    def _reached(self, names: Iterable[str], methods: Mapping[str, Definition]) -> list[Definition]:
        pending = [methods[name] for name in names if name in methods]
        found: list[Definition] = []
        while pending:
            function = pending.pop()
            if function in found:
                continue
            found.append(function)
            for node in ast.walk(function):
                if isinstance(node, ast.Attribute) and _is_self(node.value, function) and node.attr in methods:
                    pending.append(methods[node.attr])
                elif isinstance(node, ast.Name) and node.id in self._functions:
                    pending.append(self._functions[node.id])
        return found

    def _others(self, methods: Iterable[Definition]) -> Iterator[Definition]:
        """Yield the functions of the module and the methods of its classes that are not in `methods`."""
        own = list(methods)
        bodies = [self._tree.body, *(node.body for node in self._classes.values())]
        for body in bodies:
            for child in body:
                if isinstance(child, _DEFINITIONS) and child not in own and child.name != "__init__":
                    yield child

    def _read(self, function: Definition) -> Iterator[Setting]:
        for node in ast.walk(function):
            if not isinstance(getattr(node, "ctx", None), ast.Load):
                continue
            place = self._place(node, function)
            if place is not None:
                yield place

    def _place(self, node: ast.AST, function: ast.AST) -> Setting | None:
        """Return the setting that an expression reads or stores (of `self` or a global); None for other expressions."""
        if isinstance(node, ast.Attribute):
            if _is_self(node.value, function):
                return Setting(node.attr)
            if isinstance(node.value, ast.Name) and node.value.id in self._globals:
                return Setting(node.attr, node.value.id)
        if isinstance(node, ast.Name) and node.id in self._globals:
            return Setting("", node.id)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in self._globals:
            key = _key(node.slice)
            return None if key is None else Setting(key, node.value.id, key=True)
        return None

    def _written(self, function: Definition, *, own: bool) -> Iterator[Setting]:
        """Yield the settings that a function assigns or changes; nothing if it makes the next call trace again.

        If `own`, the function is a method of the block, and the attributes of its `self` count.
        """
        if _traces_anew(function):
            return
        shared = {name for node in ast.walk(function) if isinstance(node, ast.Global) for name in node.names}
        built = {name for node in ast.walk(function) if _is_call(node) for name in _bound(node)}
        looped = {id(node) for loop in ast.walk(function) if isinstance(loop, _LOOPS) for node in ast.walk(loop)}
        for node in _targets(function):
            if isinstance(node, ast.Name):
                if node.id in shared:
                    yield Setting("", node.id)
                continue
            place = self._place(node, function)
            if place is not None and (place.of or own):
                yield place
            # An object built in the same function is still being set up there, except in a loop.
            building = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in built
            if not building or id(node) in looped:
                yield from self._foreign(node, function)

    def _foreign(self, node: ast.expr, function: ast.AST) -> Iterator[Setting]:
        """Yield the setting for ``x.name = ...``, where `x` is not `self`; it may be the block."""
        if not isinstance(node, ast.Attribute) or _is_self(node.value, function):
            return
        if not isinstance(node.value, ast.Name) or node.value.id not in self._objects:
            yield Setting(node.attr)

    def _scripted(self) -> Iterator[Setting]:
        """Yield the settings that the module's top-level code changes in loops."""
        inner = [node for node in self._tree.body if not isinstance(node, (*_DEFINITIONS, ast.ClassDef))]
        for loop in (node for outer in inner for node in ast.walk(outer) if isinstance(node, _LOOPS)):
            if _traces_anew(loop):
                continue
            for node in _targets(loop):
                place = self._place(node, loop)
                if place is not None:
                    yield place
                yield from self._foreign(node, loop)


def _stepped(places: Iterable[Setting], method: str, function: Definition) -> Iterator[Setting]:
    """Yield the settings with `method` as their `step`, if that method has no required arguments."""
    arguments = function.args
    required = len(arguments.args) - 1 - len(arguments.defaults)
    free = required == 0 and None not in arguments.kw_defaults and not function.decorator_list
    for place in places:
        yield place._replace(step=method) if free else place


def _targets(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions that code assigns, or changes by a method call such as `x.append(...)`."""
    for inner in ast.walk(node):
        if isinstance(getattr(inner, "ctx", None), ast.Store) and isinstance(inner, ast.expr):
            yield inner
        elif isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr in _MUTATING:
            yield inner.func.value


def _bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Assign):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign)) and isinstance(node.target, ast.Name):
        yield node.target.id


def _is_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)


def _traces_anew(node: ast.AST) -> bool:
    called = (inner.func for inner in ast.walk(node) if isinstance(inner, ast.Call))
    return any(isinstance(func, ast.Attribute) and func.attr in _TRACED_ANEW for func in called)


def _is_self(node: ast.AST, function: ast.AST) -> bool:
    arguments = function.args.args if isinstance(function, _DEFINITIONS) else []
    return isinstance(node, ast.Name) and bool(arguments) and node.id == arguments[0].arg == "self"


def _is_setter(function: Definition) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr == "setter" for node in function.decorator_list)


def _dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _key(node: ast.AST) -> str | None:
    # Before Python 3.9 the constant is wrapped in an Index node.
    node = getattr(node, "value", node) if type(node).__name__ == "Index" else node
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
