"""Results that the analyses of one process share: built blocks, calls of their methods, and assigned numbers.

A class's ``__init__`` is interpreted for the file that defines the class and for each file that uses it, always with
unknown arguments. So it does the same each time, and the later analyses take over what the first one found. The same
holds for calls of child blocks, as long as these run code of other files only.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Set
from dataclasses import field

from hybridlint.analysis.model.values import ProjectClass
from hybridlint.analysis.project.instances import Instance
from hybridlint.analysis.run.block_contents import Change
from hybridlint.analysis.run.numbering import Number
from hybridlint.analysis.run.recorded_call import RecordedCall
from hybridlint.runtime.facts.records import record

#: The sizes of all that code may change in an `Instance` after it was built.
Stamp = tuple[int, ...]


@record(frozen=True, slots=True)
class Built:
    """An instance as ``__init__`` left it, and everything else that interpreting ``__init__`` changed."""

    instance: Instance
    stamp: Stamp
    #: The functions that it tried to enter, and the greatest call depth at such an attempt, relative to the one before.
    functions: Set[ast.AST]
    depth: int
    #: The calls that entered functions.
    calls: Set[ast.AST]
    #: What was put into containers, in order.
    changes: tuple[Change, ...]
    #: The numbers in the instance.
    kept: Set[Number]
    #: The other classes whose instances it asked for.
    asked: tuple[ProjectClass, ...]


@record(eq=False, slots=True)
class Shared:
    """Results that analyses of a project leave to later analyses."""

    #: The number of objects that were given a number. Instances keep theirs, which no other object may get.
    tokens: int = 0
    built: dict[ProjectClass, Built] = field(default_factory=dict)
    #: Interpreted calls of child blocks, by everything that they depend on.
    repeats: dict[Hashable, list[RecordedCall]] = field(default_factory=dict)

    def forget(self) -> None:
        """Forget all that may hold objects which code has changed since."""
        self.built.clear()
        self.repeats.clear()

    def whole(self, info: ProjectClass) -> Built | None:
        """Return the instance of a class if it was built, and nothing has changed it since."""
        built = self.built.get(info)
        return built if built is not None and built.stamp == stamp_of(built.instance) else None

    def all_whole(self, infos: Iterable[ProjectClass]) -> bool:
        """Return whether the instances of these classes were built, and nothing has changed them since."""
        return all(self.whole(info) is not None for info in infos)


def stamp_of(instance: Instance) -> Stamp:
    """Return the stamp of an instance: another one shows that code outside its ``__init__`` has changed it."""
    parts = instance.attributes, instance.children, instance.hooks, instance.added, instance.computed
    return *map(len, parts), len(instance.registered), len(instance.parameters)
