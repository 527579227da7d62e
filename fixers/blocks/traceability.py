"""Whether a class whose `forward` runs eagerly today could be traced, judging by its file.

``hybridize()`` is harmless for such a class. Where a trace would raise, a `hybrid_forward` would be worse than none.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.text.syntax import is_own, walk

#: The package whose functions a graph may call.
_LIBRARY = "mxnet"


def may_be_traced(tree: ast.Module, owner: ast.ClassDef) -> bool:
    """Return whether nothing that `forward` runs, directly or in a child of the file, is sure to leave the graph.

    What leaves it: functions of other packages, data under names of text (``graph.ndata["h"]``), and children that are
    given an attribute of the block, which is no tensor.
    """
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    foreign = frozenset(_foreign(tree))
    functions = {*vars(builtins), *(node.name for node in tree.body if isinstance(node, ast.FunctionDef))}
    seen: set[str] = set()
    pending = [owner]
    while pending:
        at = pending.pop()
        if at.name in seen:
            continue
        seen.add(at.name)
        methods = {node.name: node for node in at.body if isinstance(node, ast.FunctionDef)}
        settled = frozenset({*functions, *methods})
        if any(_leaves(node, foreign, settled) for body in _run(methods) for node in walk(body)):
            return False
        pending += [classes[name] for name in _built(at) if name in classes and name != at.name]
    return True


def _run(methods: dict[str, ast.FunctionDef]) -> list[ast.FunctionDef]:
    """Return `forward`, or `hybrid_forward`, and the methods that it calls, directly or not."""
    found: dict[str, ast.FunctionDef] = {}
    pending = [ENTRY if ENTRY in methods else "forward"]
    while pending:
        name = pending.pop()
        if name in methods and name not in found:
            found[name] = methods[name]
            pending += [
                n.attr
                for n in walk(methods[name])
                if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == "self"
            ]
    return list(found.values())


def _leaves(node: ast.AST, foreign: frozenset[str], settled: frozenset[str]) -> bool:
    """Return whether a node leaves the graph; `settled` are the functions and methods that may be given anything."""
    match node:
        case ast.Subscript(slice=ast.Constant(value=str())):
            return True
        case ast.Call(func=ast.Attribute() | ast.Name() as called) if _root(called) in foreign:
            return True
        case ast.Call(args=args):
            own = {part.attr for part in args if is_own(part) and isinstance(part, ast.Attribute)}
            to_block = isinstance(node.func, ast.Name) or is_own(node.func)
            return to_block and _last(node.func) not in settled and bool(own - settled)
        case _:
            return False


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else _root(node)


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _built(owner: ast.ClassDef) -> Iterator[str]:
    """Yield the bare names that the methods of a class call, among them the classes of its children."""
    return (n.func.id for n in walk(owner) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name))


def _foreign(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a file imports from packages other than MXNet and Python's `math`."""
    for node in walk(tree):
        match node:
            case ast.Import(names=names):
                for one in names:
                    if one.name.partition(".")[0] not in {_LIBRARY, "math"}:
                        yield one.asname or one.name.partition(".")[0]
            case ast.ImportFrom(module=module, names=names, level=0) if module is not None:
                if module.partition(".")[0] not in {_LIBRARY, "math", "__future__"}:
                    yield from (one.asname or one.name for one in names if (one.asname or one.name)[:1].islower())
            case _:
                pass
