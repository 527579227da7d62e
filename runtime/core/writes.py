"""What is known of writes to arrays: whoever keeps a copy of an array in another form sees when it is out of date."""

from __future__ import annotations

from weakref import WeakValueDictionary

from hybridlint.runtime.platforms.protocol import Raw


class Watch:
    """Counts the writes to the memory of an array, as long as somebody holds the watch."""

    __slots__ = ("__weakref__", "certain", "count", "root")

    def __init__(self, root: Raw) -> None:
        self.root = root
        self.count = 0
        #: Whether only this runtime can write there: every write is counted.
        self.certain = type(root.base) is type(None)


class _Latest:
    """The latest write that somebody watches: an object that no other write shares, as long as it is held."""

    __slots__ = ("write",)

    def __init__(self) -> None:
        self.write = object()


#: While ``latest.write`` is the same object, nothing has changed that is watched.
latest = _Latest()
_watches: WeakValueDictionary[int, Watch] = WeakValueDictionary()
#: Memory that others know: theirs, or ours that was handed out.
_shared: WeakValueDictionary[int, Raw] = WeakValueDictionary()


def watch(raw: Raw) -> Watch:
    """Return the watch of an array's memory, the same for all views of it."""
    root = _root(raw)
    found = _watches.get(id(root))
    if found is None:
        found = _watches[id(root)] = Watch(root)
        found.certain = found.certain and id(root) not in _shared
    return found


def written(raw: Raw) -> None:
    """Tell that elements of an array, or of the memory that it views, were changed in place."""
    if _watches:
        found = _watches.get(id(_root(raw)))
        if found is not None:
            found.count += 1
            latest.write = object()


def shared(raw: Raw) -> None:
    """Tell that others may change an array's memory from now on, at any time."""
    root = _root(raw)
    _shared[id(root)] = root
    if id(root) in _watches:
        _watches[id(root)].certain = False
        latest.write = object()


def _root(raw: Raw) -> Raw:
    while isinstance(raw.base, type(raw)):
        raw = raw.base
    return raw
