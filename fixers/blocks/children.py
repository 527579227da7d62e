"""Fixers of child blocks in containers: a HybridSequential replaces a list; the blocks of a dict are registered."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.events import ChildDef, CodeContext
from hybridlint.analysis.model.values import BlockRef, ContainerValue, Value
from hybridlint.fixers.toolkit.arguments import call_of_elements
from hybridlint.fixers.toolkit.class_hierarchy import constructor_of
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.statements import insert_statements, join_fixes, replace_statements
from hybridlint.fixers.toolkit.templates import as_statement, expression, statements
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk

_MESSAGE = "Keep the children in a HybridSequential"

#: The methods of blocks that look after all parameters.
_PARAMETERS = frozenset({"initialize", "collect_params", "save_parameters", "load_parameters"})
#: Builtins that accept a HybridSequential as they accept a list.
_GOING_THROUGH = frozenset({"enumerate", "zip", "len", "reversed", "list", "tuple", "iter"})


def children_in_sequential(event: ChildDef) -> Fix | None:
    """Keep the children of ``self.a = [Dense(1), Dense(2)]``, or of a list that grows, in a HybridSequential.

    Return None if the class uses the list in a way that a HybridSequential does not support.
    """
    owner = _class_of(event)
    if event.container != "list" or owner is None or not _all_hybrid(event.child):
        return None
    uses = [n for n in walk(owner) if isinstance(n, ast.Attribute) and n.attr == event.attribute]
    made = [n for n in walk(owner) if isinstance(n, ast.Assign) and len(n.targets) == 1 and n.targets[0] in uses]
    if len(made) != 1:
        return _among_others(event, owner, uses)
    parents = {id(child): node for node in walk(owner) for child in ast.iter_child_nodes(node)}
    layers = _namespace(owner, event.attribute, made[0])
    grown = [n for n in uses if _is_append(parents, n)]
    others = [n for n in uses if n is not made[0].targets[0] and n not in grown]
    if layers is None or not _is_made_of_calls(made[0].value) or not all(_goes_through(parents, n) for n in others):
        return None
    return _kept(event.frame, made[0], layers, grown, [parents[id(n)] for n in grown])


def children_in_dict(event: ChildDef) -> Fix | None:
    """Register the blocks of a dict as children, behind the last statement of ``__init__`` that has to do with it.

    Return None if other methods bind the attribute, or if that statement is inside a loop or a branch. It is only shown
    where the class initializes or collects such parameters itself, which its author then has to change.
    """
    owner = _class_of(event)
    if event.container != "dict" or owner is None or not _all_hybrid(event.child):
        return None
    method = constructor_of(owner)
    uses = [n for n in walk(owner) if isinstance(n, ast.Attribute) and n.attr == event.attribute]
    inside = {id(n) for n in walk(method)} if method is not None else set()
    bound = [n for n in uses if not isinstance(n.ctx, ast.Load)]
    if method is None or len(bound) != 1 or id(bound[0]) not in inside:
        return None
    last = _last_with(method.body, {id(n) for n in uses})
    if last is None or isinstance(last, ast.If | ast.Return):
        return None
    taken = {n.id for n in walk(method) if isinstance(n, ast.Name)} | {n.arg for n in method.args.args}
    name = "child" if "child" not in taken else "child_"
    owned = event.frame.concrete(bound[0])
    new = statements("for {name} in {owned}.values():\n    self.register_child({name})", name=name, owned=owned)
    message = f"Register the blocks in `self.{event.attribute}` as children"
    own = [n.name for n in owner.body if isinstance(n, ast.FunctionDef) and n.name in _PARAMETERS]
    if own:
        message = f"{message}. Not applied: `{own[0]}` looks after them"
    applicability = Applicability.DISPLAY if own else Applicability.UNSAFE
    return insert_statements(event.frame, new, applicability, message=message, after=last)


def _last_with(block: list[ast.stmt], nodes: set[int]) -> ast.stmt | None:
    """Return the last statement of a block, or of a ``with`` in it, that holds one of the nodes."""
    holding = [part for part in block if any(id(n) in nodes for n in walk(part))]
    match holding:
        case [*_, ast.With(body=inner)]:
            return _last_with(inner, nodes)
        case [*_, last]:
            return last
        case _:
            return None


def _among_others(event: ChildDef, owner: ast.ClassDef, uses: list[ast.Attribute]) -> Fix | None:
    """Keep the children of ``self.a, self.b = [], []`` in HybridSequentials: the list of one of the names."""
    pairs = [
        (target, value)
        for n in walk(owner)
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Tuple) and isinstance(n.value, ast.Tuple)
        for target, value in zip(n.targets[0].elts, n.value.elts, strict=False)
        if target in uses
    ]
    parents = {id(child): node for node in walk(owner) for child in ast.iter_child_nodes(node)}
    grown = [n for n in uses if _is_append(parents, n)]
    layers = _namespace(owner, event.attribute, ast.Pass())
    match pairs:
        case [(target, ast.List(elts=[]) as value)] if layers is not None:
            others = [n for n in uses if n is not target and n not in grown]
        case _:
            return None
    if not all(_goes_through(parents, n) for n in others):
        return None
    new = expression("{layers}.HybridSequential()", layers=layers)
    kept = rewrite(event.frame, value, new, Applicability.UNSAFE)
    return join_fixes(_MESSAGE, [kept, *_added(event.frame, grown, [parents[id(n)] for n in grown])])


def _all_hybrid(value: Value) -> bool:
    """Whether a container holds only blocks that a HybridSequential accepts."""
    blocks = [value]
    if isinstance(value, ContainerValue):
        blocks = [value.each] if value.items is None else list(value.items)
    return bool(blocks) and all(isinstance(block, BlockRef) and block.hybrid is True for block in blocks)


def _class_of(event: ChildDef) -> ast.ClassDef | None:
    """Return the class of the file in which the child is made."""
    classes = [n for n in walk(event.frame.source.tree) if isinstance(n, ast.ClassDef)]
    return next((c for c in reversed(classes) if any(n is event.node for n in walk(c))), None)


def _kept(
    frame: CodeContext, made: ast.Assign, layers: str, grown: list[ast.Attribute], methods: list[ast.AST]
) -> Fix | None:
    """Return the fix that makes the attribute a HybridSequential and adds the children to it.

    ``self.a = [Dense(1)]`` becomes ``self.a = nn.HybridSequential()`` and ``self.a.add(Dense(1))``; a later
    ``self.a.append`` becomes ``self.a.add``.
    """
    target, unsafe = frame.concrete(made.targets[0]), Applicability.UNSAFE
    new = statements("{target} = {layers}.HybridSequential()", target=target, layers=layers)
    add = expression("{target}.add", target=target)
    match made.value:
        case ast.List(elts=[]):
            pass
        case ast.List():
            new.append(as_statement(call_of_elements(add, frame.concrete(made.value))))
        case _:
            new.append(as_statement(expression("{add}(*{made})", add=add, made=frame.concrete(made.value))))
    return join_fixes(
        _MESSAGE, [replace_statements(frame, made, new, unsafe, message=_MESSAGE), *_added(frame, grown, methods)]
    )


def _added(frame: CodeContext, grown: list[ast.Attribute], methods: list[ast.AST]) -> Iterator[Fix | None]:
    """Yield the fixes that write ``self.a.add`` for ``self.a.append``."""
    for container, method in zip(grown, methods, strict=True):
        assert isinstance(method, ast.Attribute)
        new = expression("{x}.add", x=frame.concrete(container))
        yield rewrite(frame, method, new, Applicability.UNSAFE)


def _is_made_of_calls(made: ast.expr) -> bool:
    """Whether all elements of a list display are calls, or the element of a list comprehension is one."""
    match made:
        case ast.List(elts=elements):
            return all(isinstance(e, ast.Call) for e in elements)
        case ast.ListComp(elt=ast.Call()):
            return True
    return False


def _namespace(owner: ast.ClassDef, attribute: str, made: ast.stmt) -> str | None:
    """Return the dotted name of Gluon's layers in a statement or else in the class, such as ``nn`` or ``gluon.nn``."""
    calls = [n for n in walk(made) if isinstance(n, ast.Call)]
    calls += [n for n in walk(owner) if isinstance(n, ast.Call) and not _adds_to(n, attribute)]
    paths = [path for n in calls if (path := dotted_parts(n.func)) is not None]
    return next((".".join(path[:-1]) for path in paths if len(path) > 1 and path[-2] == "nn"), None)


def _adds_to(node: ast.Call, attribute: str) -> bool:
    return (dotted_parts(node.func) or ())[-2:-1] == (attribute,)


def _is_append(parents: dict[int, ast.AST], node: ast.expr) -> bool:
    """Whether a block is appended to a container by a statement."""
    method = parents.get(id(node))
    match parents.get(id(method)):
        case ast.Call(func=function, args=[ast.Call() | ast.Name()]) as call if function is method:
            appends = isinstance(method, ast.Attribute) and method.attr == "append"
            return appends and isinstance(parents.get(id(call)), ast.Expr)
    return False


def _goes_through(parents: dict[int, ast.AST], node: ast.expr) -> bool:
    """Whether the code iterates over a container, indexes it (without a slice), or calls ``len`` on it."""
    match parents.get(id(node)):
        case ast.For(iter=inner) | ast.comprehension(iter=inner):
            return inner is node
        case ast.Subscript(value=inner, slice=key, ctx=ast.Load()):
            return inner is node and not isinstance(key, ast.Slice)
        case ast.Call(func=ast.Name(id=name)):
            return name in _GOING_THROUGH
    return False
