"""Functions and classmethods of a module that build blocks, found in its source."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from hybridlint.proving.brief.effects import Effects
from hybridlint.proving.brief.project_texts import ProjectText
from hybridlint.proving.child.brief.construction import Builder, Maker

#: Prefixes of the names of functions that do something other than build a block.
_OTHERS = (
    *("main", "train", "test", "run", "demo", "download", "convert", "export", "save", "write", "load", "read"),
    *("fetch", "eval", "predict", "infer", "plot", "draw", "print", "show", "log", "init_", "setup", "install"),
    *("delete", "remove", "clean", "send", "upload", "sync", "update", "process", "parse"),
)


def builders(text: ProjectText, effects: Effects, names: Collection[str]) -> tuple[Builder, ...]:
    """Return the functions of a file that may return a block of a class in `names`, small blocks first.

    The user did not ask for these calls, so functions are left out if their name suggests another purpose, or if they
    have side effects. Arguments named `pretrained` are passed as False.
    """
    uses = _uses(text.tree)
    functions = [node for node in text.tree.body if isinstance(node, ast.FunctionDef) and _builds(node)]
    found = []
    for node in sorted(functions, key=lambda node: _depth(node.name)):
        reaches = frozenset(_reached(node.name, uses) & set(names))
        if reaches and effects.of(node.name) is None:
            given = ", ".join(f"{name}=False" for name in _downloads(node))
            call = "" if _needs(node) else f"{node.name}({given})"
            found.append(Builder(text.origin(node), node.name, call, reaches))
    return tuple(found)


def makers(text: ProjectText, effects: Effects) -> tuple[Maker, ...]:
    """Return the classmethods of a file that build an instance, such as ``from_config``."""
    return tuple(
        Maker(text.origin(node), owner.name, node.name)
        for owner in text.classes.values()
        for node in owner.body
        if isinstance(node, ast.FunctionDef) and _makes(node) and effects.of_function(node) is None
    )


def names_used(node: ast.AST) -> frozenset[str]:
    """Return the names that code uses, without attributes."""
    return frozenset(part.id for part in ast.walk(node) if isinstance(part, ast.Name))


def _makes(node: ast.FunctionDef) -> bool:
    """Whether a method is a classmethod that calls its class."""
    of_class = any(getattr(decorator, "id", "") == "classmethod" for decorator in node.decorator_list)
    called = {part.func.id for part in ast.walk(node) if isinstance(part, ast.Call) and isinstance(part.func, ast.Name)}
    return of_class and not does_more(node.name) and bool(called & {argument.arg for argument in node.args.args[:1]})


def _depth(name: str) -> int:
    """Return the first number in a name such as resnet50_v1, mostly the number of layers; 0 if there is none."""
    number = re.search(r"[0-9]+", name)
    return int(number[0]) if number else 0


def does_more(name: str) -> bool:
    """Whether a function's name says that it does something other than build a block."""
    return name.lstrip("_").startswith(_OTHERS)


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
