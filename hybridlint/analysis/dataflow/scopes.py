"""Scopes: which names a function binds itself, and which reads in functions within it see its bindings."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from hybridlint.runtime.facts.records import record
from hybridlint.text.syntax import children

#: What has names of its own and runs later or elsewhere; a comprehension runs where it is.
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Scope: TypeAlias = Function | ast.ClassDef | ast.Module
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
SCOPES = (*_FUNCTIONS, ast.ClassDef)
Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@record(frozen=True, slots=True)
class ScopeNames:
    """The names of one scope and of the scopes within it."""

    #: The names that the scope binds, parameters included, without those that it declares global or nonlocal.
    bound: frozenset[str]
    #: The names that it declares global or nonlocal, each with the statement that does.
    declared: Mapping[str, ast.stmt]
    #: The reads, here and in scopes within, of names that are bound in neither: a scope around may bind them.
    free: Mapping[str, tuple[ast.Name, ...]]
    #: The nodes that bind names of a scope around, which this scope or one within declares nonlocal or global.
    stored_around: Mapping[str, tuple[ast.AST, ...]]
    #: The nodes in scopes within that bind names of this one.
    stored_within: Mapping[str, tuple[ast.AST, ...]]


@lru_cache(maxsize=256)
def names_of(scope: Scope) -> ScopeNames:
    """Return the names of a scope."""
    own = _OwnNames()
    own.visit(body_of(scope))
    bound = {*own.stores, *(argument.arg for argument in parameters_of(scope))}
    bound -= own.declared.keys()
    free: dict[str, list[ast.Name]] = {}
    stored: dict[str, list[ast.AST]] = {name: own.stores[name] for name in own.declared if name in own.stores}
    within: dict[str, list[ast.AST]] = {}
    for name, nodes in own.reads.items():
        if name not in bound:
            free.setdefault(name, []).extend(nodes)
    # Functions in a class do not see the names that its body binds.
    visible = frozenset() if isinstance(scope, ast.ClassDef) else bound
    for inner, hidden in own.inner:
        names = names_of(inner)
        for name, reads in names.free.items():
            if name not in visible and name not in hidden:
                free.setdefault(name, []).extend(reads)
        for name, stores in names.stored_around.items():
            (within if name in visible else stored).setdefault(name, []).extend(stores)
    return ScopeNames(
        frozenset(bound),
        own.declared,
        {name: tuple(nodes) for name, nodes in free.items()},
        {name: tuple(nodes) for name, nodes in stored.items()},
        {name: tuple(nodes) for name, nodes in within.items()},
    )


@record(frozen=True, slots=True)
class CodeNames:
    """The names that a piece of code reads and binds in the scope around it, with their nodes."""

    #: Reads, those in functions within too; the target of ``x += 1`` is a read and a binding.
    reads: Mapping[str, Sequence[ast.Name]]
    #: Bindings and deletions.
    stores: Mapping[str, Sequence[ast.AST]]


def names_in(*nodes: ast.AST) -> CodeNames:
    """Return the names that statements or expressions read and bind, without those of comprehensions and functions."""
    own = _OwnNames()
    own.visit(nodes)
    for inner, hidden in own.inner:
        names = names_of(inner)
        for name, reads in names.free.items():
            if name not in hidden:
                own.reads.setdefault(name, []).extend(reads)
        for name, stores in names.stored_around.items():
            own.stores.setdefault(name, []).extend(stores)
    return CodeNames(own.reads, own.stores)


@lru_cache(maxsize=256)
def names_in_body(scope: Scope) -> CodeNames:
    """Return the names that the body of a scope reads and binds, parameters left out."""
    return names_in(*body_of(scope))


def free_in_generator(node: ast.GeneratorExp) -> Mapping[str, tuple[ast.Name, ...]]:
    """Return the reads of a generator's outer names that happen when it is consumed: all but the first iterable."""
    own = _OwnNames()
    _, *later = _parts_of_comprehension(node, frozenset())
    for part, hidden in later:
        own.visit([part], hidden)
    free: dict[str, list[ast.Name]] = {name: [*reads] for name, reads in own.reads.items()}
    for inner, hidden in own.inner:
        for name, reads in names_of(inner).free.items():
            if name not in hidden:
                free.setdefault(name, []).extend(reads)
    return {name: tuple(reads) for name, reads in free.items()}


def body_of(scope: Scope) -> list[ast.AST]:
    """Return the statements of a scope, or the expression of a lambda."""
    return [scope.body] if isinstance(scope, ast.Lambda) else [*scope.body]


def parameters_of(scope: Scope) -> list[ast.arg]:
    """Return all parameters of a function, in their order; none for a class or a module."""
    if not isinstance(scope, _FUNCTIONS):
        return []
    given = scope.args
    extra = [argument for argument in (given.vararg, given.kwarg) if argument is not None]
    return [*given.posonlyargs, *given.args, *given.kwonlyargs, *extra]


def evaluated_at_definition(scope: Function | ast.ClassDef) -> list[ast.AST]:
    """Return the parts of a definition that the scope around evaluates: decorators, defaults, bases, annotations."""
    if isinstance(scope, ast.ClassDef):
        return [*scope.decorator_list, *scope.bases, *scope.keywords]
    given = scope.args
    found: list[ast.AST | None] = [*given.defaults, *given.kw_defaults]
    if not isinstance(scope, ast.Lambda):
        found = [*scope.decorator_list, *found, *(a.annotation for a in parameters_of(scope)), scope.returns]
    return [node for node in found if node is not None]


class _OwnNames:
    """Collects the names that a scope reads and binds, without those of scopes within it."""

    def __init__(self) -> None:
        self.reads: dict[str, list[ast.Name]] = {}
        self.stores: dict[str, list[ast.AST]] = {}
        self.declared: dict[str, ast.stmt] = {}
        #: The scopes within it, each with the names that comprehensions around it bind.
        self.inner: list[tuple[Function | ast.ClassDef, frozenset[str]]] = []

    def visit(self, nodes: Iterable[ast.AST], hidden: frozenset[str] = frozenset()) -> None:
        """Collect from nodes; `hidden` are the names that comprehensions around them bind."""
        pending = [(node, hidden) for node in nodes][::-1]
        while pending:
            node, hidden = pending.pop()
            if type(node) is ast.Constant:
                continue
            if type(node) in _BINDERS:
                for name in _names_bound_by(node):
                    self.stores.setdefault(name, []).append(node)
            inner: list[tuple[ast.AST, frozenset[str]]] = []
            match node:
                case ast.Name(id=name, ctx=context):
                    if isinstance(context, ast.Load):
                        if name not in hidden:
                            self.reads.setdefault(name, []).append(node)
                    elif name not in hidden:
                        self.stores.setdefault(name, []).append(node)
                case ast.AugAssign(target=ast.Name(id=name) as target):
                    self.reads.setdefault(name, []).append(target)
                    inner = [(target, hidden), (node.value, hidden)]
                case ast.Global(names=names) | ast.Nonlocal(names=names):
                    self.declared.update(dict.fromkeys(names, node))
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda() | ast.ClassDef():
                    self.inner.append((node, hidden))
                    inner = [(part, hidden) for part in evaluated_at_definition(node)]
                case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                    inner = [*_parts_of_comprehension(node, hidden)]
                case _:
                    inner = [(part, hidden) for part in children(node)]
            pending += reversed(inner)


def _parts_of_comprehension(node: Comprehension, hidden: frozenset[str]) -> Iterator[tuple[ast.AST, frozenset[str]]]:
    """Yield the parts of a comprehension, each with the names that are hidden there."""
    targets = frozenset(names_in_targets(node))
    within = hidden | targets
    for place, generator in enumerate(node.generators):
        yield generator.iter, hidden if place == 0 else within
        yield from ((test, within) for test in generator.ifs)
        # Subscripts and attributes as targets read names.
        yield generator.target, within
    results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    yield from ((result, within) for result in results)


def names_in_targets(node: Comprehension) -> Iterator[str]:
    """Yield the names that the loops of a comprehension bind."""
    pending: list[ast.expr] = [generator.target for generator in node.generators]
    while pending:
        target = pending.pop()
        match target:
            case ast.Name(id=name):
                yield name
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                pending += parts
            case ast.Starred(value=part):
                pending.append(part)
            case _:
                pass


#: The nodes that bind names by a text of their own.
_BINDERS = frozenset(
    {
        *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom),
        *(ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping),
    }
)


def _names_bound_by(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node binds by a text of its own, as definitions, imports, handlers and patterns do."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.ExceptHandler(name=str() as name) | ast.MatchAs(name=str() as name):
            yield name
        case ast.MatchStar(name=str() as name) | ast.MatchMapping(rest=str() as name):
            yield name
        case ast.Import(names=aliases):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in aliases)
        case ast.ImportFrom(names=aliases):
            yield from (alias.asname or alias.name for alias in aliases if alias.name != "*")
        case _:
            pass
