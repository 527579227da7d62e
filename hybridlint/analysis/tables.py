"""Tables of names, written as text."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


#: Functions of numpy mode that take several arrays as one argument.
JOINING = words("concatenate stack vstack hstack dstack column_stack row_stack")
#: Methods of containers that make them hold something else.
GROWING = words("append extend insert add update appendleft")
CHANGING = GROWING | words("pop remove clear popleft popitem setdefault sort reverse discard")
