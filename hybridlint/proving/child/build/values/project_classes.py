"""Instances of the user's own classes as constructor arguments, such as an `Encoder` for an argument `encoder`."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from hybridlint.proving.child.brief.code import class_facts, facts_of
from hybridlint.proving.child.build.values.block_arguments import BlockCallShape, called_like
from hybridlint.proving.child.loaded_module import LoadedModule

if TYPE_CHECKING:
    from collections.abc import Callable

#: Most levels of nested arguments.
DEPTH = 2
#: Most classes that are tried for one argument.
MOST = 4
#: The words in a class name: BERT, Model.
_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
#: Name parts that are too common to tell classes apart.
_COMMON_PARTS = frozenset(
    ("base", "block", "net", "layer", "model", "cell", "the", "type", "cls", "num", "out", "size")
)


class ProjectClasses:
    """The classes of a module and its package, and expressions that build instances of them.

    `build_of` returns an expression that builds an instance of a class at a depth of nested arguments, or None. All
    methods get the depth of the argument whose value is searched, and yield nothing from `DEPTH` on.
    """

    def __init__(self, world: LoadedModule, module: str, build_of: Callable[[Any, int], str | None]) -> None:
        self.world = world
        self.module = module
        self.build_of = build_of
        self._names: dict[str, Any] | None = None

    def for_name(self, cls: Any, name: str, depth: int) -> Iterator[str]:
        """Yield expressions for the argument `name` of `cls`.

        They build instances of classes whose names share a word with the argument's name, and which have the attributes
        that `cls` reads from it.
        """
        needed = _attributes(cls, name)
        parts = {part for part in name.lower().strip("_").split("_") if len(part) > 2} - _COMMON_PARTS
        found = [
            other
            for shown, other in self.classes().items()
            if other is not cls and _speaks(shown, parts) and all(_has(other, attribute) for attribute in needed)
        ]
        if not found and needed - set(dir(self.world.mx.gluon.HybridBlock)) and not needed & _PLAIN:
            found = [c for c in self.classes().values() if c is not cls and all(_has(c, a) for a in needed)]
        yield from self._instances(found, depth)

    def read(self, cls: Any, name: str) -> set[str]:
        """Return the attributes that a class reads from an argument."""
        return _attributes(cls, name)

    def for_text(self, cls: Any, text: str, depth: int) -> Iterator[str]:
        """Yield expressions for instances of the classes that an annotation or description names, and of subclasses."""
        words = set(re.findall(r"[A-Za-z_]\w+", text))
        named = [other for shown, other in self.classes().items() if shown in words and other is not cls]
        heirs = [c for base in named for c in self.classes().values() if c is not base and issubclass(c, base)]
        yield from self._instances([*named, *(c for c in heirs if c is not cls and c not in named)], depth)

    def plain(self, text: str) -> Iterator[Any]:
        """Yield the classes named in a text that are not blocks, such as settings dataclasses."""
        words = set(re.findall(r"[A-Za-z_]\w+", text))
        block = self.world.mx.gluon.Block
        yield from (cls for name, cls in self.classes().items() if name in words and not issubclass(cls, block))

    def blocks(self, cls: Any, depth: int) -> Iterator[str]:
        """Yield expressions for instances of the module's hybrid blocks other than `cls`."""
        block = self.world.mx.gluon.HybridBlock
        own = [c for c in self.classes().values() if c.__module__ == cls.__module__ and issubclass(c, block)]
        yield from self._instances([c for c in own if c is not cls], depth)

    def called_like(self, cls: Any, call: BlockCallShape, depth: int) -> Iterator[str]:
        """Yield expressions for instances of the module's other hybrid blocks whose hybrid_forward fits `call`."""
        block = self.world.mx.gluon.HybridBlock
        own = [c for c in self.classes().values() if c.__module__ == cls.__module__ and issubclass(c, block)]
        yield from self._instances([c for c in own if c is not cls and called_like(c, call)], depth)

    def with_attribute(self, cls: Any, attribute: str, depth: int) -> Iterator[str]:
        """Yield expressions that build an instance of a class with an attribute. `cls` itself is left out."""
        found = [other for other in self.classes().values() if other is not cls and _has(other, attribute)]
        yield from self._instances(found, depth)

    def classes(self) -> dict[str, Any]:
        """Return classes by name, first from the module's namespace, then from its package."""
        if self._names is None:
            top = self.module.split(".", maxsplit=1)[0]
            modules = [m for n, m in list(sys.modules.items()) if n.split(".", maxsplit=1)[0] == top and m is not None]
            spaces = [self.world.namespace, *map(vars, modules)] if "." in self.module else [self.world.namespace]
            found: dict[str, Any] = {}
            for space in spaces:
                for name, value in list(space.items()):
                    if isinstance(value, type) and value.__module__.split(".")[0] == top:
                        found.setdefault(name, value)
            self._names = found
        return self._names

    def _instances(self, classes: list[Any], depth: int) -> Iterator[str]:
        if depth >= DEPTH:
            return
        for cls in sorted(classes, key=_abstract)[:MOST]:
            expression = self.build_of(cls, depth + 1)
            if expression is not None:
                yield expression


#: Attributes of numbers, strings, lists and arrays; an object that has them need not be a block.
_PLAIN = frozenset(dir(list)) | frozenset(dir(dict)) | frozenset(dir(str)) | {"shape", "dtype", "context", "asnumpy"}


def _speaks(shown: str, parts: set[str]) -> bool:
    return not parts.isdisjoint(word.lower() for word in _WORDS.findall(shown))


def _attributes(cls: Any, name: str) -> set[str]:
    """Return the attributes that a class reads from an argument, directly or through one that it is assigned to."""
    own = {name, *(held for facts in class_facts(cls) for held, given in facts.assigned if given == name)}
    functions = (value for base in getattr(cls, "__mro__", ()) for value in vars(base).values())
    read = (dotted.split(".") for function in functions if callable(function) for dotted in facts_of(function).read)
    return {attribute for owner, attribute, *_ in read if owner in own}


def _has(cls: Any, attribute: str) -> bool:
    return hasattr(cls, attribute) or any(attribute in facts.stored for facts in class_facts(cls))


@lru_cache(maxsize=4096)
def _abstract(cls: Any) -> bool:
    """Whether a method of a class raises NotImplementedError, so that a subclass must define it."""
    functions = (getattr(cls, name, None) for name in dir(cls))
    return any(facts_of(function).abstract for function in functions if inspect.isfunction(function))
