"""Versions of names, as in static single assignment: two reads of one version see the same value."""

from __future__ import annotations

import ast
from collections import deque
from functools import cached_property

from hybridlint.analysis.dataflow.bindings import Binding, BindingKind
from hybridlint.analysis.dataflow.control_flow import ENTRY_NODE, FlowGraph
from hybridlint.runtime.facts.records import record


@record(frozen=True, slots=True)
class NameVersion:
    """The value that a name has from a binding on, or from a point on where several bindings meet."""

    #: The binding; None where several meet, and for what the name means when the scope is entered.
    binding: Binding | None = None
    #: The node of the graph where several bindings meet.
    meeting: int | None = None
    #: Whether they meet at the head of a loop, so that each round has a version of its own.
    by_round: bool = False

    @property
    def is_given(self) -> bool:
        """Whether the name still has its value from the start of the scope: an argument, or an outer name."""
        if self.binding is None:
            return self.meeting is None
        return self.binding.kind is BindingKind.PARAMETER

    @property
    def label(self) -> str:
        """A text that tells the versions of one name of one scope apart."""
        return str(self.binding.row) if self.binding is not None else f"m{self.meeting}"


_GIVEN = NameVersion()
#: Changes at one node after which it counts as a point where versions meet: so that the work has an end.
_MOST_CHANGES = 8


class NameVersions:
    """The versions of the names of one scope at each node of its graph, worked out name by name."""

    def __init__(self, graph: FlowGraph, open_names: frozenset[str]) -> None:
        self._graph = graph
        self._open = open_names
        self._known: dict[str, list[NameVersion | None]] = {}

    def before(self, place: int, name: str) -> NameVersion | None:
        """Return the version of a name at the start of a node.

        None if another scope binds the name, or the node is unreachable.
        """
        if name in self._open:
            return None
        if name not in self._known:
            self._known[name] = self._solve(name)
        return self._known[name][place]

    def at(self, place: int, read: ast.Name) -> NameVersion | None:
        """Return the version that a read in a node sees."""
        version = self.before(place, read.id)
        for access in self._graph.nodes[place].accesses:
            if access is read:
                break
            if isinstance(access, Binding) and access.name == read.id and version is not None:
                version = NameVersion(access) if access.certain else None
        return version

    def _solve(self, name: str) -> list[NameVersion | None]:
        """Follow the versions of a name along the graph until nothing changes."""
        nodes = self._graph.nodes
        bindings = [[a for a in node.accesses if isinstance(a, Binding) and a.name == name] for node in nodes]
        before: list[NameVersion | None] = [None] * len(nodes)
        before[ENTRY_NODE] = _GIVEN
        changes = [0] * len(nodes)
        pending = deque(nodes[ENTRY_NODE].successors)
        while pending:
            place = pending.popleft()
            coming: set[NameVersion] = set()
            for source, interrupted in self._sources[place]:
                version = before[source]
                if version is not None:
                    coming.add(_after(version, bindings[source], source))
                    coming |= {version, *map(NameVersion, bindings[source])} if interrupted else set()
            met = NameVersion(None, place, place in self._graph.loops)
            # What comes back to the point where it began is no other version.
            others = coming - {met}
            if len(others) == 1 and changes[place] < _MOST_CHANGES:
                met = others.pop()
            if met != before[place]:
                before[place] = met
                changes[place] += 1
                pending += [*nodes[place].successors, *nodes[place].interrupted]
        return before

    @cached_property
    def _sources(self) -> list[list[tuple[int, bool]]]:
        """The nodes from which control comes to each node, and whether it comes from the middle of these."""
        found: list[list[tuple[int, bool]]] = [[] for _ in self._graph.nodes]
        for place, node in enumerate(self._graph.nodes):
            for target in node.successors:
                found[target].append((place, False))
            for target in node.interrupted:
                found[target].append((place, True))
        return found


def _after(version: NameVersion, bindings: list[Binding], place: int) -> NameVersion:
    """Return the version of a name behind a node that makes some bindings of it."""
    if not bindings:
        return version
    last = bindings[-1]
    return NameVersion(last) if last.certain else NameVersion(None, -place)
