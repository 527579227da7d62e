"""Reaching definitions: which bindings each read of a name may see, over branches, loops and exceptions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cached_property

from hybridlint.analysis.dataflow.accesses import Closure
from hybridlint.analysis.dataflow.bindings import Binding, BindingKind
from hybridlint.analysis.dataflow.control_flow import ENTRY_NODE, FlowGraph
from hybridlint.analysis.dataflow.scopes import ScopeNames


class ReachingDefinitions:
    """The bindings of one scope that reach each of its reads. Sets of bindings are the bits of an integer."""

    def __init__(self, graph: FlowGraph, names: ScopeNames) -> None:
        self._graph = graph
        self.bindings = [a for node in graph.nodes for a in node.accesses if isinstance(a, Binding)]
        inner = [(name, node) for name, nodes in names.stored_within.items() for node in nodes]
        # Whoever else binds a name that belongs to a scope around is not seen here: its declaration represents them.
        inner += names.declared.items()
        elsewhere = [Binding(name, BindingKind.ELSEWHERE, node) for name, node in inner]
        self.bindings += elsewhere
        self._bit = {binding: 1 << place for place, binding in enumerate(self.bindings)}
        #: The bits of all bindings of each name, and those that may happen between any two statements.
        self._of_name: dict[str, int] = {}
        self._at_any_time: dict[str, int] = {}
        for binding, bit in self._bit.items():
            self._of_name[binding.name] = self._of_name.get(binding.name, 0) | bit
        for binding in elsewhere:
            self._at_any_time[binding.name] = self._at_any_time.get(binding.name, 0) | self._bit[binding]

    @cached_property
    def of_reads(self) -> Mapping[ast.Name, int]:
        """The bits of the bindings that reach each read. A read in a closure sees later bindings too."""
        found: dict[ast.Name, int] = {}
        for place, node in enumerate(self._graph.nodes):
            bits = self._before[place]
            for access in node.accesses:
                match access:
                    case Binding():
                        bits = self._with(bits, access)
                    case Closure(reads=reads):
                        later = bits | self._made_from(place) if reads else 0
                        for name, nodes in reads.items():
                            found.update(dict.fromkeys(nodes, later & self._of_name.get(name, 0)))
                    case ast.Name(id=name):
                        found[access] = self._choose(bits, name)
        return found

    def of_bits(self, bits: int) -> Iterator[Binding]:
        """Yield the bindings of a set, in the order of the graph."""
        while bits:
            lowest = bits & -bits
            yield self.bindings[lowest.bit_length() - 1]
            bits ^= lowest

    def after(self, place: int, name: str) -> int:
        """Return the bits of the bindings of a name that reach the end of a node."""
        bits = self._before[place]
        for access in self._graph.nodes[place].accesses:
            if isinstance(access, Binding):
                bits = self._with(bits, access)
        return self._choose(bits, name)

    def _choose(self, bits: int, name: str) -> int:
        """Return the bindings of a name in a set, with those that may happen at any time."""
        return (bits & self._of_name.get(name, 0)) | self._at_any_time.get(name, 0)

    def _with(self, bits: int, binding: Binding) -> int:
        kept = bits & ~self._of_name[binding.name] if binding.certain else bits
        return kept | self._bit[binding]

    @cached_property
    def _before(self) -> list[int]:
        """The bits of the bindings that reach the start of each node: the least fixpoint over the graph."""
        nodes = self._graph.nodes
        made, kept, some = self._transfer
        before = [0] * len(nodes)
        reached = [False] * len(nodes)
        # Code that nothing leads to binds nothing.
        pending = [ENTRY_NODE]
        reached[ENTRY_NODE] = True
        while pending:
            place = pending.pop()
            after = (before[place] & kept[place]) | made[place]
            targets = [(target, after) for target in nodes[place].successors]
            targets += [(target, before[place] | some[place]) for target in nodes[place].interrupted]
            for target, bits in targets:
                if bits & ~before[target] or not reached[target]:
                    before[target] |= bits
                    reached[target] = True
                    pending.append(target)
        return before

    @cached_property
    def _transfer(self) -> tuple[list[int], list[int], list[int]]:
        """Return for each node its bindings at its end, the earlier bindings that it keeps, and all its bindings."""
        made, kept, some = [], [], []
        for node in self._graph.nodes:
            left, killed, every = 0, 0, 0
            for access in node.accesses:
                if isinstance(access, Binding):
                    every |= self._bit[access]
                    left = self._with(left, access)
                    killed |= self._of_name[access.name] if access.certain else 0
            made.append(left)
            kept.append(~killed)
            some.append(every)
        return made, kept, some

    def _made_from(self, place: int) -> int:
        """Return the bindings that a node, or any node that control may reach from it, makes."""
        some = self._transfer[2]
        found, seen, pending = 0, {place}, [place]
        while pending:
            node = pending.pop()
            found |= some[node]
            for target in (*self._graph.nodes[node].successors, *self._graph.nodes[node].interrupted):
                if target not in seen:
                    seen.add(target)
                    pending.append(target)
        return found | sum(self._at_any_time.values())
