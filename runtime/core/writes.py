"""Tracks writes to arrays, so that a copy of an array in another form knows that it is outdated."""

from __future__ import annotations

from weakref import WeakSet, WeakValueDictionary

from hybridlint.runtime.platforms.protocol import Raw


class WriteWatch:
    """Counts the writes to the memory of an array, as long as someone holds the watch."""

    __slots__ = ("__weakref__", "certain", "count", "root")

    def __init__(self, root: Raw) -> None:
        self.root = root
        self.count = 0
        #: Whether only this runtime can write there: every write is counted.
        self.certain = type(root.base) is type(None)


class Original:
    """An array as it is now: `raw` becomes a copy before its memory changes."""

    __slots__ = ("__weakref__", "_others", "raw")

    def __init__(self, raw: Raw, others: _Originals | None) -> None:
        self.raw, self._others = raw, others


class _Originals:
    """The originals in one array's memory. It lives as long as any original."""

    __slots__ = ("__weakref__", "held")

    def __init__(self) -> None:
        self.held: WeakSet[Original] = WeakSet()


class _Latest:
    """The latest watched write: an object that no other write shares while it is held."""

    __slots__ = ("write",)

    def __init__(self) -> None:
        self.write = object()


#: While ``latest.write`` is the same object, nothing has changed that is watched.
latest = _Latest()
_watches: WeakValueDictionary[int, WriteWatch] = WeakValueDictionary()
_originals: WeakValueDictionary[int, _Originals] = WeakValueDictionary()
#: Memory that others know: theirs, or ours that was handed out.
_shared: WeakValueDictionary[int, Raw] = WeakValueDictionary()


def watch(raw: Raw) -> WriteWatch:
    """Return the watch of an array's memory, the same for all views of it."""
    root = _root(raw)
    found = _watches.get(id(root))
    if found is None:
        found = _watches[id(root)] = WriteWatch(root)
        found.certain = found.certain and id(root) not in _shared
    return found


def original(raw: Raw) -> Original:
    """Return an array in its present state, which lasts as long as the result is held."""
    root = _root(raw)
    if type(root.base) is not type(None) or id(root) in _shared:
        # Who else writes there tells nobody.
        return Original(raw.copy(), None)
    others = _originals.get(id(root))
    if others is None:
        others = _originals[id(root)] = _Originals()
    made = Original(raw, others)
    others.held.add(made)
    return made


def changing(raw: Raw) -> None:
    """Tell that elements of an array, or of the memory that it views, are about to change in place."""
    if _originals:
        others = _originals.get(id(_root(raw)))
        if others is not None:
            for held in list(others.held):
                held.raw = held.raw.copy()
            others.held.clear()


def tell_written(raw: Raw) -> None:
    """Tell that elements of an array, or of the memory that it views, were changed in place."""
    if _watches:
        found = _watches.get(id(_root(raw)))
        if found is not None:
            found.count += 1
            latest.write = object()


def tell_shared(raw: Raw) -> None:
    """Tell that others may change an array's memory from now on, at any time."""
    changing(raw)
    root = _root(raw)
    _shared[id(root)] = root
    if id(root) in _watches:
        _watches[id(root)].certain = False
        latest.write = object()


def _root(raw: Raw) -> Raw:
    while isinstance(raw.base, type(raw)):
        raw = raw.base
    return raw
