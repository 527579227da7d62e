"""Side effects of a module's functions, found in the source; nothing runs.

A proof calls a function that the user has not named only if it has no side effect and just builds a block. Code that is
not understood counts as a side effect. An effect is a text such as "it uses `open`"; None means no effect.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from hybridlint.analysis.imports.statements import imports
from hybridlint.proving.child.word_tables import words

Function: TypeAlias = "ast.FunctionDef | ast.Lambda"

#: Libraries whose functions have no side effects, except those whose names begin like the names in `_DOING`.
_HARMLESS = words(
    """
    abc collections copy dataclasses enum functools itertools math mxnet numbers numpy operator re string types
    typing typing_extensions warnings __future__
    """
)
#: Modules whose functions and classes have side effects.
_ACTING = words(
    """
    asyncio concurrent ctypes ftplib glob http io logging multiprocessing os pathlib pickle shutil socket
    sqlite3 ssl subprocess sys tarfile tempfile threading time urllib zipfile importlib signal atexit builtins
    requests
    """
)
#: Attributes of these modules that have no side effects.
_PATHS = ("os.path", "os.environ", "sys.version", "sys.maxsize")
_BUILTIN_EFFECTS = words(
    """
    open print input exec eval compile __import__ exit quit breakpoint help globals delattr memoryview
    """
)
#: Prefixes of methods and functions that read, write, show or train.
_DOING = (
    *("save", "load", "export", "import", "download", "fetch", "write", "read", "dump", "tofile", "fromfile"),
    *("summary", "print", "show", "plot", "fit", "train", "evaluate", "score", "step", "backward", "record", "exec"),
    *("system", "popen", "remove", "unlink", "mkdir", "rmdir", "rename", "connect", "send", "recv", "genfromtxt"),
    *("memmap", "set_np", "reset_np", "use_np", "setenv", "putenv", "attach_grad", "waitall", "profiler"),
)


class Effects:
    """The side effects of one module's functions, found in its syntax tree.

    `of_other_module` returns the side effect of calling a function of another module, given its dotted name, or
    None if it has none. It raises LookupError if the function is not found.
    """

    def __init__(self, tree: ast.Module, of_other_module: Callable[[str], str | None] | None = None) -> None:
        self._of_other_module = of_other_module
        self._modules: dict[str, str] = {}
        self._functions: dict[str, Function] = {}
        self._classes: set[str] = set()
        self._values: dict[str, list[ast.expr]] = {}
        self._known: dict[str, str | None] = {}
        for node in top_statements(tree.body):
            self._bind(node)

    def functions(self) -> dict[str, Function]:
        """Return the top-level functions of the module, including named lambdas."""
        return dict(self._functions)

    def of(self, name: str) -> str | None:
        """Return the first side effect of the module's function `name`, None if it has none."""
        if name not in self._known:
            # A recursive function has the effects of the rest of its body.
            self._known[name] = None
            self._known[name] = self._found(name)
        return self._known[name]

    def imported(self, node: ast.expr, imports: dict[str, str] | None = None) -> str | None:
        """Return the full dotted name of an imported object that an expression names, None if it names none.

        `imports` are the imports inside the function, besides those of the module.
        """
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.insert(0, node.attr)
            node = node.value
        known = {**self._modules, **(imports or {})}
        if not isinstance(node, ast.Name) or node.id not in known:
            return None
        return ".".join([known[node.id], *parts])

    def binds(self, name: str) -> bool:
        """Whether the module binds a name."""
        return any(name in bound for bound in (self._functions, self._classes, self._values, self._modules))

    def of_imported(self, dotted: str) -> str | None:
        """Return the side effect of calling the object with this dotted name in another module, None if it has none."""
        effect = _of_imported(dotted)
        if effect is None or self._of_other_module is None:
            return effect
        try:
            return self._of_other_module(dotted)
        except LookupError:
            return effect

    def _bind(self, node: ast.stmt) -> None:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            self._modules.update(_bound_by_import(node))
        elif isinstance(node, ast.FunctionDef):
            self._functions[node.name] = node
        elif isinstance(node, ast.ClassDef):
            self._classes.add(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name) and isinstance(node.value, ast.Lambda):
                    self._functions[target.id] = node.value
                elif isinstance(target, ast.Name):
                    self._values.setdefault(target.id, []).append(node.value)

    def _found(self, name: str) -> str | None:
        function = self._functions.get(name)
        if function is None:
            return "it is no function of the module"
        return self.of_function(function)

    def of_function(self, function: Function) -> str | None:
        """Return the first side effect of a function or method of this module, None if it has none."""
        return next(_Body(self, function).effects(), None)

    def of_value(self, name: str) -> str | None:
        """Return the side effect of the names in a module variable's values, None if they have none."""
        key = f"={name}"
        if key in self._known:
            return self._known[key]
        self._known[key] = None
        parts = [part for value in self._values[name] for part in ast.walk(value)]
        # Arguments of a lambda are not names of the module.
        given = {argument.arg for part in parts if isinstance(part, ast.Lambda) for argument in part.args.args}
        names = [part.id for part in parts if isinstance(part, ast.Name) and part.id not in given]
        self._known[key] = next((effect for effect in map(self.of_name, names) if effect is not None), None)
        return self._known[key]

    def of_name(self, name: str) -> str | None:
        """Return the side effect of calling a name of the module or a builtin, None if it has none."""
        if name in self._functions:
            effect = self.of(name)
            return None if effect is None else f"it calls `{name}`, where {effect}"
        if name in self._values:
            return self.of_value(name)
        if name in self._modules:
            return self.of_imported(self._modules[name])
        if name in _BUILTIN_EFFECTS:
            return f"it uses `{name}`"
        known = name in self._classes or hasattr(builtins, name) or name[:1].isupper()
        return None if known else f"nothing is known of `{name}`"


class _Body:
    """The body of one function, searched for side effects."""

    def __init__(self, module: Effects, function: Function) -> None:
        self.module = module
        self.function = function
        self.imports: dict[str, str] = {}
        self.local = _local_names(function)
        body: list[Any] = [function.body] if isinstance(function, ast.Lambda) else function.body
        self.nodes = list(_done(body))
        #: The `id` of each node whose attribute is accessed: `x` in `x.y`.
        self.inner = {id(node.value) for node in self.nodes if isinstance(node, ast.Attribute)}
        for node in self.nodes:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self.imports.update(_bound_by_import(node))

    def effects(self) -> Iterator[str]:
        """Yield the side effects of the function."""
        for default in [*self.function.args.defaults, *self.function.args.kw_defaults]:
            # All other defaults were computed when the module was imported.
            if isinstance(default, ast.Name):
                yield from self._of_name(default)
        for node in self.nodes:
            yield from self._of_node(node)

    def _of_node(self, node: ast.AST) -> Iterator[str]:
        # A `nonlocal` name is bound in an enclosing function, so it is still local to the outermost one.
        if isinstance(node, ast.Global):
            yield f"it changes `{node.names[0]}` of others"
        elif isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFunctionDef)):
            yield "it returns step by step"
        elif isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            root = _root(node)
            if isinstance(root, ast.Name) and root.id not in self.local:
                yield f"it changes `{root.id}`"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith(_DOING):
            yield f"it uses `{node.func.attr}`"
        elif isinstance(node, ast.Attribute) and id(node) not in self.inner:
            dotted = self.module.imported(node, self.imports)
            if dotted is not None:
                yield from _if_any(self.module.of_imported(dotted))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield from self._of_name(node)

    def _of_name(self, node: ast.Name) -> Iterator[str]:
        name = node.id
        if self.module.imported(node, self.imports) is not None and id(node) in self.inner:
            # For a module the effect depends on the attribute that is used.
            return
        if name in self.imports:
            yield from _if_any(self.module.of_imported(self.imports[name]))
        elif name not in self.local:
            yield from _if_any(self.module.of_name(name))


def _if_any(effect: str | None) -> Iterator[str]:
    if effect is not None:
        yield effect


def _of_imported(dotted: str) -> str | None:
    """Return the side effect of calling an imported name, judged by the name alone; None if it has none."""
    parts = dotted.split(".")
    if dotted.startswith(_PATHS):
        return None
    if parts[0] in _ACTING:
        return f"it uses `{parts[0]}`"
    if any(part.startswith(_DOING) for part in parts[1:]):
        return f"it uses `{parts[-1]}`"
    if parts[0] in _HARMLESS or parts[-1][:1].isupper():
        return None
    return f"it uses `{parts[-1]}` of another module"


def _bound_by_import(node: ast.stmt) -> Iterator[tuple[str, str]]:
    """Yield each name that an import binds, with its full dotted name."""
    yield from ((name, "." * found.level + found.dotted) for name, found in imports(iter([node])))


def top_statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the top-level statements of a module, including those inside `if`, `try` and `with`."""
    for node in body:
        yield node
        if isinstance(node, (ast.If, ast.Try, ast.With)):
            for name in ("body", "orelse", "finalbody"):
                yield from top_statements(getattr(node, name, ()))
            for handler in getattr(node, "handlers", ()):
                yield from top_statements(handler.body)


def _done(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes that run when a body runs, without branches that are only for pretrained weights."""
    for node in body:
        if isinstance(node, ast.If) and _asks_for_weights(node.test):
            yield from _done(node.orelse)
            continue
        yield node
        if isinstance(node, ast.ClassDef):
            # Methods of the class run only as part of the block.
            yield from _done([*node.bases, *node.decorator_list])
        elif isinstance(node, ast.FunctionDef):
            yield from _done([*node.decorator_list, *node.args.defaults, *node.body])
        elif isinstance(node, ast.AnnAssign):
            yield from _done([node.target, *([] if node.value is None else [node.value])])
        else:
            yield from _done(ast.iter_child_nodes(node))


def _asks_for_weights(test: ast.expr) -> bool:
    """Whether a condition is only true if an argument such as `pretrained` is."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return any(map(_asks_for_weights, test.values))
    return isinstance(test, ast.Name) and "pretrained" in test.id


def _root(node: ast.AST) -> ast.AST:
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node


def _local_names(function: Function) -> set[str]:
    """Return the local names of a function and of its nested functions: arguments, variables, functions and classes."""
    found: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.ExceptHandler)) and node is not function:
            found.add(node.name or "")
    return found
