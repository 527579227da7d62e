"""The order of values, and the values computed from each."""

from __future__ import annotations

from collections.abc import Container, Iterable

from hybridlint.runtime.compiled.lowering.values import ArrayValue


def consumers(roots: Iterable[ArrayValue]) -> dict[ArrayValue, set[ArrayValue]]:
    """Return, for each value that the roots need, the values that are computed from it."""
    found: dict[ArrayValue, set[ArrayValue]] = {root: set() for root in roots}
    waiting = list(found)
    while waiting:
        value = waiting.pop()
        for source in value.sources:
            if source not in found:
                found[source] = set()
                waiting.append(source)
            found[source].add(value)
    return found


def sources_first(roots: Iterable[ArrayValue]) -> list[ArrayValue]:
    """Return all values that the roots need, each after those that it is computed from."""
    found: dict[ArrayValue, None] = {}
    waiting = list(roots)[::-1]
    while waiting:
        value = waiting[-1]
        missing = [source for source in value.sources if source not in found]
        if missing and value not in found:
            waiting += missing[::-1]
            continue
        found[waiting.pop()] = None
    return list(found)


def sources_before(root: ArrayValue, known: Container[ArrayValue]) -> list[ArrayValue]:
    """Return a value and the values that it needs, sources first; known values are not expanded."""
    found: dict[ArrayValue, None] = {}
    waiting = [root]
    while waiting:
        value = waiting[-1]
        if value in found or value in known:
            waiting.pop()
            continue
        missing = [source for source in value.sources if source not in found and source not in known]
        if missing:
            waiting += missing
            continue
        found[waiting.pop()] = None
    return list(found)
