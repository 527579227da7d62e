"""The classes of a file and the classes that hold their blocks, as the text shows."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property, lru_cache
from typing import NamedTuple

from hybridlint.analysis.mxnet.blocks.eager_by_choice import COMPILED, leaves_eager
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.fixers.evidence.eager.places_of_blocks import containers_of
from hybridlint.fixers.evidence.eager.sequences import MadeSequence, needs_whole, sequence_around
from hybridlint.fixers.toolkit.class_hierarchy import heirs_of, lineage_of
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.runtime.facts.abstract.layers import layer_of_any
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.source import SourceFile
from hybridlint.text.syntax import branches, children, each, holds, walk

_METHOD = "hybridize"


@record(frozen=True, slots=True)
class Holder:
    """A class that holds blocks of the class `part`, through which something is reached; None for the first one.

    `containers` are its attributes that hold such blocks and would be compiled as a whole; `method` is the
    ``hybridize`` that it has already.
    """

    node: ast.ClassDef
    part: ast.ClassDef | None
    containers: frozenset[str]
    method: ast.FunctionDef | None
    #: The sequences outside of traced classes that hold blocks of any class reached; only the first holder has them.
    sequences: tuple[MadeSequence, ...] = ()
    #: Whether it is reached since it asks whether an input is None.
    asks: bool = False

    @property
    def missing(self) -> frozenset[str]:
        """The containers that its ``hybridize`` would compile, where it has one."""
        return self.containers if self.method is None else self.containers - switched_off(self.method)

    @property
    def compiled(self) -> bool:
        """Whether its ``hybridize``, if it has one, may compile it."""
        return self.method is not None and not leaves_eager(self.method)

    @property
    def done(self) -> bool:
        """Whether it stays eager already."""
        return self.method is not None and not self.missing


class _Users(NamedTuple):
    """The holders of some blocks: traced classes, with the containers inside them, and outer sequences."""

    holders: list[tuple[ast.ClassDef, set[str]]]
    sequences: list[MadeSequence]


class Holders:
    """The classes of a file with a traced method, and how they hold each other's blocks."""

    def __init__(self, source: SourceFile) -> None:
        self._module = source.tree
        self._all = each(source.tree, ast.ClassDef)
        #: The places that read the name of each class.
        makers = [node.name for node in source.tree.body if isinstance(node, ast.FunctionDef)]
        self._reads: dict[str, list[ast.Name]] = {name: [] for name in (*(one.name for one in self._all), *makers)}
        self._users_of: dict[str, _Users | None] = {}
        self._parts_of: dict[ast.ClassDef, frozenset[str] | None] = {}
        for node in each(source.tree, ast.Name):
            if node.id in self._reads and isinstance(node.ctx, ast.Load):
                self._reads[node.id].append(node)

    def class_of(self, node: ast.AST, calls: Iterable[ast.AST] = ()) -> ast.ClassDef | None:
        """Return the innermost class with a traced method around a node, or else around the calls that lead to it.

        `calls` are given outermost first.
        """
        for place in (node, *reversed(list(calls))):
            around = [one for one in self._traced if self._is_inside(place, one)]
            if around:
                return max(around, key=lambda one: one.lineno)
        return None

    def reached(self, owner: ast.ClassDef) -> list[Holder] | None:
        """Return the classes that have to stay eager if one does: itself first, then all that hold it.

        Classes that are given the blocks that they call, and that the file makes no block of, may hold it too. None if
        blocks of these classes are put into something that is made outside of them, or into another block.
        """
        held: dict[ast.ClassDef, tuple[ast.ClassDef | None, set[str]]] = {owner: (None, set())}
        sequences: list[MadeSequence] = []
        for one in (waiting := [owner]):
            heirs = heirs_of(one, self._all)
            if any(sum(other.name == heir.name for other in self._all) > 1 for heir in heirs):
                return None
            for heir in heirs:
                users = self._users(heir.name)
                if users is None:
                    return None
                sequences += users.sequences
                for user, container in users.holders:
                    if user not in held:
                        waiting.append(user)
                    held.setdefault(user, (heir, set()))[1].update(container)
        if not self._grow(sequences):
            return None
        outermost = [*held][-1]
        # A class is hardly ever given its own heirs.
        wrappers = (one for one in self._wrappers if not any(other in heirs_of(one, self._all) for other in held))
        held.update([(one, (outermost, set())) for one in wrappers])
        found = [Holder(one, part, frozenset(inside), own_method(one)) for one, (part, inside) in held.items()]
        return [replace(found[0], sequences=tuple(dict.fromkeys(sequences))), *found[1:]]

    def _grow(self, sequences: list[MadeSequence]) -> bool:
        """Add the sequences that hold those given, and return whether nothing else holds any of them.

        A block of a traced class takes compiled containers alone.
        """
        for one in sequences:
            users = self._users(one.maker)
            if users is None or users.holders:
                return False
            sequences += [other for other in users.sequences if other not in sequences]
        return not sequences or not needs_whole(self._module)

    def have_other_parts(self, reached: Collection[Holder]) -> bool:
        """Return whether one of these classes has parts of other classes than these."""
        names = [one.node.name for one in reached]
        return any(self.has_other_parts(one.node, names) for one in reached)

    def has_other_parts(self, owner: ast.ClassDef, names: Collection[str]) -> bool:
        """Return whether a class makes blocks of other classes than those named, or calls those that it is given."""
        if owner not in self._parts_of:
            self._parts_of[owner] = self._parts(owner)
        parts = self._parts_of[owner]
        return parts is None or not parts.issubset(names)

    def _parts(self, owner: ast.ClassDef) -> frozenset[str] | None:
        """Return the classes of the blocks that a class makes, other than containers; None if it calls given ones.

        The classes that it inherits from make blocks for it, and so do functions of the module.
        """
        lineage = lineage_of(owner, self._all)
        if any(_calls_given(one) for one in lineage):
            return None
        # Operators there have names like layers: `F.Activation`.
        entries = (n for one in lineage for n in one.body if isinstance(n, ast.FunctionDef) and n.name == ENTRY)
        traced = {id(inner) for entry in entries for inner in branches(entry)}
        calls = [n for one in lineage for n in branches(one) if isinstance(n, ast.Call) and id(n) not in traced]
        named = (n.func.id for n in calls if isinstance(n.func, ast.Name))
        makers = [self._functions[name] for name in named if name in self._functions]
        calls += [n for maker in makers for n in branches(maker) if isinstance(n, ast.Call)]
        names = ((dotted_parts(call.func) or ("",))[-1] for call in calls)
        return frozenset(name for name in names if self._is_part(name))

    def _is_part(self, name: str) -> bool:
        known = layer_of_any(name) is not None or any(one.name == name for one in self._traced)
        return (known and not _is_container(name)) or self._is_layer(name)

    def _is_layer(self, name: str) -> bool:
        """Return whether a class of the file is a Gluon layer with parts of its own choice."""
        lineage = (one for owner in self._all if owner.name == name for one in lineage_of(owner, self._all))
        return any(layer_of_any((dotted_parts(base) or ("",))[-1]) is not None for one in lineage for base in one.bases)

    @cached_property
    def _functions(self) -> dict[str, ast.FunctionDef]:
        return {node.name: node for node in self._module.body if isinstance(node, ast.FunctionDef)}

    @cached_property
    def _wrappers(self) -> list[ast.ClassDef]:
        """The classes that call blocks passed to them, and of which only other files build blocks."""
        return [one for one in self._traced if not self._is_made(one.name) and _calls_given(one)]

    def _is_made(self, name: str) -> bool:
        outer = ((read, self._way(read)) for read in self._reads.get(name, ()))
        return any(isinstance(way[1], ast.Call) and way[1].func is read for read, way in outer)

    @cached_property
    def _traced(self) -> list[ast.ClassDef]:
        return [one for one in self._all if self._is_traced(one)]

    def _is_traced(self, node: ast.ClassDef, seen: tuple[str, ...] = ()) -> bool:
        if any(isinstance(n, ast.FunctionDef) and n.name == ENTRY for n in node.body):
            return True
        bases = {(dotted_parts(base) or ("",))[-1] for base in node.bases} - set(seen)
        return any(self._is_traced(one, (*seen, node.name)) for one in self._all if one.name in bases)

    def _users(self, name: str) -> _Users | None:
        """Return the code that holds blocks of a class, or results of a function.

        None if other code may hold some too.
        """
        if name not in self._users_of:
            self._users_of[name] = self._found_users(name)
        return self._users_of[name]

    def _found_users(self, name: str) -> _Users | None:
        found = _Users([], [])
        for node in self._reads.get(name, ()):
            way = self._way(node)
            owner = next((one for one in way if isinstance(one, ast.ClassDef)), None)
            if way[1] is owner or (owner is not None and owner.name == name):
                # A base class, or the class itself.
                continue
            if owner is None or owner not in self._traced:
                made = sequence_around(way)
                if made is not None:
                    found.sequences.append(made)
                elif not _stands_alone(way):
                    return None
            elif not _is_asked_about(way):
                containers = containers_of(way)
                if containers is None:
                    return None
                found.holders.append((owner, containers))
        return found

    def _way(self, node: ast.Name) -> list[ast.AST]:
        """Return a node and everything around it, innermost first."""
        # The parts of formatted strings may have wrong rows.
        return way_to(self._module, node, by_rows=True) or way_to(self._module, node, by_rows=False)

    def _is_inside(self, node: ast.AST, owner: ast.ClassDef) -> bool:
        row: int = getattr(node, "lineno", 0)
        return owner.lineno <= row <= (owner.end_lineno or row)


def way_to(tree: ast.AST, node: ast.Name, *, by_rows: bool) -> list[ast.AST]:
    """Return a name and everything around it, innermost first; nothing if it is not found.

    With `by_rows`, it is in the statement that has its row, if there is only one.
    """
    way = [tree]
    while way[-1] is not node:
        parts = [child for child in children(way[-1]) if not by_rows or _has_row(child, node.lineno)]
        if not (by_rows and len(parts) == 1 and isinstance(parts[0], ast.stmt)):
            parts = [part for part in parts if holds(part, node)]
        if not parts:
            return []
        way.append(parts[0])
    return way[::-1]


def _has_row(outer: ast.AST, row: int) -> bool:
    """Return whether a node may hold code on a row: whether it is no statement, or one with this row."""
    if not isinstance(outer, ast.stmt):
        return True
    decorators = outer.decorator_list if isinstance(outer, ast.ClassDef | ast.FunctionDef) else []
    first = min((outer.lineno, *(decorator.lineno for decorator in decorators)))
    return first <= row <= (outer.end_lineno or outer.lineno)


def _calls_given(owner: ast.ClassDef) -> bool:
    """Return whether a class calls what its constructor is given and keeps, such as ``self.net(x)``."""
    given = {arg.arg for n in owner.body if isinstance(n, ast.FunctionDef) for arg in n.args.args[1:]}
    pairs = (pair for n in branches(owner) if isinstance(n, ast.Assign) for pair in _pairs(n.targets[0], n.value))
    kept = {target.attr for target, value in pairs if isinstance(value, ast.Name) and value.id in given}
    calls = (dotted_parts(n.func) or ("",) for n in branches(owner) if isinstance(n, ast.Call))
    return any(path[0] == "self" and len(path) == 2 and path[1] in kept for path in calls)


@lru_cache(maxsize=4)
def holders_in(source: SourceFile) -> Holders:
    """Return the classes of a file; those of the last versions are kept, which many findings ask about."""
    return Holders(source)


def _is_container(name: str) -> bool:
    """Whether a Gluon layer is made of other blocks alone."""
    layer = layer_of_any(name)
    return layer is not None and layer.holds_others


def own_method(node: ast.ClassDef) -> ast.FunctionDef | None:
    """Return the method ``hybridize`` that a class defines itself."""
    return next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == _METHOD), None)


def switched_off(method: ast.FunctionDef) -> set[str]:
    """Return the attributes of self that a method ``hybridize`` keeps from running compiled."""
    stores = (n for n in walk(method) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store))
    return {n.value.attr for n in stores if n.attr == COMPILED and isinstance(n.value, ast.Attribute)}


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.Attribute, ast.expr]]:
    """Yield the attributes that an assignment stores, each with its value."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, other in zip(target.elts, value.elts, strict=False):
            yield from _pairs(one, other)
    elif isinstance(target, ast.Attribute):
        yield target, value


def _is_asked_about(way: list[ast.AST]) -> bool:
    """Return whether a class is named without making a block of it: ``isinstance(block, C)``, ``super(C, self)``.

    `way` holds the name and everything around it, innermost first.
    """
    name, call = way[:2]
    known = {("isinstance",), ("super",)}
    return isinstance(call, ast.Call) and call.func is not name and dotted_parts(call.func) in known


def _stands_alone(way: list[ast.AST]) -> bool:
    """Return whether a class outside of all blocks is named where nothing takes its blocks as parts."""
    name, outer, *around = way
    while isinstance(around[0], ast.IfExp):
        # One of two blocks, ``Net() if plain else Other()``, stands where either does.
        around.pop(0)
    match outer:
        case ast.ClassDef() | ast.arg() | ast.FunctionDef() | ast.AnnAssign():
            return True
        case ast.Call(func=func) if func is name:
            return isinstance(around[0], ast.Assign | ast.Return | ast.Expr | ast.Attribute)
        case ast.Call(func=func):
            return dotted_parts(func) in {("isinstance",), ("super",)}
        case ast.Dict():
            # A table in a function that returns one of its classes.
            return any(isinstance(node, ast.FunctionDef) for node in around)
        case _:
            return False
