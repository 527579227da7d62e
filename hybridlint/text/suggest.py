"""Suggestions for misspelled names."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a "did you mean" question with the closest known name and a leading space, or "" if none is close."""
    import difflib

    by_lower = {other.lower(): other for other in known}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return f" Did you mean `{by_lower[near[0]]}`?" if near else ""
