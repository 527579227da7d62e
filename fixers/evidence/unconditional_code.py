"""Which code runs in every call of a block, whatever its settings, its inputs and the mode of autograd are."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.fixers.toolkit.class_hierarchy import lineage_of, methods_in
from hybridlint.text.syntax import branches, holds, walk


def runs_in_each_call(frame: CodeContext, node: ast.AST) -> bool:
    """Return whether each call of the blocks that an event was seen in runs a node of the event's function.

    The calls that lead to the function have to run each time too.
    """
    places: list[tuple[ast.AST | None, ast.AST]] = [(frame.function, node)]
    for call in frame.calls:
        if call.source is not frame.source:
            return False
        places.append((function_around(frame.source.tree, call.node), call.node))
    return all(isinstance(function, ast.FunctionDef) and always_runs(function, part) for function, part in places)


def always_runs(function: ast.FunctionDef, node: ast.AST) -> bool:
    """Return whether each call of a function that raises nothing evaluates a node of it.

    Loops are taken to have steps: a block whose loop is empty does nothing there that would be worth a graph.
    """
    return any(part is node for part in _certain_parts(function.body))


def entry_of(owner: ast.ClassDef) -> ast.FunctionDef | None:
    """Return the method of a class that is traced, None if it inherits it."""
    return next((n for n in owner.body if isinstance(n, ast.FunctionDef) and n.name == ENTRY), None)


def function_around(tree: ast.AST, node: ast.AST) -> ast.FunctionDef | None:
    """Return the innermost function of a file that contains a node."""
    row: int = getattr(node, "lineno", 0)
    functions = (n for n in branches(tree) if isinstance(n, ast.FunctionDef) and _first_row(n) <= row <= _last_row(n))
    around = [n for n in functions if holds(n, node)]
    return around[-1] if around else None


def _first_row(function: ast.FunctionDef) -> int:
    return min((function.lineno, *(decorator.lineno for decorator in function.decorator_list)))


def _last_row(function: ast.FunctionDef) -> int:
    return function.end_lineno or function.lineno


def functions_leading_to(frame: CodeContext, *, attribute: bool) -> Iterator[ast.AST]:
    """Yield the function of a frame, and those whose calls of ``self.method()`` lead to it if `attribute` is true."""
    if frame.function is not None:
        yield frame.function
    for call in reversed(frame.calls) if attribute else ():
        match call.node.func if isinstance(call.node, ast.Call) else call.node:
            case ast.Attribute(value=ast.Name(id="self")) if call.source is frame.source:
                around = function_around(frame.source.tree, call.node)
                yield from () if around is None else (around,)
            case _:
                return


def called_beside(frame: CodeContext) -> Iterator[tuple[ast.FunctionDef, ast.Call, ast.FunctionDef]]:
    """Yield the calls of other methods of the object whose method an event was seen in.

    Each comes with the function that calls and with the method. ``self.queue.mean()`` is one beside
    ``self.queue.push(x)``, which leads to the event.
    """
    match frame.calls[-1].node if frame.calls and frame.calls[-1].source is frame.source else None:
        case ast.Call(func=ast.Attribute(value=holder)) as call:
            caller = function_around(frame.source.tree, call)
        case _:
            return
    methods = methods_in(frame.source.tree, frame.class_name)
    for node in walk(caller) if caller is not None else ():
        match node:
            case ast.Call(func=ast.Attribute(value=other, attr=name)) if name in methods:
                if methods[name] is not frame.function and ast.unparse(other) == ast.unparse(holder):
                    assert caller is not None
                    yield caller, node, methods[name]


def wrappers_of(tree: ast.AST, entry: ast.FunctionDef) -> Iterator[ast.FunctionDef]:
    """Yield the methods ``forward`` around a traced method, in its class or its ancestors, that call it."""
    classes = [n for n in walk(tree) if isinstance(n, ast.ClassDef)]
    lineage = (one for owner in classes if entry in owner.body for one in lineage_of(owner, classes))
    for method in (n for one in lineage for n in one.body if isinstance(n, ast.FunctionDef)):
        if method.name == "forward" and any(map(_hands_on, walk(method))):
            yield method


def _hands_on(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="forward")):
            return True
    return False


def _certain_parts(block: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the code that surely runs in a block, up to the first statement that may leave early."""
    for statement in block:
        yield from _certain(statement)
        if any(isinstance(n, ast.Return | ast.Break | ast.Continue) for n in walk(statement)):
            return


def _certain(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a statement or expression that are evaluated whenever it runs, itself among them."""
    yield node
    match node:
        case ast.If(test=first) | ast.While(test=first) | ast.IfExp(test=first) | ast.Assert(test=first):
            yield from _certain(first)
        case ast.BoolOp(values=[first, *_]):
            yield from _certain(first)
        case ast.For(iter=first, body=body):
            yield from _certain(first)
            yield from _certain_parts(body)
        case ast.With(items=items, body=body):
            for item in items:
                yield from _certain(item)
            yield from _certain_parts(body)
        case ast.ListComp(generators=[generator], elt=part) | ast.GeneratorExp(generators=[generator], elt=part):
            yield from _certain(generator.iter)
            yield from _certain(generator.ifs[0] if generator.ifs else part)
        case ast.Compare(left=left, comparators=[first, *_]):
            yield from _certain(left)
            yield from _certain(first)
        case (
            ast.Try()
            | ast.AsyncFor()
            | ast.AsyncWith()
            | ast.FunctionDef()
            | ast.ClassDef()
            | ast.Lambda()
            | ast.DictComp()
            | ast.SetComp()
        ):
            return
        case ast.Match(subject=first):
            yield from _certain(first)
        case _:
            for inner in ast.iter_child_nodes(node):
                yield from _certain(inner)
