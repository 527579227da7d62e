"""Numpy mode: which code uses it, because the file switches it on or because a decorator does."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from hybridlint.analysis.model.values import Mode
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.runtime.facts.registry import find
from hybridlint.text.screening import mentions
from hybridlint.text.source import SourceFile
from hybridlint.text.syntax import branches, own

#: Text that every file using the mode contains; searching for its plain part first is faster for nearly every file.
_MENTION = re.compile(r"\b(?:use_np\b|use_np_array\b|set_np\()")
_PART = "_np"
#: Texts of which every file contains one that uses functions of numpy mode without switching it on.
_HINTS = ("npx", "mxnet import np", ".np.")
#: Functions of numpy mode are imported, or called through F.
_FUNCTIONS = re.compile(r"^\s*from mxnet import\b[^\n]*\bnpx?\b|\bF\.npx?\.", re.MULTILINE)
#: A call of a legacy function.
_LEGACY = re.compile(r"\b(?:nd|ndarray)\.[a-z_]")
_DECORATORS = frozenset({"use_np", "use_np_array"})
#: Namespaces that only accept arrays of numpy mode.
_OF_NUMPY = frozenset({"np", "npx"})


def mode_of_file(source: SourceFile) -> Mode:
    """Return the mode of arrays in a file, outside of classes."""
    return "np" if has_numpy_mode(source) else "legacy"


def mode_of_class(source: SourceFile, node: ast.ClassDef) -> Mode:
    """Return the mode of arrays in a class of a file."""
    return "np" if class_has_numpy_mode(source, node) else "legacy"


def has_numpy_mode(source: SourceFile) -> bool:
    """Return whether a file switches the mode on, at import or in a function, without switching it off again.

    A file that never does so, and still calls functions of numpy mode alone, leaves it to the programs that use it.
    """
    if not _mentions_mode(source):
        return _needs_mode(source)
    calls = _calls(branches(source.tree))
    return "set_np" in calls and ("reset_np" not in calls or _at_import(source))


def class_has_numpy_mode(source: SourceFile, node: ast.ClassDef) -> bool:
    """Return whether a class works on arrays of numpy mode.

    It does if its file switches the mode on at import. In other files the class has a decorator, or a decorated
    function makes it, or the operators that it calls show its mode.
    """
    if not _mentions_mode(source):
        of_operators = _mode_of_operators(node) if _needs_mode(source) else False
        return of_operators is not False
    if _at_import(source) or _is_decorated(node) or _lies_in_decorated(source.tree, node):
        return True
    of_operators = _mode_of_operators(node)
    return has_numpy_mode(source) if of_operators is None else of_operators


def mode_is_open(source: SourceFile, function: ast.AST | None) -> bool:
    """Return whether a function may run in either mode.

    Its file queries the mode, and the function calls no operator that exists in one mode only.
    """
    if not mentions(source.text, "is_np_array") or not isinstance(function, ast.FunctionDef):
        return False
    return not any(find(name) is not None or name in _OF_NUMPY for name in _called_through(function))


def _mentions_mode(source: SourceFile) -> bool:
    return _text_mentions_mode(source.text)


@lru_cache(maxsize=4)
def _text_mentions_mode(text: str) -> bool:
    return _PART in text and _MENTION.search(text) is not None


def _needs_mode(source: SourceFile) -> bool:
    """Whether a file uses functions of numpy mode, and none of legacy mode."""
    return _text_needs_mode(source.text)


@lru_cache(maxsize=4)
def _text_needs_mode(text: str) -> bool:
    hinted = any(hint in text for hint in _HINTS)
    return hinted and _FUNCTIONS.search(text) is not None and _LEGACY.search(text) is None


def _at_import(source: SourceFile) -> bool:
    return "set_np" in _calls(own(source.tree))


def _calls(nodes: Iterable[ast.AST]) -> set[str]:
    return {_last_name(n.func) for n in nodes if isinstance(n, ast.Call)}


def _is_decorated(node: ast.ClassDef | ast.FunctionDef) -> bool:
    return any(_last_name(d) in _DECORATORS for d in node.decorator_list)


def _lies_in_decorated(tree: ast.Module, node: ast.ClassDef) -> bool:
    functions = (n for n in branches(tree) if isinstance(n, ast.FunctionDef) and _is_decorated(n))
    return any(part is node for function in functions for part in branches(function))


def _mode_of_operators(node: ast.ClassDef) -> bool | None:
    """Return whether the functions that a class calls through F are numpy mode's; None if none of them shows it."""
    names = [name for method in _forwards(node) for name in _called_through(method)]
    if any(name in _OF_NUMPY for name in names):
        return True
    return False if any(find(name) is not None for name in names) else None


def _forwards(node: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    return (n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == ENTRY)


def _called_through(method: ast.FunctionDef) -> Iterator[str]:
    """Yield the attributes of F that a hybrid_forward reads."""
    functions = method.args.args[1].arg if len(method.args.args) > 1 else ""
    for node in branches(method):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name == functions:
                yield attribute


def _last_name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Call(func=function):
            return _last_name(function)
    return ""
