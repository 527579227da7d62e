"""The methods that leave a container alone, by its type: all others may change it.

Python itself tells most of it: a mutable type shares with its immutable twin what both can do. What no twin tells
stands in one table. The process that runs user code imports this, under Python 3.8.
"""

from __future__ import annotations

import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterable, Mapping

#: The immutable twin of each mutable type, and the further methods that leave an object alone.
CONTAINERS: Mapping[type, tuple[type, str]] = {
    list: (tuple, "copy __reversed__"),
    dict: (types.MappingProxyType, "copy fromkeys __reversed__"),
    OrderedDict: (types.MappingProxyType, "copy fromkeys __reversed__"),
    defaultdict: (types.MappingProxyType, "copy default_factory fromkeys __copy__"),
    Counter: (types.MappingProxyType, "copy elements fromkeys most_common total __missing__"),
    set: (frozenset, "copy"),
    deque: (tuple, "copy maxlen __copy__ __reversed__"),
    bytearray: (bytes, "copy"),
}
#: Types that never change.
_IMMUTABLE = (str, bytes, int, float, complex, tuple, frozenset)


def is_harmless(twin: type, further: str, method: str) -> bool:
    """Whether a method of a mutable type leaves its object alone: its twin has it too, or `further` names it."""
    return method in further.split() or (hasattr(twin, method) and not method.startswith("__i"))


def changing_methods(tables: Iterable[Mapping[type, tuple[type, str]]] = (CONTAINERS,)) -> frozenset[str]:
    """Return the names of the methods by which objects of some types are changed, and no immutable object has."""
    found = {
        name
        for table in tables
        for kind, (twin, further) in table.items()
        for name in dir(kind)
        if not name.startswith("_") or name in ("__setitem__", "__delitem__")
        if not is_harmless(twin, further, name)
    }
    return frozenset(name for name in found if not any(hasattr(kind, name) for kind in _IMMUTABLE))
