"""The name that somebody probably meant."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question that names the nearest of the known names, with a blank before it; empty where none is near."""
    import difflib

    by_lower = {other.lower(): other for other in known}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return f" Did you mean `{by_lower[near[0]]}`?" if near else ""
