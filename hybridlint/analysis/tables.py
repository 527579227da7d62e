"""Tables of names, written as text."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


#: Methods of containers that make them hold something else.
GROWING = words("append extend insert add update appendleft")
CHANGING = GROWING | words("pop remove clear popleft popitem setdefault sort reverse discard")
