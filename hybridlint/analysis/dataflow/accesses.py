"""Accesses: the reads and bindings of names in code, in the order in which Python evaluates them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from hybridlint.analysis.dataflow.bindings import (
    Binding,
    BindingKind,
    bindings_of_import,
    bindings_of_target,
)
from hybridlint.analysis.dataflow.scopes import (
    Comprehension,
    Function,
    evaluated_at_definition,
    free_in_generator,
    names_of,
)
from hybridlint.runtime.facts.records import record
from hybridlint.text.syntax import children

#: Functions that keep a generator and run it later.
_LAZY = frozenset({"chain", "cycle", "enumerate", "filter", "islice", "iter", "map", "zip"})


@record(frozen=True, slots=True)
class Closure:
    """Code that may run later than it is met: a function, a class body, or a generator that is stored."""

    node: ast.AST
    #: The reads of names that it does not bind itself.
    reads: Mapping[str, tuple[ast.Name, ...]]


#: A read of a name, a binding, or code that may read names later.
Access: TypeAlias = ast.Name | Binding | Closure
_Names: TypeAlias = Mapping[str, Binding]
#: A node or a finished access; whether it is surely evaluated; the names that comprehensions around it bind.
_Pending: TypeAlias = tuple[ast.AST | Access, bool, _Names]
_NO_NAMES: _Names = {}


class AccessReader:
    """Reads the accesses of a scope's statements and expressions."""

    def __init__(self) -> None:
        #: The reads of names that comprehensions bind, each with its binding.
        self.in_comprehensions: dict[ast.Name, Binding] = {}

    def of_statement(self, statement: ast.stmt) -> list[Access]:
        """Return the accesses of a simple statement, or of the definition of a function or class."""
        match statement:
            case ast.Assign(targets=targets, value=value):
                stored = (a for t in targets for a in self.of_target(t, BindingKind.ASSIGNMENT, statement, value=value))
                return [*self.of_nodes([value], statement), *stored]
            case ast.AugAssign(target=ast.Name(id=name) as target, value=value):
                binding = Binding(name, BindingKind.AUGMENTED, target, statement, None, value)
                return [target, *self.of_nodes([value], statement), binding]
            case ast.AnnAssign(target=target, annotation=annotation, value=value):
                read = self.of_nodes([annotation] if value is None else [value, annotation], statement)
                if value is None:
                    return read
                return [*read, *self.of_target(target, BindingKind.ANNOTATED, statement, value=value)]
            case ast.Delete(targets=targets):
                return [a for t in targets for a in self.of_target(t, BindingKind.DELETION, statement)]
            case ast.Import() | ast.ImportFrom():
                return [*bindings_of_import(statement)]
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                read = self.of_nodes(evaluated_at_definition(statement), statement)
                return [*read, _closure(statement), Binding(name, BindingKind.FUNCTION, statement, statement)]
            case ast.ClassDef(name=name):
                read = self.of_nodes(evaluated_at_definition(statement), statement)
                return [*read, _closure(statement), Binding(name, BindingKind.CLASS, statement, statement)]
            case ast.Global() | ast.Nonlocal():
                return []
            case _:
                return self.of_nodes(children(statement), statement)

    def of_target(
        self,
        target: ast.expr,
        kind: BindingKind,
        statement: ast.stmt | None,
        *,
        value: ast.expr | None = None,
        source: ast.expr | None = None,
        names: _Names = _NO_NAMES,
    ) -> list[Access]:
        """Return the accesses of a target: ``x[i], y`` reads `x` and `i` and binds `y`."""
        found: list[Access] = []
        bound = {b.node: b for b in bindings_of_target(target, kind, statement, value=value, source=source)}
        for leaf in _leaves(target):
            found += [bound[leaf]] if leaf in bound else self.of_nodes([leaf], statement, names)
        return found

    def of_nodes(self, nodes: Iterable[ast.AST], statement: ast.stmt | None, names: _Names = _NO_NAMES) -> list[Access]:
        """Return the accesses of expressions, one evaluated after the other.

        `names` are the names that comprehensions around the expressions bind.
        """
        found: list[Access] = []
        pending: list[_Pending] = [(node, True, names) for node in nodes]
        pending.reverse()
        consumed: set[ast.AST] = set()
        while pending:
            node, certain, names = pending.pop()
            inner: Iterable[_Pending] = ()
            match node:
                case Binding() | Closure():
                    found.append(node)
                case ast.Name(id=name):
                    if name in names:
                        self.in_comprehensions[node] = names[name]
                    else:
                        found.append(node)
                case ast.NamedExpr(target=ast.Name(id=name) as target, value=value):
                    binding = Binding(name, BindingKind.WALRUS, target, statement, value, None, certain)
                    inner = [(value, certain, names), (binding, certain, names)]
                case ast.BoolOp(values=[first, *others]):
                    inner = [(first, certain, names), *((part, False, names) for part in others)]
                case ast.Compare(left=left, comparators=[first, *others]):
                    sure: list[_Pending] = [(left, certain, names), (first, certain, names)]
                    inner = [*sure, *((part, False, names) for part in others)]
                case ast.IfExp(test=test, body=body, orelse=orelse):
                    inner = [(test, certain, names), (body, False, names), (orelse, False, names)]
                case ast.Lambda():
                    defaults: list[_Pending] = [(part, certain, names) for part in evaluated_at_definition(node)]
                    inner = [*defaults, (self._closure_within(node, names), certain, names)]
                case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                    inner = self._of_comprehension(node, statement, certain, names, later=node not in consumed)
                case ast.AST():
                    consumed.update(_consumed_by(node))
                    inner = [(part, certain, names) for part in children(node)]
            pending += [*inner][::-1]
        return found

    def _of_comprehension(
        self, node: Comprehension, statement: ast.stmt | None, certain: bool, names: _Names, *, later: bool
    ) -> Iterator[_Pending]:
        """Yield the parts of a comprehension; all but the first iterable may run any number of times.

        A generator that nothing consumes at once may also run `later`.
        """
        first, *_ = node.generators
        yield first.iter, certain, names
        within: dict[str, Binding] = dict(names)
        for generator in node.generators:
            if generator is not first:
                yield generator.iter, False, {**within}
            kind = BindingKind.COMPREHENSION
            for access in self.of_target(generator.target, kind, statement, source=generator.iter, names=within):
                if isinstance(access, Binding):
                    within[access.name] = access
                else:
                    yield access, False, names
            yield from ((test, False, {**within}) for test in generator.ifs)
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        yield from ((result, False, within) for result in results)
        if later and isinstance(node, ast.GeneratorExp):
            yield Closure(node, _without(free_in_generator(node), names)), False, names

    def _closure_within(self, node: Function, names: _Names) -> Closure:
        """Return the closure of a function, and record the names that it reads from comprehensions around it."""
        free = names_of(node).free
        for name in free.keys() & names.keys():
            self.in_comprehensions.update(dict.fromkeys(free[name], names[name]))
        return Closure(node, _without(free, names))


def _without(reads: Mapping[str, tuple[ast.Name, ...]], names: _Names) -> Mapping[str, tuple[ast.Name, ...]]:
    return {name: nodes for name, nodes in reads.items() if name not in names}


def _closure(node: Function | ast.ClassDef) -> Closure:
    return Closure(node, names_of(node).free)


def _leaves(target: ast.expr) -> Iterator[ast.expr]:
    """Yield the parts of a target that are no tuples, from left to right."""
    pending = [target]
    while pending:
        node = pending.pop()
        match node:
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                pending += reversed(parts)
            case ast.Starred(value=part):
                pending.append(part)
            case _:
                yield node


def _consumed_by(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the arguments of a call that it runs through at once: all, unless the function keeps generators."""
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _LAZY:
            return
        case ast.Call(args=arguments):
            yield from (part.value if isinstance(part, ast.Starred) else part for part in arguments)
