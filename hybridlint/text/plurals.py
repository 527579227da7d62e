"""Names that tell of several things."""

from __future__ import annotations

import re

_PLURAL = re.compile(r"(?:[a-z0-9]s|_list|_tuple|args|list|seq|pyramid)\d*$")


def is_plural(name: str) -> bool:
    """Return whether a name is a plural, or says that it holds a list: `features`, `mask_list`, `pyramid`."""
    return _PLURAL.search(name) is not None
