"""Functions and classmethods of a module that build blocks, found in its source."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from hybridlint.proving.child.build.imported_effects import ImportedEffects

#: Prefixes of the names of functions that do something other than build a block.
_OTHERS = (
    *("main", "train", "test", "run", "demo", "download", "convert", "export", "save", "write", "load", "read"),
    *("fetch", "eval", "predict", "infer", "plot", "draw", "print", "show", "log", "init_", "setup", "install"),
    *("delete", "remove", "clean", "send", "upload", "sync", "update", "process", "parse"),
)


def asking(path: str, tree: ast.Module, classes: Collection[str]) -> Iterator[str]:
    """Yield the names of functions with required arguments that may return a block of one of `classes`."""
    uses = _uses(tree)
    effects = ImportedEffects(path).of(tree)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and _builds(node)]
    for node in sorted(functions, key=lambda node: _depth(node.name)):
        if _needs(node) and _reached(node.name, uses) & set(classes) and effects.of(node.name) is None:
            yield node.name


def factories(path: str, tree: ast.Module, classes: Collection[str]) -> Iterator[str]:
    """Yield expressions that call functions which may return a block of one of `classes`, small blocks first.

    The functions have no required arguments. The user did not ask for these calls, so functions are left out if their
    name suggests another purpose, or if they have side effects. Arguments named `pretrained` are passed as False.
    """
    uses = _uses(tree)
    effects = ImportedEffects(path).of(tree)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and _plain(node)]
    for node in sorted(functions, key=lambda node: _depth(node.name)):
        if _reached(node.name, uses) & set(classes) and effects.of(node.name) is None:
            yield f"{node.name}({', '.join(f'{name}=False' for name in _downloads(node))})"


def makers(path: str, tree: ast.Module, classes: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield (class name, method name) for classmethods that build an instance, such as ``from_config``."""
    effects = ImportedEffects(path).of(tree)
    for owner in tree.body:
        if isinstance(owner, ast.ClassDef) and owner.name in classes:
            for node in owner.body:
                if isinstance(node, ast.FunctionDef) and _makes(node) and effects.of_function(node) is None:
                    yield owner.name, node.name


def _makes(node: ast.FunctionDef) -> bool:
    """Whether a method is a classmethod that calls its class."""
    of_class = any(getattr(decorator, "id", "") == "classmethod" for decorator in node.decorator_list)
    called = {part.func.id for part in ast.walk(node) if isinstance(part, ast.Call) and isinstance(part.func, ast.Name)}
    return of_class and not does_more(node.name) and bool(called & {argument.arg for argument in node.args.args[:1]})


def networks(path: str) -> Iterator[str]:
    """Yield expressions that call functions of a file which build a HybridSequential; nothing if it cannot be read."""
    try:
        with open(path, encoding="utf-8") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return
    yield from factories(path, tree, ("HybridSequential",))


def _depth(name: str) -> int:
    """Return the first number in a name such as resnet50_v1, mostly the number of layers; 0 if there is none."""
    number = re.search(r"[0-9]+", name)
    return int(number[0]) if number else 0


def does_more(name: str) -> bool:
    """Whether a function's name says that it does something other than build a block."""
    return name.lstrip("_").startswith(_OTHERS)


def _plain(node: ast.FunctionDef) -> bool:
    return not _needs(node) and _builds(node)


def _needs(node: ast.FunctionDef) -> int:
    """Return the number of required arguments of a function."""
    required = len(node.args.args) + len(node.args.posonlyargs) - len(node.args.defaults)
    return required + sum(default is None for default in node.args.kw_defaults)


def _builds(node: ast.FunctionDef) -> bool:
    returns = any(isinstance(part, ast.Return) and part.value is not None for part in ast.walk(node))
    return returns and not does_more(node.name)


def _downloads(node: ast.FunctionDef) -> Iterator[str]:
    for argument in [*node.args.args, *node.args.kwonlyargs]:
        if "pretrained" in argument.arg:
            yield argument.arg


def _uses(tree: ast.Module) -> dict[str, set[str]]:
    """Return, for each function and variable of a module, the names and attributes that its code uses."""
    found: dict[str, set[str]] = {}
    for node in tree.body:
        parts = list(ast.walk(node))
        names = {part.id for part in parts if isinstance(part, ast.Name)}
        names |= {part.attr for part in parts if isinstance(part, ast.Attribute)}
        if isinstance(node, ast.FunctionDef):
            found[node.name] = names
        elif isinstance(node, ast.Assign):
            found.update((target.id, names) for target in node.targets if isinstance(target, ast.Name))
    return found


def _reached(name: str, uses: Mapping[str, Any]) -> set[str]:
    reached: set[str] = set()
    pending = [name]
    while pending:
        more = uses.get(pending.pop(), set()) - reached
        reached |= more
        pending += more
    return reached
