"""The methods and functions that a block's `forward` calls, directly or not, and those among them that need F."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import Namespace, OperatorRef
from hybridlint.text.parameters import names_of
from hybridlint.text.syntax import is_dotted, walk

if TYPE_CHECKING:
    from hybridlint.analysis.model.values import ProjectClass
    from hybridlint.analysis.project.program import ClassInfo, ProjectFile

_ENTRY = "forward"
#: The namespaces of eager operators.
_EAGER = frozenset({"nd", "np", "npx"})


class Reach:
    """The code that runs during a trace of classes (`members`) that are related by inheritance.

    `parameters` names the parameters of all of them. `wanting` names functions and methods that get F though they call
    no operator: a repair in them does.
    """

    def __init__(
        self,
        module: ProjectFile,
        members: Sequence[ClassInfo],
        parameters: Iterable[str],
        wanting: Collection[str] = (),
    ) -> None:
        self.module = module
        self.members = members
        self._wanting = frozenset(wanting)
        self._parameters = frozenset(parameters)

    @cached_property
    def methods(self) -> list[tuple[ProjectClass, str]]:
        """Pairs (class, method name) of this file's methods that the members' `forward` runs, itself included."""
        found: dict[tuple[int, str], tuple[ProjectClass, str]] = {}
        for info in self.members:
            for owner, name in _reached(info):
                if owner.module is self.module:
                    found.setdefault((id(owner), name), (owner, name))
        return list(found.values())

    @cached_property
    def functions(self) -> dict[str, ast.FunctionDef]:
        """The functions of this file that the members' `forward` runs, and that use operators, directly or not."""
        all_of = {n.name: n for n in self.module.source.tree.body if isinstance(n, ast.FunctionDef)}
        seen: set[str] = set()
        pending = [name for owner, method in self.methods for name in _called(owner.methods[method])]
        while pending:
            name = pending.pop()
            if name in all_of and name not in seen:
                seen.add(name)
                pending += _called(all_of[name])
        needing = {name for name in seen if name in self._wanting or self._computes(all_of[name])}
        while more := {name for name in seen - needing if needing & set(_called(all_of[name]))}:
            needing |= more
        return {name: all_of[name] for name in all_of if name in needing and not _has(all_of[name], "F")}

    @cached_property
    def helpers(self) -> dict[str, frozenset[str]]:
        """The methods other than `forward` that need F or parameters, by name, with the parameters that each needs."""
        bodies: dict[str, list[ast.FunctionDef]] = {}
        for owner, name in self.methods:
            bodies.setdefault(name, []).append(owner.methods[name])
        calls = {name: {n for body in of for n in _own_calls(body)} & bodies.keys() for name, of in bodies.items()}
        reads = {name: self._read(of) for name, of in bodies.items()}
        computing = {name for name, of in bodies.items() if reads[name] or any(map(self._needs, of))}
        needing = computing | (self._wanting & bodies.keys()) | {_ENTRY}
        while True:
            more = {name for name in bodies if name not in needing and calls[name] & (needing - {_ENTRY})}
            wider = {name: reads[name].union(*(reads[each] for each in calls[name] - {_ENTRY})) for name in bodies}
            if not more and wider == reads:
                break
            needing, reads = needing | more, wider
        return {name: reads[name] for name in bodies if name in needing and name != _ENTRY}

    def _needs(self, method: ast.FunctionDef) -> bool:
        return self._computes(method) or bool(set(_called(method)) & self.functions.keys())

    def _computes(self, function: ast.FunctionDef) -> bool:
        """Whether the body of a function itself uses an operator of `nd`, `np` or `npx`."""
        parts = (n for statement in function.body for n in walk(statement))
        # Namespaces are reached by names alone; evaluating all attributes of a long chain of calls takes its square.
        return any(self._is_operator(n) for n in parts if isinstance(n, ast.Attribute | ast.Name) and is_dotted(n))

    def _is_operator(self, node: ast.Attribute | ast.Name) -> bool:
        match self.module.expression(node):
            case Namespace(root=root) | OperatorRef(namespace=Namespace(root=root)):
                return root in _EAGER
            case _:
                return False

    def _read(self, methods: Iterable[ast.FunctionDef]) -> frozenset[str]:
        return frozenset(
            node.attr for method in methods for node in own_attributes(method) if node.attr in self._parameters
        )


def families(all_of: Iterable[ClassInfo]) -> Iterator[list[ClassInfo]]:
    """Yield groups of classes that are related by inheritance, each in the order of the file."""
    pending = list(all_of)
    groups = {id(info): {id(info)} for info in pending}
    for info in pending:
        for ancestor in info.lineage:
            if id(ancestor) in groups:
                joined = groups[id(info)] | groups[id(ancestor)]
                groups |= dict.fromkeys(joined, joined)
    seen: set[int] = set()
    for info in pending:
        if id(info) not in seen:
            seen |= groups[id(info)]
            yield [other for other in pending if id(other) in groups[id(info)]]


def this_of(method: ast.FunctionDef) -> str:
    """Return the name of a method's first argument, "" if it has none."""
    return method.args.args[0].arg if method.args.args else ""


def _reached(info: ClassInfo) -> Iterator[tuple[ProjectClass, str]]:
    first = info.method(_ENTRY)
    pending: list[tuple[ProjectClass, str]] = [(first[1], _ENTRY)] if first is not None else []
    seen: set[tuple[int, str]] = set()
    while pending:
        owner, name = pending.pop()
        if (id(owner), name) in seen:
            continue
        seen.add((id(owner), name))
        yield owner, name
        method = owner.methods[name]
        for other in dict.fromkeys(n.attr for n in own_attributes(method)):
            own = info.method(other)
            pending += [(own[1], other)] if own is not None and not other.startswith("__") else []
        for other in _super_calls(method):
            above = info.method_after(other, owner)
            pending += [(above[1], other)] if above is not None and not other.startswith("__") else []


def own_attributes(method: ast.FunctionDef) -> Iterator[ast.Attribute]:
    """Yield the nodes that read or bind attributes of self in a method."""
    this = this_of(method)
    for node in walk(method):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == this:
            yield node


def own_stores(method: ast.FunctionDef) -> Iterator[ast.Attribute]:
    """Yield the nodes of the attributes of self that a method assigns."""
    return (node for node in own_attributes(method) if isinstance(node.ctx, ast.Store))


def _own_calls(method: ast.FunctionDef) -> Iterator[str]:
    yield from (node.attr for node in own_attributes(method))
    yield from _super_calls(method)


def _super_calls(method: ast.FunctionDef) -> Iterator[str]:
    for node in walk(method):
        match node:
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=name):
                yield name
            case _:
                continue


def _called(function: ast.AST) -> list[str]:
    return [n.func.id for n in walk(function) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]


def _has(function: ast.FunctionDef, name: str) -> bool:
    return name in names_of(function.args)
