"""Suggestions for misspelled names."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a "did you mean" question with the closest known name and a leading space, or "" if none is close."""
    near = nearest(name, known)
    return "" if near is None else f" Did you mean `{near}`?"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is closest to a misspelled one, None if none is close."""
    import difflib

    by_lower = {other.lower(): other for other in known}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[near[0]] if near else None
