"""Inspection of the calling user code: its frame, the function it calls by name, and guards around the call."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache
from types import FrameType, ModuleType
from typing import Any

from hybridlint.runtime.strict.bytecode import evaluated_expression, tree

_OURS = ("hybridlint", "mxnet")
#: Functions that test what kind of object a value is.
_ASKING = frozenset({"isinstance", "hasattr", "getattr", "type", "callable"})


@dataclass(frozen=True, slots=True)
class Called:
    """A function of a module, as user code calls it: by the attributes `path` of the module `root`.

    `local` is true if a local variable names the module.
    """

    root: ModuleType
    path: tuple[str, ...]
    local: bool


def is_ours(frame: FrameType) -> bool:
    """Whether a frame runs code of the runtime or of another part of hybridlint."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] in _OURS


def user_call(frame: FrameType) -> tuple[FrameType, FrameType] | None:
    """Return the innermost frame of user code and the frame of ours it called, or None without user code."""
    while is_ours(frame):
        if frame.f_back is None:
            return None
        entry, frame = frame, frame.f_back
        if not is_ours(frame):
            return frame, entry
    return None


def called_function(frame: FrameType) -> Called | None:
    """Return the function of a module that a frame is calling, or None if it calls something else."""
    call = _call(frame)
    path = _dotted(call.func) if call is not None else None
    if path is None:
        return None
    root, local = _root(frame, path[0])
    return Called(root, path[1:], local) if isinstance(root, ModuleType) else None


def is_guarded(frame: FrameType) -> bool:
    """Whether the frame's current line runs for one kind of array only, judging by the source.

    Such a line is in a branch on the operator namespace or a value's type, after such a branch that returns, or in a
    ``try`` whose errors are handled.
    """
    namespaces = frozenset(name for name, value in frame.f_locals.items() if isinstance(value, ModuleType))
    code = frame.f_code
    if _is_guarded(code.co_filename, frame.f_lineno, code.co_firstlineno, namespaces):
        return True
    call = _call(frame)
    return call is not None and _dotted(call.func) in {(name,) for name in _ASKING}


@lru_cache(maxsize=4096)
def _is_guarded(path: str, row: int, first: int, namespaces: frozenset[str]) -> bool:
    return any(_guards(node, row, first, namespaces) for node in ast.walk(tree(path) or ast.Module([], [])))


def _guards(node: ast.AST, row: int, first: int, namespaces: frozenset[str]) -> bool:
    """Whether a node restricts a row, in the function that starts at row `first`, to one kind of array."""
    match node:
        case ast.Try(body=body, handlers=[_, *_]):
            return body[0].lineno <= row <= (body[-1].end_lineno or 0)
        case ast.If(test=test, body=[*_, ast.Return() | ast.Raise()]) if first <= node.lineno <= row:
            return _asks(test, namespaces)
        case ast.If(test=test) | ast.IfExp(test=test):
            return _covers(node, row) and _asks(test, namespaces)
        case ast.BoolOp():
            return _covers(node, row) and _asks(node, namespaces)
        case _:
            return False


def _asks(test: ast.expr, namespaces: frozenset[str]) -> bool:
    for node in ast.walk(test):
        match node:
            case ast.Name(id=name) if name in namespaces:
                return True
            case ast.Call(func=ast.Name(id=name)) if name in _ASKING:
                return True
            case ast.Attribute(attr="_active"):
                return True
    return False


def _covers(node: ast.AST, row: int) -> bool:
    first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
    return bool(first <= row <= last)


def _call(frame: FrameType) -> ast.Call | None:
    """Return the call expression that a frame is evaluating, if known."""
    node = evaluated_expression(frame.f_code, frame.f_lasti)
    return node if isinstance(node, ast.Call) else None


def _dotted(node: ast.expr) -> tuple[str, ...] | None:
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    return (node.id, *names) if isinstance(node, ast.Name) else None


def _root(frame: FrameType, name: str) -> tuple[Any, bool]:
    if name in frame.f_locals:
        return frame.f_locals[name], True
    return frame.f_globals.get(name), False
