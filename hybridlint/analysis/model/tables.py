"""Tables of names, written as text."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """Return the set of whitespace-separated words of a text."""
    return frozenset(text.split())


#: Constructors of iterators that never end, or that yield something else in each call.
ITERATORS = words("itertools.count itertools.cycle iter")
#: Methods of containers that change their contents.
GROWING = words("append extend insert add update appendleft extendleft")
CHANGING = GROWING | words(
    """
    pop remove clear popleft popitem setdefault sort reverse discard rotate subtract move_to_end
    difference_update intersection_update symmetric_difference_update __setitem__ __delitem__
    """
)
#: Those among them that only containers have.
OF_CONTAINERS = words("append extend insert appendleft extendleft popleft popitem setdefault")
