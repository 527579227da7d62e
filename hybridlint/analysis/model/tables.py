"""Tables of names, written as text."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """Return the set of whitespace-separated words of a text."""
    return frozenset(text.split())


#: Makers of iterators that never end, or hand out something else whenever they are asked.
ITERATORS = words("itertools.count itertools.cycle iter")
#: Methods of containers that make them hold something else.
GROWING = words("append extend insert add update appendleft extendleft")
CHANGING = GROWING | words(
    """
    pop remove clear popleft popitem setdefault sort reverse discard rotate subtract move_to_end
    difference_update intersection_update symmetric_difference_update __setitem__ __delitem__
    """
)
#: Those that nothing but a container has.
OF_CONTAINERS = words("append extend insert appendleft extendleft popleft popitem setdefault")
#: Attributes of an array that are read from its data: none of them is a method.
FROM_DATA = words("shape size ndim dtype context ctx stype writable itemsize nbytes")
#: Methods of arrays whose result has the array's values.
KEEPING = frozenset({"copy", "detach", "as_in_context", "as_in_ctx", "tostype", "copyto"})
